import type { V1Taint } from "@kubernetes/client-node";
import { afterEach, expect, test } from "vitest";
import { CANCEL_OPERATION, PAUSE_ROLLOUT, RESUME_ROLLOUT } from "../../../../lambdas/messages/slack/buttons.ts";
import { newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { kubectl } from "../../others.ts";
import { poolOfFour } from "../../pool-of-four.ts";
import { stop } from "../../stopping.ts";

let here: Journey;
let names: readonly string[];
afterEach(() => here.close());

const KEY = "casement.dev/soon-rebooted";
const taintsOf = (name: string): V1Taint[] => nodeNamed(here, name)?.spec?.taints ?? [];
/** Places of the nodes that the scheduler is to spare. */
const marked = (): number[] => names.flatMap((name, at) => (taintsOf(name).some(({ key }) => key === KEY) ? [at] : []));
const nodes = async () => (await newest(here)).nodes;

async function begin(): Promise<void> {
  ({ here, names } = await poolOfFour(1));
}

async function working(): Promise<void> {
  await here.type("operator", "/win reboot web");
  await here.until(async () => (await nodes())[0]?.stage === "reboot", 60, "the first reboot");
}

test("Nodes that wait for their turn carry a soft taint of the operation until then, and none at the end", async () => {
  await begin();
  await working();
  const { id } = (await newest(here)).operation;
  expect(marked()).toEqual([1, 2, 3]);
  expect(taintsOf(names[1] ?? "")).toContainEqual({ key: KEY, value: id, effect: "PreferNoSchedule" });
  await here.until(async () => (await nodes())[1]?.stage === "reboot", 60, "the second reboot");
  expect(marked()).toEqual([2, 3]);
  await settled(here, 240);
  expect((await newest(here)).operation.summary).toBe("4 of 4 nodes are rebooted and proven.");
  expect(marked()).toEqual([]);
});

test("A pause and a cancellation take the taints off, and Resume puts them on again", async () => {
  await begin();
  await working();
  await here.press("operator", PAUSE_ROLLOUT);
  await here.until(() => marked().length === 0, 5, "the pause");
  await here.press("operator", RESUME_ROLLOUT);
  await here.until(() => marked().length > 0, 30, "the rollout at work again");
  await here.press("operator", CANCEL_OPERATION);
  await settled(here, 120);
  expect(marked()).toEqual([]);
});

test("A person's taint of the same key stays as it is", async () => {
  await begin();
  const own = { key: KEY, value: "by-hand", effect: "PreferNoSchedule" };
  const taints = [...taintsOf(names[3] ?? ""), own];
  await kubectl(here, "PATCH", `/api/v1/nodes/${names[3]}`, { spec: { taints } });
  await working();
  expect(marked()).toEqual([1, 2, 3]);
  await settled(here, 240);
  expect(taintsOf(names[3] ?? "")).toContainEqual(own);
  expect(marked()).toEqual([3]);
});

test("The sweep takes off what a rollout left that was stopped", async () => {
  await begin();
  await working();
  await stop(here, (await newest(here)).operation.executionArn ?? "");
  await here.pass(60);
  await settled(here, 120);
  expect(marked()).toEqual([]);
});

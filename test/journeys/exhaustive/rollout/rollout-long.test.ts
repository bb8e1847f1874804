import { afterEach, expect, test } from "vitest";
import { newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { kubectl } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { poolOfFour } from "../../pool-of-four.ts";
import { openly } from "../../reading.ts";

let here: Journey;
let names: readonly string[];
afterEach(() => here.close());

const proven = async (): Promise<number> =>
  (await newest(here)).nodes.filter(({ status }) => status === "succeeded").length;

test("no further node is begun once Slack has refused messages for ten minutes", { timeout: 120_000 }, async () => {
  ({ here, names } = await poolOfFour(1));
  await here.type("operator", "/win reboot web");
  await here.until(async () => (await newest(here)).nodes[0]?.stage === "guard", 30, "the first node");
  const fault = injectFault(here, "slack-5xx");
  await here.pass(90);
  expect(await proven()).toBeGreaterThanOrEqual(1);
  expect(await proven()).toBeLessThanOrEqual(2);
  endFault(here, fault);
  await settled(here, 240);
  expect((await newest(here)).operation).toMatchObject({ status: "succeeded" });
});

test("an execution works eight hours on a rollout, and the next sweep starts the one that goes on", {
  timeout: 240_000,
}, async () => {
  const deadlines = { reboot: { slot: 380, reboot: 10, prove: 10 } };
  ({ here, names } = await poolOfFour(1, { deadlines }));
  const byHand = (unschedulable: boolean): Promise<void> =>
    kubectl(here, "PATCH", `/api/v1/nodes/${names[3]}`, { spec: { unschedulable } });
  await here.type("operator", "/win reboot web");
  await here.until(async () => (await proven()) === 1, 60, "the first node");
  await byHand(true);
  await here.pass(6 * 60);
  await byHand(false);
  await here.until(async () => (await proven()) === 2, 60, "the second node");
  await byHand(true);
  await here.until(async () => (await newest(here)).operation.rollout?.part === 2, 4 * 60, "the next execution");
  expect(nodeNamed(here, names[3])?.spec?.unschedulable).toBe(true);
  await byHand(false);
  await settled(here, 240);
  const { operation } = await newest(here);
  expect(operation).toMatchObject({ status: "succeeded", summary: "4 of 4 nodes are rebooted and proven." });
});

test("a freeze that comes meanwhile pauses it before the next node is disturbed; that one comes last then", async () => {
  ({ here, names } = await poolOfFour(1));
  await here.type("operator", "/win reboot web");
  const rollout = async () => (await here.operations()).find(({ request }) => request.command === "reboot");
  const id = (await rollout())?.id ?? "";
  await here.until(async () => (await here.nodes(id))[0]?.stage === "prove", 60, "the first proof");
  await here.type("operator", '/win freeze web --reason "incident"');
  await here.until(async () => (await rollout())?.rollout?.paused != null, 120, "the pause");
  expect((await here.nodes(id)).map(({ status }) => status)).toEqual(["succeeded", "failed", "queued", "queued"]);
  expect((await here.nodes(id))[1]?.failure?.left).toBe("nothing was changed");
  await here.type("operator", "/win thaw web");
  await here.pass(5);
  await here.type("operator", `/win resume ${id}`);
  await settled(here, 240);
  expect(await rollout()).toMatchObject({ status: "succeeded", summary: "4 of 4 nodes are rebooted and proven." });
});

test("is cancelled after a freeze and two resumes, though its nodes have queued again and were never begun", async () => {
  ({ here, names } = await poolOfFour(1));
  await here.type("operator", "/win reboot web");
  const rollout = async () => (await here.operations()).find(({ request }) => request.command === "reboot");
  const id = (await rollout())?.id ?? "";
  // A resume under a freeze lasts seconds, shorter than the span between two questions: the next pause has a later time.
  const pauseAfter = async (earlier: string): Promise<string> => {
    const at = async () => (await rollout())?.rollout?.paused?.at ?? "";
    await here.until(async () => (await at()) > earlier, 120, "the pause");
    return at();
  };
  await here.until(async () => (await here.nodes(id))[0]?.stage === "prove", 60, "the first proof");
  await here.type("operator", '/win freeze web --reason "incident"');
  let at = await pauseAfter("");
  for (let times = 0; times < 2; times += 1) {
    await here.type("operator", `/win resume ${id}`);
    at = await pauseAfter(at);
  }
  await here.type("operator", `/win cancel ${id}`);
  await settled(here, 60);
  expect(await rollout()).toMatchObject({ status: "cancelled", summary: expect.stringContaining("1 of 4 nodes") });
  expect(openly(here).join("\n")).not.toContain("action required");
});

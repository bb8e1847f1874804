import { afterEach, expect, test } from "vitest";
import { DO_NEXT, RESUME_ROLLOUT } from "../../../../lambdas/messages/slack/buttons.ts";
import { newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { kubectl } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { poolOfFour } from "../../pool-of-four.ts";
import { openly, privately } from "../../reading.ts";
import { copiesOf } from "../audit/tampering.ts";

let here: Journey;
let names: readonly string[];
afterEach(() => here.close());

const proven = async (): Promise<number> =>
  (await newest(here)).nodes.filter(({ status }) => status === "succeeded").length;

test("no further node is begun once Slack has refused messages for ten minutes", async () => {
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
  timeout: 480_000,
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

/** A rollout at the proof of its first node. @returns its id, and a reader of its record */
async function atFirstProof(deadlines: object = {}) {
  ({ here, names } = await poolOfFour(1, { deadlines: { reboot: deadlines } }));
  await here.type("operator", "/win reboot web");
  const rollout = async () => (await here.operations()).find(({ request }) => request.command === "reboot");
  const id = (await rollout())?.id ?? "";
  await here.until(async () => (await here.nodes(id))[0]?.stage === "prove", 60, "the first proof");
  const pause = () => here.until(async () => (await rollout())?.rollout?.paused != null, 120, "the pause");
  return { id, rollout, pause };
}

test("a freeze that comes meanwhile pauses it before a node is begun, and Thaw in its message ends the freeze", async () => {
  const { id, rollout, pause } = await atFirstProof();
  await here.type("operator", '/win freeze web --reason "incident"');
  await pause();
  const states = async () => (await here.nodes(id)).map(({ status }) => status);
  expect(await states()).toEqual(["succeeded", "queued", "queued", "queued"]);
  const card = () => openly(here).find((text) => text.includes("Reboot pool web")) ?? "";
  expect(card()).toMatch(
    /Paused: pool `web` is frozen by olivia \(incident\)\. 1 of 4 .*To end it: `\/win thaw web`, then press Resume/,
  );
  for (let times = 0; times < 2; times += 1) {
    await here.press("operator", RESUME_ROLLOUT);
    await here.pass(2);
    expect(privately(here, "operator").at(-1)).toBe(
      `Pool \`web\` is frozen by olivia (incident). \`${id}\` stays paused. To end it: \`/win thaw web\`, then press *Resume*.\n[Thaw web]`,
    );
  }
  expect((await rollout())?.rollout?.paused).not.toBeNull();
  expect(await states()).toEqual(["succeeded", "queued", "queued", "queued"]);
  expect(card()).toContain("[Thaw web]");
  await here.press("operator", DO_NEXT);
  await here.pass(7);
  expect(card()).toContain("No freeze or hold stops it any more: press Resume.");
  await here.press("operator", RESUME_ROLLOUT);
  await settled(here, 240);
  expect(await rollout()).toMatchObject({ status: "succeeded", summary: "4 of 4 nodes are rebooted and proven." });
});

test("a second freeze pauses it as the first did", async () => {
  const { id, rollout, pause } = await atFirstProof();
  await here.type("operator", '/win freeze web --reason "incident"');
  await pause();
  await here.type("operator", "/win thaw web");
  await here.type("operator", `/win resume ${id}`);
  await here.until(async () => (await here.nodes(id))[1]?.stage === "prove", 60, "the second proof");
  await here.type("operator", '/win freeze web --reason "another incident"');
  await pause();
  expect(await rollout()).toMatchObject({ status: "waiting", endedAt: null });
  const asked = copiesOf(here).filter(({ entry }) => entry.what === "asked");
  expect(asked.map(({ entry }) => JSON.stringify(entry.detail))).toEqual([
    expect.stringContaining("(incident)"),
    expect.stringContaining("(another incident)"),
  ]);
});

test("a request in a frozen pool is refused with the button that ends the freeze", async () => {
  ({ here, names } = await poolOfFour(1));
  await here.type("operator", '/win freeze web --reason "incident"');
  await settled(here, 5);
  await here.type("operator", `/win reboot ${names[0]}`);
  await settled(here, 5);
  expect(openly(here).at(-1)).toContain("[Thaw web]");
  await here.press("operator", DO_NEXT);
  await settled(here, 5);
  expect((await newest(here)).operation.summary).toBe("Pool `web` is no longer frozen.");
});

test("is cancelled though a node has queued again that was never begun", async () => {
  const { id, rollout, pause } = await atFirstProof({ slot: 5 });
  await kubectl(here, "PATCH", `/api/v1/nodes/${names[3]}`, { spec: { unschedulable: true } });
  await pause();
  expect((await here.nodes(id)).filter(({ status }) => status === "failed")).toHaveLength(1);
  await here.type("operator", `/win resume ${id}`);
  await here.pass(5);
  await here.type("operator", `/win cancel ${id}`);
  await settled(here, 60);
  expect(await rollout()).toMatchObject({ status: "cancelled", summary: expect.stringContaining("1 of 4 nodes") });
  expect(openly(here).join("\n")).not.toContain("action required");
});

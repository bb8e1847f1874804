import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { APPROVE_OPERATION, RESUME_ROLLOUT } from "../../../../lambdas/messages/slack/buttons.ts";
import { demoConfiguration } from "../../../../lib/sandbox/demo-configuration.ts";
import { heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { injectFault } from "../../outside.ts";
import { inThreads, openly } from "../../reading.ts";
import { type Moment, type Restarts, recordRestarts } from "../../restarts.ts";

const coordinator = "reboot-nodes";
const rebooter = "reboot-node";
const started = { service: "lambda", action: "Invoke", principal: coordinator };
const sent = { service: "ssm", action: "SendCommand", principal: rebooter };

const moments: readonly Moment[] = [
  { after: "the first node was started", ...started, count: 1 },
  { after: "the first node was told to reboot", ...sent, count: 3 },
  { after: "the first node was asked for its proof", ...sent, count: 5 },
  { after: "the second node was started", ...started, count: 2 },
  { after: "the second node was told to reboot", ...sent, count: 9 },
];

/** Reboots that SSM was told of, by machine. */
function reboots(here: Journey): Record<string, number> {
  interface Sent {
    readonly documentName: string;
    readonly comment: string;
    readonly instanceIds: readonly string[];
  }
  const counts: Record<string, number> = {};
  for (const { documentName, comment, instanceIds } of here.simulator.simulation.store
    .collection<Sent>("ssm-commands")
    .values())
    if (documentName.includes("-reboot-") && comment.includes("reboot-"))
      for (const id of instanceIds) counts[id] = (counts[id] ?? 0) + 1;
  return counts;
}

describe("a process that dies during a rollout and is started again on its files", () => {
  let restarts: Restarts;
  let here: Journey | undefined;
  let names: readonly (string | null)[];

  beforeAll(async () => {
    restarts = await recordRestarts({}, moments, async (first) => {
      await first.type("operator", "/win add web 2");
      await settled(first);
      names = (await newest(first)).nodes.map(({ nodeName }) => nodeName);
      await first.type("operator", "/win reboot web");
      await first.until(async () => (await newest(first)).operation.approval?.state === "open", 10, "the question");
      await first.press("approver", APPROVE_OPERATION);
      await settled(first, 240);
    });
  });
  afterEach(async () => {
    await here?.close();
    here = undefined;
  });
  afterAll(() => restarts.end());

  test.each(moments)("right after $after, reboots each node once", async ({ after }) => {
    here = await restarts.from(after);
    const resumed = here;
    await settled(resumed, 240);
    const { operation } = await newest(resumed);
    expect(operation).toMatchObject({ status: "succeeded", summary: "2 of 2 nodes are rebooted and proven." });
    expect(Object.values(reboots(resumed))).toEqual([1, 1]);
    expect(names.map((name) => nodeNamed(resumed, name)?.spec?.unschedulable === true)).toEqual([false, false]);
    expect(await heldBack(resumed)).toEqual([]);
    expect(openly(resumed).filter((text) => text.includes("Reboot pool web"))).toHaveLength(1);
  });
});

const asked = "the rollout was asked for";
const posted = { service: "slack", action: "chat.postMessage", since: asked };
const woken = {
  service: "lambda",
  action: "SendDurableExecutionCallbackSuccess",
  principal: "front-door",
  since: asked,
};

const ofPeople: readonly Moment[] = [
  { after: asked, service: "lambda", action: "Invoke", principal: "front-door", count: 2 },
  { after: "the question was posted", ...posted, count: 1 },
  { after: "the approver was called", ...posted, count: 2 },
  { after: "the vote was delivered", ...woken, count: 1 },
  { after: "the failed node was told", ...posted, count: 8 },
  { after: "people were called to the pause", ...posted, count: 9 },
  { after: "Resume was delivered", ...woken, count: 2 },
  { after: "the next node was started", ...started, count: 2, since: asked },
];

describe("a process that dies while a rollout waits for people, and is started again on its files", () => {
  let restarts: Restarts;
  let here: Journey | undefined;
  let names: readonly (string | null)[];

  const isOpen = async (on: Journey): Promise<boolean> => (await newest(on)).operation.approval?.state === "open";
  const isPaused = async (on: Journey): Promise<boolean> =>
    ((await newest(on)).operation.rollout?.paused ?? null) !== null;
  const hasFailed = async (on: Journey): Promise<boolean> => (await newest(on)).nodes[0]?.status === "failed";

  /** People press what is still asked for, from wherever the rollout is. */
  async function answer(on: Journey): Promise<void> {
    await on.pass(2);
    if (await isOpen(on)) await on.press("approver", APPROVE_OPERATION);
    await on.until(() => hasFailed(on), 60, "the failure of the first node");
    await on.pass(2);
    if (await isPaused(on)) await on.press("operator", RESUME_ROLLOUT);
    await settled(on, 240);
  }

  beforeAll(async () => {
    const { pools } = demoConfiguration({ apiServer: "https://kubernetes.sandbox.invalid", authority: "" });
    const configuration = {
      deadlines: { reboot: { reboot: 20, prove: 12 } },
      pools: { ...pools, web: { ...pools.web, maxUnavailable: 2 } },
    };
    restarts = await recordRestarts({ configuration }, ofPeople, async (first) => {
      await first.type("operator", "/win add web 2");
      await settled(first);
      names = (await newest(first)).nodes.map(({ nodeName }) => nodeName).sort();
      const instanceId = nodeNamed(first, names[0])?.spec?.providerID?.split("/").at(-1) ?? "";
      injectFault(first, "boot-hangs", { instanceId });
      await first.type("operator", "/win reboot web");
      await answer(first);
    });
  });
  afterEach(async () => {
    await here?.close();
    here = undefined;
  });
  afterAll(() => restarts.end());

  test.each(ofPeople)("right after $after, asks once and heeds each answer once", async ({ after }) => {
    here = await restarts.from(after);
    const resumed = here;
    await answer(resumed);
    const { operation } = await newest(resumed);
    expect(operation).toMatchObject({ status: "failed", approval: { asking: 1 }, rollout: { paused: null } });
    expect(operation.summary).toContain("1 of 2 nodes is rebooted and proven.");
    expect(Object.values(reboots(resumed))).toEqual([1, 1]);
    expect(names.map((name) => nodeNamed(resumed, name)?.spec?.unschedulable === true)).toEqual([true, false]);
    expect(await heldBack(resumed)).toEqual([]);
    expect(openly(resumed).filter((text) => text.includes("Reboot pool web"))).toHaveLength(1);
    const told = inThreads(resumed);
    expect(told.filter((text) => text.includes("the rollout is paused"))).toHaveLength(1);
    expect(told.filter((text) => text.includes("this plan needs 1 approval"))).toHaveLength(1);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../../lambdas/messages/slack/buttons.ts";
import { heldBack, newest, nodeNamed, settled } from "../evidence.ts";
import type { Journey } from "../journey.ts";
import { openly } from "../reading.ts";
import { type Moment, type Restarts, recordRestarts } from "../restarts.ts";

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
  }, 120_000);
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

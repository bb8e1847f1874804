import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { heldBack, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned } from "../../on-web.ts";
import { inThreads, openly } from "../../reading.ts";
import { images, probesLeft, processesOn, RESTARTED, restartedOn } from "../../restarting.ts";
import { type Moment, type Restarts, recordRestarts, remover } from "../../restarts.ts";

/** The function whose role sends commands to the machine. */
const restarter = "restart-node";
const sent = { service: "ssm", action: "SendCommand", principal: restarter };

const moments: readonly Moment[] = [
  { after: "the message was posted", service: "slack", action: "chat.postMessage", count: 1 },
  {
    after: "the pool was looked at for a slot",
    ...{ service: "dynamodb", action: "PutItem", principal: restarter, count: 1, writes: /"S":"slots"/ },
  },
  { after: "the node was cordoned", service: "kubernetes", action: "patch nodes", principal: remover, count: 1 },
  { after: "a pod that stays was made", service: "kubernetes", action: "create pods", principal: remover, count: 1 },
  { after: "the machine was asked before its restart", ...sent, count: 1 },
  { after: "the restart was sent", ...sent, count: 2 },
  { after: "the proof was asked", ...sent, count: 3 },
  { after: "the pod that stays was tried", service: "kubernetes", action: "create pods", principal: remover, count: 2 },
  {
    after: "the node was given back",
    ...{ service: "kubernetes", action: "patch nodes", principal: remover, count: 1 },
    since: "the pod that stays was tried",
  },
];

describe("a process that dies during a restart of services and is started again on its files", () => {
  let restarts: Restarts;
  let here: Journey | undefined;
  let before: Readonly<Record<string, number>>;

  beforeAll(async () => {
    const configuration = { approvals: { restart: { needs: 0 } }, probe: { images } };
    restarts = await recordRestarts({ seedNodes: true, configuration }, moments, async (first) => {
      before = processesOn(first);
      await first.type("operator", "/win restart ip-10-0-3-7");
      await settled(first, 120);
    });
  });
  afterEach(async () => {
    await here?.close();
    here = undefined;
  });
  afterAll(() => restarts.end());

  test.each(moments)("right after $after, restarts the services once and proves them", async ({ after }) => {
    here = await restarts.from(after);
    await settled(here, 200);
    expect((await newest(here)).operation).toMatchObject({ status: "succeeded" });
    expect(restartedOn(here, before)).toEqual(expect.arrayContaining(RESTARTED));
    expect([isCordoned(here), await heldBack(here), probesLeft(here)]).toEqual([false, [], []]);
    const [message, ...more] = openly(here);
    expect(more).toEqual([]);
    expect(message).toContain("✅ Restart services of ip-10-0-3-7");
    const told = inThreads(here);
    expect(new Set(told).size).toBe(told.length);
    const commands = here.simulator.simulation.store.collection<{ readonly documentName: string }>("ssm-commands");
    expect([...commands.values()].filter(({ documentName }) => documentName.includes("-apply-"))).toHaveLength(1);
  });
});

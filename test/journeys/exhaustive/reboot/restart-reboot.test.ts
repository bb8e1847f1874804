import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { web } from "../../others.ts";
import { inThreads, openly } from "../../reading.ts";
import { type Moment, type Restarts, recordRestarts, remover } from "../../restarts.ts";

/** The function whose role sends commands to the machine. */
const rebooter = "reboot-node";

const moments: readonly Moment[] = [
  { after: "the message was posted", service: "slack", action: "chat.postMessage", count: 1 },
  {
    after: "the pool was looked at for a slot",
    service: "dynamodb",
    action: "PutItem",
    principal: rebooter,
    count: 1,
    writes: /"S":"slots"/,
  },
  { after: "the guard was asked", service: "ssm", action: "SendCommand", principal: rebooter, count: 1 },
  { after: "the node was cordoned", service: "kubernetes", action: "patch nodes", principal: remover, count: 1 },
  {
    after: "the first pod was evicted",
    service: "kubernetes",
    action: "create pods/eviction",
    principal: remover,
    count: 1,
    since: "the node was cordoned",
  },
  {
    after: "the machine was asked before its reboot",
    service: "ssm",
    action: "SendCommand",
    principal: rebooter,
    count: 2,
  },
  { after: "the reboot was sent", service: "ssm", action: "SendCommand", principal: rebooter, count: 3 },
  {
    after: "the machine was asked after its reboot",
    service: "ssm",
    action: "SendCommand",
    principal: rebooter,
    count: 4,
  },
  { after: "the proof was asked", service: "ssm", action: "SendCommand", principal: rebooter, count: 5 },
  { after: "the proof was asked again", service: "ssm", action: "SendCommand", principal: rebooter, count: 6 },
  {
    after: "the node was given back",
    service: "kubernetes",
    action: "patch nodes",
    principal: remover,
    count: 1,
    since: "the proof was asked again",
  },
];

const approvals = { reboot: { needs: 0 } };
const bootIdOf = (here: Journey): string | undefined => nodeNamed(here, web.name)?.status?.nodeInfo?.bootID;

describe("a process that dies during a reboot and is started again on its files", () => {
  let restarts: Restarts;
  let here: Journey | undefined;
  let before: string | undefined;

  beforeAll(async () => {
    restarts = await recordRestarts({ seedNodes: true, configuration: { approvals } }, moments, async (first) => {
      before = bootIdOf(first);
      await first.type("operator", `/win reboot ip-10-0-3-7 --force ${web.name}`);
      await settled(first, 120);
    });
  });
  afterEach(async () => {
    await here?.close();
    here = undefined;
  });
  afterAll(() => restarts.end());

  test.each(moments)("right after $after, reboots the machine once and proves it", async ({ after }) => {
    here = await restarts.from(after);
    await settled(here, 200);
    const { operation } = await newest(here);
    expect(operation).toMatchObject({
      status: "succeeded",
      summary: expect.stringContaining("was rebooted and works"),
    });
    expect(bootIdOf(here)).not.toBe(before);
    expect(nodeNamed(here, web.name)?.spec?.unschedulable).not.toBe(true);
    expect(await heldBack(here)).toEqual([]);
    const [message, ...more] = openly(here);
    expect(more).toEqual([]);
    expect(message).toContain("✅ Reboot ip-10-0-3-7");
    const told = inThreads(here);
    expect(new Set(told).size).toBe(told.length);
    const sent = here.simulator.simulation.store.collection<{ readonly documentName: string }>("ssm-commands").values();
    expect([...sent].filter(({ documentName }) => documentName.includes("-reboot-")).length).toBe(1);
  });
});

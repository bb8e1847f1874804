import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkGuard, restore } from "../../../lambdas/capabilities/reboot/stages.ts";
import type { RebootTask } from "../../../lambdas/capabilities/reboot/task.ts";
import { guardFile } from "../../../lambdas/machine/machine-paths.ts";
import { cordonedNode, cordonRecord, lease, node, nodeTask } from "../../change/node/a-node.ts";
import { run, setUp, tearDown, tenMinutes, timeout } from "../../engine/durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

const guard = { present: true, sha256: "released", taskEnabled: true, lastResult: 0, paths: 1, error: "" };
const lost = { state: "failed", why: "the agent was restarted", code: "result-missing" } as const;

interface Scene {
  readonly isThroughEc2?: boolean;
  /** Minutes since the agent's last report. */
  readonly reportedBefore?: number;
  /** Sight of observe.ps1 beside a machine in order; null for a command that never ends, an error for lost results. */
  readonly seen?: object | null | typeof lost;
  readonly cancelledBy?: string | null;
}

/** Checks the guard before a reboot. @returns the failure, the notes, the observations and the minutes that it took */
async function checked({ isThroughEc2 = false, reportedBefore = 1, seen = {}, cancelledBy = null }: Scene) {
  const notes: unknown[] = [];
  let observations = 0;
  const begin = Date.now();
  const given = {
    health: {
      agent: async () => ({
        ...{ registered: true, online: true },
        lastPingAt: new Date(begin - reportedBefore * 60_000).toISOString(),
      }),
    },
    nodes: {
      read: async () => ({
        metadata: node,
        status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: new Date(begin - 3_600_000) }] },
      }),
    },
    ledger: {
      operation: async () => ({ cancelledBy, callbacks: {} }),
      nodes: async () => [{ index: 0, notes: [] }],
      changeNode: async (_id: string, _index: number, change: { notes?: string[] }) =>
        void (change.notes && notes.push(...change.notes)),
      awaitCommand: async () => undefined,
      awaitMachine: async () => undefined,
    },
    instances: { describe: async () => ({ ...lease, state: "running" }) },
    machine: {
      send: async () => {
        observations += 1;
        return `command-${observations}`;
      },
      sent: async () => null,
      cancelCommand: async () => undefined,
      commandState: async () => {
        if (seen === null) return { state: "running", status: "InProgress" };
        if (seen === lost) return lost;
        const clock = Math.floor(Date.now() / 1_000);
        return { state: "done", result: { ok: true, clock, guard, metadataAnswers: true, bootId: "1", ...seen } };
      },
    },
  };
  const ended = await run((ctx) => {
    const task = nodeTask(ctx, given, tenMinutes({ cancelledBy: async () => cancelledBy }));
    const files = [{ path: guardFile, sha256: "released" }];
    const runtime = { ...task.runtime, payload: { ...task.runtime.payload, files } };
    return checkGuard({ ...task, runtime, isThroughEc2, enteredAt: begin } as unknown as RebootTask);
  });
  const minutes = Math.round((Date.now() - begin) / 60_000);
  return { failure: ended.error?.message ?? null, notes, observations, minutes };
}

const UNCHECKED =
  "The guard of the metadata route could not be checked, because the machine takes no command. One that is installed runs at start-up.";
const NO_GUARD =
  "the guard of the metadata route is not installed as a scheduled task. Without a working guard the machine may lose its metadata route in the reboot, and no command would reach it again";
const OLD_GUARD =
  "the guard of the metadata route on the machine is not the one of this release. Without a working guard the machine may lose its metadata route in the reboot, and no command would reach it again";
const FULL =
  "the system drive of the machine has 0 MB free. The script on the machine would refuse the reboot after its pods were evicted";

describe("Before a reboot the guard", () => {
  test.each<readonly [string, Scene, string | null, readonly string[], number]>([
    ["in order lets it begin", {}, null, [], 1],
    ["that is missing ends it", { seen: { guard: { ...guard, present: false } } }, NO_GUARD, [], 1],
    ["of another release ends it", { seen: { guard: { ...guard, sha256: "older" } } }, OLD_GUARD, [], 1],
    ["in order on a full disk ends it, since the script would refuse", { seen: { freeBytes: 1 } }, FULL, [], 1],
    [
      "is not asked for on a machine whose agent is silent",
      { reportedBefore: 12 },
      "the machine's SSM agent does not answer, so that its guard cannot be checked",
      [],
      0,
    ],
    ["in order lets EC2 reboot", { isThroughEc2: true }, null, [], 1],
    [
      "that is missing ends a reboot of EC2 too",
      { isThroughEc2: true, seen: { guard: { ...guard, present: false } } },
      NO_GUARD,
      [],
      1,
    ],
    [
      "of another release ends a reboot of EC2 too",
      { isThroughEc2: true, seen: { guard: { ...guard, sha256: "older" } } },
      OLD_GUARD,
      [],
      1,
    ],
    ["in order on a full disk lets EC2 reboot", { isThroughEc2: true, seen: { freeBytes: 1 } }, null, [], 1],
    [
      "is not asked for where EC2 reboots a silent machine",
      { isThroughEc2: true, reportedBefore: 12 },
      null,
      [UNCHECKED],
      0,
    ],
  ])("%s", async (_which, scene, failure, notes, observations) => {
    expect(await checked(scene)).toMatchObject({ failure, notes, observations });
  });

  test("is unknown where the machine does not answer within four minutes, and EC2 reboots it", async () => {
    expect(await checked({ isThroughEc2: true, seen: null })).toMatchObject({
      failure: null,
      notes: [UNCHECKED],
      minutes: 6,
    });
  });

  test("is unknown where every result is lost, and EC2 reboots the machine", async () => {
    expect(await checked({ isThroughEc2: true, seen: lost })).toMatchObject({ failure: null, notes: [UNCHECKED] });
    expect(await checked({ seen: lost })).toMatchObject({ failure: expect.stringContaining("restarted"), notes: [] });
  });

  test("that its script cannot read is unknown too", async () => {
    const seen = { ok: false, error: "no WMI" };
    expect(await checked({ isThroughEc2: true, seen })).toMatchObject({ failure: null, notes: [UNCHECKED] });
    expect(await checked({ seen })).toMatchObject({ failure: "observe.ps1 failed on the machine: no WMI", notes: [] });
  });

  test("is not noted as unknown in an operation that a person cancels", async () => {
    const { failure, notes } = await checked({ isThroughEc2: true, seen: null, cancelledBy: "U0OLIVIA" });
    expect([failure, notes]).toEqual([expect.stringContaining("U0OLIVIA"), []]);
  });
});

describe("After a reboot the node", () => {
  /** Restores it. @returns how it is left */
  async function left(cordon: object | undefined, workflow: "reboot" | "restart" = "reboot", busy = 0) {
    let failures = busy;
    const given = cordonedNode(async () => {
      if (failures-- > 0) throw timeout();
      return cordon;
    });
    const ended = await run(async (ctx) => {
      const task = { ...nodeTask(ctx, given), workflow, left: null } as unknown as RebootTask;
      await restore(task);
      return task.left;
    });
    return ended.result;
  }

  test.each([
    [
      "that the operation cordoned is schedulable",
      cordonRecord,
      "reboot",
      "the node is schedulable again; evicted pods stay where they are now",
    ],
    ["that was restarted alone is schedulable", cordonRecord, "restart", "the node is schedulable again"],
    ["without a record stays cordoned", undefined, "reboot", "the node is cordoned, as it was before"],
    [
      "of an earlier unproven reboot is schedulable",
      { ...cordonRecord, unproven: { isQuarantined: false } },
      "reboot",
      "the node is schedulable again; evicted pods stay where they are now",
    ],
  ] as const)("%s", async (_which, cordon, workflow, words) => {
    expect(await left(cordon, workflow)).toBe(words);
  });

  test("that is quarantined stays out of service", async () => {
    expect(await left({ ...cordonRecord, operation: "reboot-0", unproven: { isQuarantined: true } })).toContain(
      "quarantine",
    );
  });

  test("is restored once the ledger answers", async () => {
    expect(await left(cordonRecord, "restart", 2)).toBe("the node is schedulable again");
  });
});

import { expect, test } from "vitest";
import { checkLiveness } from "../../../lambdas/change/operation/progress.ts";
import { CORDONED_BY } from "../../../lambdas/cluster/node-keys.ts";
import { Retryable } from "../../../lambdas/errors.ts";
import type { NodeRecord } from "../../../lambdas/records/records.ts";
import { answers, type Call, recorded } from "../../engine/recorded.ts";
import { nodeRecord } from "../../messages/records.ts";

const NOW = Date.parse("2026-11-21T14:30:00.000Z");
const minutesAgo = (count: number): string => new Date(NOW - count * 60_000).toISOString();

interface Scene {
  readonly node?: Partial<NodeRecord>;
  readonly ending?: string | null | Error;
  readonly last?: number;
  readonly cluster?: Error;
}

/** Looks once whether the node's execution lives. @returns the time of the look, and what was written */
async function looked({ node, ending = null, last = 0, cluster }: Scene) {
  const record = nodeRecord({ nodeName: "web-1", executionArn: "arn:node", ...node });
  const { steps, calls } = recorded(
    {
      ledger: { nodes: answers([record]), operation: answers(undefined) },
      executions: {
        ending: async () => {
          if (ending instanceof Error) throw ending;
          return ending;
        },
      },
      nodes: {
        read: async () => {
          if (cluster) throw cluster;
          return undefined;
        },
      },
      instances: { describe: answers(undefined) },
      cordons: { open: answers([]) },
      joinSecret: { remove: answers() },
      joinSlots: { giveBack: answers(false) },
      slots: { release: answers(false) },
      leases: { releaseOwned: answers(false) },
    },
    { ledger: { changeNode: answers() }, audit: { append: answers() } },
    NOW,
  );
  const at = await checkLiveness({ steps, operation: record.operation }, last);
  return { at, calls };
}

const failures = (calls: readonly Call[]) =>
  calls.flatMap(([verb, , , change]) => (verb === "ledger.changeNode" ? [(change as NodeRecord).failure] : []));

test.for<[string, Scene, string | null]>([
  ["runs", {}, null],
  [
    "is one that Lambda refuses to show",
    { ending: Object.assign(new Error(), { name: "AccessDeniedException" }) },
    null,
  ],
  ["has ended as STOPPED", { ending: "STOPPED" }, "the execution ended as STOPPED during this stage"],
  ["has ended, of a node that has ended too", { ending: "STOPPED", node: { status: "succeeded" } }, null],
  ["has not begun for 15 minutes", { node: { executionArn: null, startedAt: minutesAgo(15) } }, null],
  [
    "has not begun for 16 minutes",
    { node: { executionArn: null, startedAt: minutesAgo(16) } },
    "the execution never started",
  ],
  [
    "was never started, for a machine to be",
    { node: { status: "queued", executionArn: null, startedAt: minutesAgo(16) } },
    "the execution never started",
  ],
  [
    "comes later in a rollout of reboots",
    { node: { status: "queued", workflow: "reboot" as never, executionArn: null, startedAt: minutesAgo(16) } },
    null,
  ],
  [
    "comes later in a rollout of restarts",
    { node: { status: "queued", workflow: "restart" as never, executionArn: null, startedAt: minutesAgo(16) } },
    null,
  ],
  ["has ended, while the cluster is unavailable", { ending: "STOPPED", cluster: new Retryable("busy") }, null],
  [
    "has ended, and the cluster refuses to show the Node",
    { ending: "STOPPED", cluster: new Error("forbidden") },
    "the execution ended as STOPPED during this stage",
  ],
])("a node whose execution %s is closed, or is left", async ([, scene, why]) => {
  const { at, calls } = await looked(scene);
  expect(failures(calls)).toEqual(why === null ? [] : [expect.objectContaining({ why: expect.stringContaining(why) })]);
  expect(at).toBe(NOW);
});

test("executions are looked at once a minute", async () => {
  expect(await looked({ ending: "STOPPED", last: NOW - 59_999 })).toEqual({ at: NOW - 59_999, calls: [] });
  expect((await looked({ ending: "STOPPED", last: NOW - 60_000 })).at).toBe(NOW);
});

/** A cordoned node of a rollout, whose execution has ended in this stage. */
async function lostOf(stage: string, cluster?: Error) {
  const record = nodeRecord({ nodeName: "web-1", workflow: "reboot", stage: stage as never, executionArn: "arn:node" });
  const { operation, index, instanceId } = record;
  const adds = { taints: [], annotations: { [CORDONED_BY]: operation }, labels: {} };
  const cordon = { node: "web-1", uid: "uid-1", operation, index, instanceId, wasUnschedulable: false, adds, at: "" };
  const node = {
    metadata: { name: "web-1", uid: "uid-1", annotations: adds.annotations },
    spec: { unschedulable: true },
  };
  const { steps, calls } = recorded(
    {
      ledger: { nodes: answers([record]) },
      executions: { ending: answers("TIMED_OUT") },
      nodes: {
        read: async () => {
          if (cluster) throw cluster;
          return node;
        },
        announce: answers(),
      },
      instances: { describe: answers({ instanceId, state: "running" }) },
      cordons: {
        open: answers([cordon]),
        find: answers(cordon),
        plan: answers(true),
        settle: async (_record: object, outcome: string) => ({ outcome }),
      },
      joinSecret: { remove: answers() },
      joinSlots: { giveBack: answers(false) },
    },
    {
      nodes: { change: answers() },
      cordons: { keep: answers() },
      slots: { release: answers(true) },
      leases: { releaseOwned: answers(true) },
      ledger: { changeNode: answers() },
    },
    NOW,
  );
  await checkLiveness({ steps, operation }, 0);
  return { verbs: calls.map(([verb]) => verb), outcome: (calls.at(-1)?.[3] as NodeRecord | undefined)?.outcome };
}

const released = ["slots.release", "leases.releaseOwned", "ledger.changeNode"];

test("a lost node of a rollout keeps or loses its cordon before another operation can take its lease", async () => {
  const rebooted = await lostOf("prove");
  expect(rebooted.verbs).toEqual(["cordons.keep", ...released]);
  expect(rebooted.outcome).toContain("stays cordoned");
  const before = await lostOf("evict");
  expect(before.verbs).toEqual(["nodes.change", ...released]);
  expect(before.outcome).toContain("the node is schedulable again");
});

test("a lost node of a rollout keeps its lease while its cordon cannot be decided", async () => {
  expect((await lostOf("prove", new Retryable("busy"))).verbs).toEqual([]);
});

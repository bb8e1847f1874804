import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { type NodeTask, newNodeTask } from "../../../lambdas/change/node/task.ts";
import { CORDONED_BY } from "../../../lambdas/cluster/node-keys.ts";
import { tenMinutes, verbs } from "../../engine/durable-engine.ts";
import { configurationWith, manifest } from "../../profiles/okd/facts.ts";

/** A Node and the lease on its instance. */
export const node = { name: "ip-10-0-0-20", uid: "uid-1" };
export const lease = { instanceId: "i-0ab12cd34ef567890", owner: "remove-1:0", epoch: 1 };

const ledger = {
  operation: async () => ({ cancelledBy: null, callbacks: {} }),
  changeNode: async () => undefined,
  awaitCommand: async () => undefined,
};

/** A task on a node of ten minutes from now, which belongs to no workflow's own type. */
export function nodeTask(ctx: DurableContext, given: object, wait = tenMinutes()): NodeTask {
  const runtime = { version: "7", configuration: configurationWith(), payload: manifest() };
  const work = { workflow: "remove", operation: "remove-1", index: 0, eventReason: "CasementRemoving" } as const;
  const machines = { seen: { noteOrder: async () => undefined } };
  const steps = verbs({ ledger, machines, ...given });
  return { ...newNodeTask({ ctx, steps, runtime, ...work, needsMachine: false }, "evict"), wait, node, lease };
}

/** Annotations by which Casement holds the node. */
const heldBy = { [CORDONED_BY]: "remove-1" };

/** The record of its cordon. */
export const cordonRecord = {
  ...{ node: node.name, uid: node.uid, operation: "remove-1", index: 0, instanceId: lease.instanceId },
  ...{ adds: { taints: [], annotations: heldBy, labels: {} }, wasUnschedulable: false, at: "2026-11-21T14:00:00.000Z" },
};

/** Builds the services of a node that Casement has cordoned. @param find reads the record of the cordon */
export const cordonedNode = (find: () => Promise<object | undefined>) => ({
  cordons: {
    find,
    plan: async () => cordonRecord,
    settle: async (settled: object, outcome: string) => ({ ...settled, outcome }),
    close: async () => undefined,
  },
  nodes: {
    read: async () => ({ metadata: { ...node, annotations: heldBy }, spec: { unschedulable: true } }),
    change: async () => undefined,
    announce: async () => undefined,
  },
  instances: { describe: async () => undefined },
});

import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { type NodeTask, newNodeTask } from "../../../lambdas/change/node/task.ts";
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

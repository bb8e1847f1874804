import { afterAll, beforeAll, expect, it } from "vitest";
import type { EmptyingTask } from "../../lambdas/change/emptying/emptying-task.ts";
import { leaveNode } from "../../lambdas/change/node/leave.ts";
import { newNodeTask } from "../../lambdas/change/node/task.ts";
import { CORDONED_BY } from "../../lambdas/cluster/node-keys.ts";
import { StageFailed } from "../../lambdas/engine/durable.ts";
import { run, setUp, tearDown, verbs } from "../engine/durable-engine.ts";
import { configurationWith, manifest } from "../profiles/okd/facts.ts";
import { machine } from "./a-task.ts";

beforeAll(setUp);
afterAll(tearDown);

const { instanceId, privateDnsName: name } = machine;
const operation = "remove-1";
const annotations = { [CORDONED_BY]: operation };
const adds = { taints: [], annotations, labels: {} };
const at = "2026-11-21T14:00:00.000Z";
const record = { node: name, uid: "uid-1", instanceId, operation, index: 0, wasUnschedulable: false, adds, at };

/** Leaves a node whose removal has failed after its cordon. @returns the changes of the Node, and the state that is left */
async function rolledBack(describe: () => Promise<object | undefined>) {
  const done: string[] = [];
  const steps = verbs({
    cordons: {
      find: async () => record,
      plan: async () => record,
      settle: async (_record: object, outcome: string) => ({ ...record, outcome }),
      close: async () => undefined,
    },
    nodes: {
      read: async () => ({ metadata: { name, uid: "uid-1", annotations }, spec: { unschedulable: true } }),
      change: async () => void done.push("uncordon"),
      announce: async () => undefined,
    },
    instances: { describe },
  });
  const { result } = await run(async (ctx) => {
    const runtime = { version: "1", configuration: configurationWith(), payload: manifest() };
    const work = {
      workflow: "remove",
      operation,
      index: 0,
      eventReason: "CasementRemoving",
      needsMachine: false,
    } as const;
    const task = {
      ...newNodeTask({ ctx, steps, runtime, ...work }, "terminate"),
      lease: { instanceId, owner: `${operation}:0`, epoch: 1 },
      node: { name, uid: "uid-1" },
      isTouched: true,
      options: {},
    };
    return leaveNode(task as unknown as EmptyingTask, new StageFailed("unexpected", "EC2 did not answer"));
  });
  return [...done, result];
}

it("makes the node schedulable again while its instance runs, or while EC2 does not say", async () => {
  expect(await rolledBack(async () => machine)).toEqual(["uncordon", expect.stringContaining("is schedulable again")]);
  const away = async () => {
    throw Object.assign(new Error("An internal error has occurred"), { name: "InternalError" });
  };
  expect((await rolledBack(away))[0]).toBe("uncordon");
});

it("opens no node to pods whose instance EC2 is terminating all the same", async () => {
  const left = await rolledBack(async () => ({ ...machine, state: "shutting-down" }));
  expect(left).toEqual([expect.stringContaining("EC2 is terminating")]);
});

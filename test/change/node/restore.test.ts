import { afterAll, beforeAll, expect, test } from "vitest";
import { restoreNode } from "../../../lambdas/change/node/restore.ts";
import { CORDONED_BY } from "../../../lambdas/cluster/node-keys.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";
import { lease, node, nodeTask } from "./a-node.ts";

beforeAll(setUp);
afterAll(tearDown);

test("giving a node back is an entry of the audit, whichever workflow does it", async () => {
  const annotations = { [CORDONED_BY]: "remove-1" };
  const adds = { taints: [], annotations, labels: {} };
  const record = { ...{ node: node.name, uid: node.uid, operation: "remove-1", index: 0 }, adds };
  const entries: object[] = [];
  const given = {
    cordons: {
      find: async () => ({ ...record, instanceId: lease.instanceId, wasUnschedulable: false }),
      plan: async () => record,
      settle: async (_record: object, outcome: string) => ({ ...record, outcome }),
      close: async () => undefined,
    },
    nodes: {
      read: async () => ({ metadata: { ...node, annotations }, spec: { unschedulable: true } }),
      change: async () => undefined,
      announce: async () => undefined,
    },
    instances: { describe: async () => undefined },
    audit: { append: async (_chain: object, _mark: string, act: object) => void entries.push(act) },
  };
  const { result } = await run((ctx) => restoreNode(nodeTask(ctx, given)));
  expect(result).toContain("schedulable again");
  const detail = { change: "give back the cordon", outcome: "uncordoned" };
  expect(entries).toEqual([{ what: "changed", detail, node: { ...node, instanceId: lease.instanceId } }]);
});

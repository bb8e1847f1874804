import { afterAll, beforeAll, expect, test } from "vitest";
import { restoreNode } from "../../../lambdas/change/node/restore.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";
import { cordonedNode, cordonRecord, lease, node, nodeTask } from "./a-node.ts";

beforeAll(setUp);
afterAll(tearDown);

test("giving a node back is an entry of the audit, whichever workflow does it", async () => {
  const entries: object[] = [];
  const given = {
    ...cordonedNode(async () => cordonRecord),
    audit: { append: async (_chain: object, _mark: string, act: object) => void entries.push(act) },
  };
  const { result } = await run((ctx) => restoreNode(nodeTask(ctx, given)));
  expect(result).toContain("schedulable again");
  const detail = { change: "give back the cordon", outcome: "uncordoned" };
  expect(entries).toEqual([{ what: "changed", detail, node: { ...node, instanceId: lease.instanceId } }]);
});

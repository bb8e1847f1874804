import { expect, test } from "vitest";
import { actorOf, auditedNode, endedAct, nodeEndedAct, requestedAct } from "../../lambdas/audit/acts.ts";
import { nodeRecord, operationRecord } from "../messages/records.ts";

const SECRET = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln";

test("A request has its person or its rule, and all its options", () => {
  const { asker, request } = operationRecord();
  expect(requestedAct({ asker, request })).toEqual({
    ...{ what: "requested", by: { person: "U0OPERATOR", name: "olivia" } },
    detail: { command: "add", pool: "web", count: 2, dryRun: false },
  });
  expect(actorOf({ origin: { by: "rule", rule: "probe" } })).toEqual({ rule: "probe" });
});

test("A node has what is known of it", () => {
  expect(auditedNode({ nodeName: null, instanceId: null })).toEqual({});
  expect(auditedNode({ nodeName: "win-1", instanceId: "i-1" })).toEqual({ name: "win-1", instanceId: "i-1" });
});

test("The end of an operation has its words without secrets, and the heads of its nodes' chains", () => {
  const head = { sequence: 4, hash: "ab" };
  const nodes = [nodeRecord({ index: 0 }), nodeRecord({ index: 1, audit: { ...head, more: 1 } as never })];
  const ended = { id: "add-1", status: "failed", summary: `the token ${SECRET} was refused` } as const;
  expect(endedAct(ended, [])).toEqual({
    ...{ what: "ended", detail: { status: "failed", summary: expect.stringMatching(/^the token \S+ was refused$/) } },
  });
  expect(JSON.stringify(endedAct(ended, []))).not.toContain(SECRET);
  expect(endedAct(ended, nodes).detail).toMatchObject({ chains: { "add-1:1": head } });
  expect(Object.keys(Object(endedAct(ended, nodes).detail?.chains))).toEqual(["add-1:1"]);
});

test("The end of a node has its failure and its outcome where there are some", () => {
  const node = { status: "succeeded", nodeName: "win-1", instanceId: null, failure: null, outcome: null } as const;
  expect(nodeEndedAct(node as never)).toEqual({
    what: "ended",
    node: { name: "win-1" },
    detail: { status: "succeeded" },
  });
  const failure = { stage: "features", why: `not with ${SECRET}`, left: "" } as const;
  const failed = nodeEndedAct({ ...node, status: "failed", failure, outcome: "machine terminated" } as never);
  expect(failed.detail).toEqual({
    ...{ status: "failed", stage: "features", outcome: "machine terminated" },
    why: expect.not.stringContaining(SECRET),
  });
});

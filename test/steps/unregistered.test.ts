import { expect, it } from "vitest";
import type { Machine } from "../../lambdas/steps/ec2/instances.ts";
import { describeUnregistered, withoutNode } from "../../lambdas/steps/unregistered.ts";
import { decidingRecord, NOW, nodeRecord } from "../messages/records.ts";

const machine = (instanceId: string, fields: Partial<Machine> = {}): Machine => ({
  instanceId,
  state: "running",
  privateIp: "10.0.3.7",
  privateDnsName: "ip-10-0-3-7",
  zone: "us-west-2a",
  launchedAt: "2026-11-21T13:00:00.000Z",
  tags: {
    "casement:launched": "true",
    "casement:cluster": "prod-west",
    "casement:pool": "web",
    "casement:operation": "add-3f9c2a71",
  },
  ...fields,
});

it("counts as no node what Casement launched for this cluster, lives, and has no Node", () => {
  const nodes = [{ spec: { providerID: "aws:///us-west-2a/i-0000000000000000a" } }];
  const machines = [
    machine("i-0000000000000000a"),
    machine("i-0000000000000000b"),
    machine("i-0000000000000000c", { state: "shutting-down" }),
    machine("i-0000000000000000d", { tags: { "casement:cluster": "prod-west" } }),
    machine("i-0000000000000000e", { tags: { "casement:launched": "true", "casement:cluster": "other" } }),
  ];
  expect(withoutNode(machines, nodes, "prod-west").map(({ instanceId }) => instanceId)).toEqual([
    "i-0000000000000000b",
  ]);
});

it.each([
  ["provisioning", nodeRecord()],
  ["deciding", decidingRecord()],
  ["kept", decidingRecord({ status: "failed", endedAt: NOW, keptAt: NOW })],
  ["left", nodeRecord({ status: "failed", endedAt: NOW })],
  ["left", undefined],
] as const)("is %s by the ledger's record", (state, record) => {
  expect(describeUnregistered(machine("i-0000000000000000b"), record)).toMatchObject({
    state,
    pool: "web",
    operation: "add-3f9c2a71",
  });
});

import { expect, test } from "vitest";
import { namedNodes, nodesOfPool } from "../../../lambdas/change/node/find-node.ts";
import type { Node } from "../../../lambdas/steps/cluster/nodes.ts";
import type { Machine } from "../../../lambdas/steps/ec2/instances.ts";
import { TAG } from "../../../lambdas/tags.ts";

const idOf = (at: number) => `i-${String(at).padStart(17, "0")}`;

const nodeOf = (at: number, os = "windows"): Node => ({
  metadata: { name: `node-${at}`, labels: { "kubernetes.io/os": os, "casement.dev/pool": "web" } },
  spec: { providerID: `aws:///us-west-2a/${idOf(at)}` },
});

const machineOf = (at: number, pool: string) =>
  [idOf(at), { instanceId: idOf(at), tags: { [TAG.pool]: pool } } as Partial<Machine> as Machine] as const;

const nodes = [nodeOf(1), nodeOf(2), nodeOf(3, "linux")];
const machines = new Map([machineOf(1, "web"), machineOf(2, "batch"), machineOf(3, "web")]);
const namesOf = (found: readonly Node[]) => found.map(({ metadata }) => metadata?.name);

test("a pool's nodes are the Windows nodes whose machines have its tag, whatever their labels say", () => {
  expect(namesOf(nodesOfPool("web", nodes, machines))).toEqual(["node-1"]);
  expect(namesOf(nodesOfPool("batch", nodes, machines))).toEqual(["node-2"]);
});

test("a pool without Windows nodes is a mistake of the requester", () => {
  expect(() => nodesOfPool("api", nodes, machines)).toThrow(/Pool `api` has no Windows nodes/);
});

test("a node that is named twice is found once", () => {
  expect(namesOf(namedNodes(["node-1", idOf(1), "node-2"], nodes))).toEqual(["node-1", "node-2"]);
});

import { expect, test } from "vitest";
import { managedWindowsNodes, nodesWithout } from "../../../lambdas/change/inputs/managed.ts";
import type { InputFile, MachineInputs, SentInput } from "../../../lambdas/records/machine-record.ts";
import type { Node } from "../../../lambdas/steps/cluster/nodes.ts";
import { TAG } from "../../../lambdas/tags.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

const configuration = configurationWith();

const ids = { ours: "i-0aaa", claimed: "i-0bbb", grouped: "i-0ccc", foreign: "i-0ddd" } as const;
type Name = keyof typeof ids;

const nodeOf = (name: Name, pool?: string): Node =>
  ({
    metadata: {
      ...{ name, uid: name },
      labels: { "kubernetes.io/os": "windows", ...(pool ? { "casement.dev/pool": pool } : {}) },
    },
    spec: { providerID: `aws:///us-west-2a/${ids[name]}` },
  }) as Node;

const nodes = [nodeOf("ours", "web"), nodeOf("claimed", "web"), nodeOf("grouped", "web"), nodeOf("foreign")];

const machineOf = (name: Name, tags: object = {}) => ({
  instanceId: ids[name],
  privateDnsName: name,
  tags: { [TAG.launched]: "true", [TAG.cluster]: configuration.cluster.name, ...tags },
});

const claim = { machine: ids.claimed, kind: "machine-set", owner: "windows" };
const claims = async (): Promise<unknown> => [claim];

async function managed(ofCluster: () => Promise<unknown>, allClaims = claims) {
  const given = { nodes: { all: async () => nodes }, instances: { ofCluster }, claims: { all: allClaims } };
  return (await managedWindowsNodes(verbs(given), configuration)).map(({ metadata }) => metadata?.name);
}

test("A node gets the cluster's inputs if Casement provisioned it and nobody else owns its machine", async () => {
  const grouped = machineOf("grouped", { "aws:autoscaling:groupName": "windows" });
  const machines = [machineOf("ours"), machineOf("claimed"), grouped, machineOf("foreign")];
  expect(await managed(async () => machines)).toEqual(["ours"]);
});

test("While EC2 is unreachable, every node that Casement provisioned gets them, and no claim is read", async () => {
  const unreachable = async () => {
    throw new Error("no answer");
  };
  expect(await managed(unreachable, unreachable)).toEqual(["ours", "claimed", "grouped"]);
});

test("A node lacks a file until its record has it with this content, confirmed", () => {
  const file: InputFile = { path: "C:\\k\\hosts.toml", sha256: "new" };
  const sent = (files: readonly InputFile[], more: Partial<SentInput> = {}) => ({
    mirrors: { sha256: "all", files, owner: "x:0", at: "", ...more },
  });
  const given = new Map<string, MachineInputs>([
    [ids.ours, sent([{ ...file, path: "C:\\k\\ca.crt" }, file])],
    [ids.claimed, sent([file], { unconfirmed: { before: null, sent: [] } })],
    [ids.grouped, sent([{ ...file, sha256: "old" }])],
  ]);
  expect(nodesWithout(nodes, given, "mirrors", file)).toEqual(["claimed", "grouped", "foreign"]);
});

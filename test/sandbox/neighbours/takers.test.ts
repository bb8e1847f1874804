import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../../../lib/sandbox/kubernetes/model/object.ts";
import type { Node } from "../../../lib/sandbox/kubernetes/model/shapes.ts";
import { kured } from "../../../lib/sandbox/neighbours/kured.ts";
import { machineHealthCheck } from "../../../lib/sandbox/neighbours/machine-health-check.ts";
import type { Neighbour } from "../../../lib/sandbox/neighbours/neighbour.ts";
import { clusterAutoscaler, karpenter } from "../../../lib/sandbox/neighbours/node-autoscalers.ts";
import { uncordons } from "../../../lib/sandbox/neighbours/uncordons.ts";
import { linuxNode, type StillCluster, stillCluster } from "../kubernetes/cluster.ts";

let cluster: StillCluster;
let terminated: string[];
beforeEach(async () => {
  cluster = await stillCluster(undefined, undefined, ["linux-kubelets", "cloud-nodes"]);
  terminated = [];
});
afterEach(() => cluster.stop());

const ec2 = {
  service: {
    answer: async (_action: string, { body }: { body: Uint8Array }) => {
      terminated.push(new URLSearchParams(Buffer.from(body).toString()).get("InstanceId.1") ?? "");
    },
  },
};
const start = ({ start: begin }: Neighbour): void =>
  begin({ kubernetes: cluster.api, ec2: ec2 as never, scaling: undefined as never });
const nodeOf = (name: string) => cluster.api.objects("nodes").find(({ metadata }) => metadata.name === name) as Node;
const windows = (name: string): KubeObject => {
  const node = linuxNode(name, { "kubernetes.io/os": "windows" });
  return cluster.api.create({ ...node, spec: { providerID: "aws:///us-west-2a/i-0abc" } });
};
const MERGE = { "content-type": "application/merge-patch+json" };
const taintKeys = (name: string) => (nodeOf(name).spec.taints ?? []).map(({ key }) => key);

describe("a MachineHealthCheck", () => {
  test("names its Machine on the node, and deletes Machine and instance five minutes after the node was lost", async () => {
    windows("win-a");
    const metadata = { name: "winworker-1", namespace: "openshift-machine-api" };
    const spec = { providerID: "aws:///us-west-2a/i-0abc" };
    cluster.api.create({ apiVersion: "machine.openshift.io/v1beta1", kind: "Machine", metadata, spec } as never);
    start(machineHealthCheck);
    await cluster.pass(1);
    expect(nodeOf("win-a").metadata.annotations?.["machine.openshift.io/machine"]).toBe(
      "openshift-machine-api/winworker-1",
    );
    expect(cluster.api.objects("machinehealthchecks", "machine.openshift.io")).toHaveLength(1);
    await cluster.pass(345);
    expect(terminated).toEqual([]);
    await cluster.pass(20);
    expect(terminated).toEqual(["i-0abc"]);
    expect(cluster.api.objects("machines", "machine.openshift.io")).toEqual([]);
  });

  test("leaves a node without a Machine alone", async () => {
    windows("win-a");
    start(machineHealthCheck);
    await cluster.pass(600);
    expect(terminated).toEqual([]);
  });
});

test.each([
  [karpenter, "karpenter.sh/disrupted"],
  [clusterAutoscaler, "ToBeDeletedByClusterAutoscaler"],
])("$name marks the first Windows node, once", async (neighbour, key) => {
  windows("win-b");
  windows("win-a");
  start(neighbour);
  start(neighbour);
  expect(taintKeys("win-a")).toEqual([key]);
  expect(taintKeys("win-b")).toEqual([]);
});

test("kured cordons the first Linux worker, leaves its marks, and takes the cordon back after five minutes", async () => {
  cluster.api.create(linuxNode("lin-a"));
  windows("win-a");
  start(kured);
  await cluster.pass(10);
  expect(nodeOf("lin-a").spec.unschedulable).toBe(true);
  expect(Object.keys(nodeOf("lin-a").metadata.annotations ?? {})).toContain("weave.works/kured-reboot-in-progress");
  const [daemonSet] = cluster.api.objects("daemonsets", "apps");
  expect(daemonSet?.metadata.annotations?.["weave.works/kured-node-lock"]).toContain('"nodeID":"lin-a"');
  expect(nodeOf("win-a").spec.unschedulable).toBeUndefined();
  await cluster.pass(300);
  expect(nodeOf("lin-a").spec.unschedulable).toBeUndefined();
  expect(Object.keys(nodeOf("lin-a").metadata.annotations ?? {})).toContain(
    "weave.works/kured-most-recent-reboot-needed",
  );
  await cluster.pass(600);
  expect(nodeOf("lin-a").spec.unschedulable).toBeUndefined();
});

test("A person uncordons a Windows node a minute after its cordon", async () => {
  windows("win-a");
  start(uncordons);
  await cluster.admin("PATCH /api/v1/nodes/win-a", { spec: { unschedulable: true } }, MERGE);
  await cluster.pass(50);
  expect(nodeOf("win-a").spec.unschedulable).toBe(true);
  await cluster.pass(15);
  expect(nodeOf("win-a").spec.unschedulable).toBeUndefined();
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { InstanceFacts } from "../../../lib/sandbox/core/ports.ts";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import type { Condition, Node, Pod, Taint } from "../../../lib/sandbox/kubernetes/model/shapes.ts";
import { budget, deployment, linuxNode, type StillCluster, stillCluster } from "./cluster.ts";

let cluster: StillCluster;

const WIN = "ip-10-0-0-50.us-west-2.compute.internal";
const MERGE = { "content-type": "application/merge-patch+json" };
const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

const instance = (more: Partial<InstanceFacts> = {}): InstanceFacts => ({
  instanceId: "i-0abc",
  state: "running",
  imageId: "ami-1",
  platform: "windows",
  build: "10.0.20348",
  instanceType: "m5.large",
  zone: "us-west-2a",
  privateIp: "10.0.0.50",
  privateDnsName: WIN,
  mac: "02:00:00:00:00:01",
  gateway: "10.0.0.1",
  subnetCidr: "10.0.0.0/24",
  instanceProfileArn: null,
  tags: {},
  ...more,
});

const kubelet = () => cluster.as(`system:node:${WIN}`, ["system:nodes"]);

/** Registers a node as a Windows kubelet with an external cloud provider does. */
const register = async (ready: Condition["status"]): Promise<void> => {
  await kubelet()("POST /api/v1/nodes", {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: WIN, labels: { "kubernetes.io/os": "windows", "kubernetes.io/hostname": WIN } },
    spec: { taints: [{ key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" }] },
    status: {
      conditions: [
        { type: "Ready", status: ready, lastHeartbeatTime: new Date(cluster.simulation.clock.now()).toISOString() },
      ],
    },
  });
};

/** Renews a lease every ten seconds for some time, as a kubelet does. */
const live = async (seconds: number): Promise<void> => {
  for (let lived = 0; lived < seconds; lived += 10) {
    const renewTime = new Date(cluster.simulation.clock.now()).toISOString();
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: WIN }, spec: { renewTime } };
    const { status } = await kubelet()(`PATCH ${leases}/${WIN}`, { spec: { renewTime } }, MERGE);
    if (status === 404) await kubelet()(`POST ${leases}`, lease);
    await cluster.pass(Math.min(10, seconds - lived));
  }
};

const node = (name = WIN) =>
  cluster.api.objects("nodes").find(({ metadata }) => metadata.name === name) as Node | undefined;
const ready = () => node()?.status?.conditions?.find(({ type }) => type === "Ready");
const taintKeys = (name = WIN) =>
  (node(name)?.spec.taints ?? []).map(({ key, effect }: Taint) => `${key.split("/").at(-1)}:${effect}`);
const pods = () => cluster.api.objects("pods") as Pod[];
const pod = (name: string, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: { containers: [{ name: "main", image: "pause" }], ...spec },
});

beforeEach(async () => {
  cluster = await stillCluster();
});
afterEach(() => cluster.stop());

describe("a Windows node that joins", () => {
  test("shows the addresses that its subnet gave it", async () => {
    const publicDnsName = "ec2-198-18-0-50.us-west-2.compute.amazonaws.com";
    cluster.instances.set("i-0abc", instance({ publicIp: "198.18.0.50", publicDnsName }));
    await register("False");
    await cluster.pass(5);
    expect(node()?.status?.addresses?.map(({ type, address }) => `${type} ${address}`)).toEqual([
      "InternalIP 10.0.0.50",
      "ExternalIP 198.18.0.50",
      `InternalDNS ${WIN}`,
      `Hostname ${WIN}`,
      `ExternalDNS ${publicDnsName}`,
    ]);
  });

  test("gets its identity from the cloud and a subnet from the network", async () => {
    cluster.instances.set("i-0abc", instance());
    await register("False");
    await live(10);
    expect(node()?.spec.providerID).toBe("aws:///us-west-2a/i-0abc");
    expect(node()?.metadata.labels).toMatchObject({
      "node.kubernetes.io/instance-type": "m5.large",
      "topology.kubernetes.io/region": "us-west-2",
      "topology.kubernetes.io/zone": "us-west-2a",
      "topology.k8s.aws/zone-id": "usw2-az1",
      "failure-domain.beta.kubernetes.io/zone": "us-west-2a",
      "beta.kubernetes.io/os": "windows",
    });
    expect(node()?.metadata.annotations).toMatchObject({ "node.alpha.kubernetes.io/ttl": "0" });
    expect(node()?.status?.addresses).toContainEqual({ type: "InternalIP", address: "10.0.0.50" });
    expect(node()?.metadata.annotations?.["k8s.ovn.org/hybrid-overlay-node-subnet"]).toBe("10.132.0.0/23");
    expect(taintKeys()).toEqual(["not-ready:NoSchedule", "not-ready:NoExecute"]);
  });

  test("stays uninitialised while the cloud has no such instance", async () => {
    await register("True");
    await live(60);
    expect(taintKeys()).toContain("uninitialized:NoSchedule");
    expect(node()?.spec.providerID).toBeUndefined();
    cluster.instances.set("i-0abc", instance());
    await live(10);
    expect(node()?.spec.providerID).toBe("aws:///us-west-2a/i-0abc");
  });

  test("gets its own subnet, which is free again when the node is gone", async () => {
    cluster.api.create({
      ...linuxNode("other"),
      metadata: { name: "other", labels: { "kubernetes.io/os": "windows" } } as never,
    });
    await cluster.pass(3);
    await register("True");
    await live(10);
    const subnet = () => node()?.metadata.annotations?.["k8s.ovn.org/hybrid-overlay-node-subnet"];
    expect(subnet()).toBe("10.132.2.0/23");
  });
});

describe("a node that falls silent", () => {
  test("is Ready for fifty seconds and up to five more, then Unknown and tainted", async () => {
    await register("True");
    await live(30);
    await cluster.pass(19);
    expect(ready()?.status).toBe("True");
    await cluster.pass(27);
    expect(ready()).toMatchObject({
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    });
    expect(taintKeys()).toEqual(expect.arrayContaining(["unreachable:NoSchedule", "unreachable:NoExecute"]));
  });

  test("keeps its pods for five minutes, not ready, and then loses them", async () => {
    cluster.instances.set("i-0abc", instance());
    await register("True");
    await live(10);
    cluster.api.create(pod("app", { nodeSelector: { "kubernetes.io/os": "windows" } }) as never);
    await live(40);
    expect(pods()[0]?.status?.phase).toBe("Running");
    await cluster.pass(60);
    expect(pods()[0]?.status?.conditions?.find(({ type }) => type === "Ready")?.status).toBe("False");
    await cluster.pass(270);
    expect(pods()[0]?.metadata.deletionTimestamp).toBeUndefined();
    await cluster.pass(60);
    expect(pods()[0]?.metadata.deletionTimestamp).toBeDefined();
    await cluster.pass(600);
    expect(pods()).toHaveLength(1);
    await kubelet()(
      `PATCH /api/v1/nodes/${WIN}/status`,
      { status: { conditions: [{ type: "Ready", status: "True" }] } },
      MERGE,
    );
    await live(20);
    expect(pods()).toEqual([]);
  });

  test("is deleted once its instance is terminated, and its pods with it", async () => {
    cluster.instances.set("i-0abc", instance());
    await register("True");
    await live(10);
    cluster.api.create(pod("app", { nodeName: WIN }) as never);
    cluster.instances.set("i-0abc", instance({ state: "terminated" }));
    await live(20);
    expect(node()).toBeDefined();
    await cluster.pass(70);
    expect(node()).toBeUndefined();
    await cluster.pass(60);
    expect(pods()).toEqual([]);
  });

  test("is marked when its instance only stopped", async () => {
    cluster.instances.set("i-0abc", instance());
    await register("True");
    await live(10);
    cluster.instances.set("i-0abc", instance({ state: "stopped" }));
    await cluster.pass(80);
    expect(taintKeys()).toContain("shutdown:NoSchedule");
  });
});

describe("scheduling", () => {
  const where = () => Object.fromEntries(pods().map(({ metadata, spec }) => [metadata.name, spec.nodeName]));

  test("respects selectors, taints and cordons, and reports why no node fits", async () => {
    cluster.api.create(linuxNode("a"));
    cluster.api.create({
      ...linuxNode("b"),
      spec: { taints: [{ key: "os", value: "Windows", effect: "NoSchedule" }] },
    });
    cluster.api.create({ ...linuxNode("c"), spec: { unschedulable: true } });
    cluster.api.create(pod("plain") as never);
    cluster.api.create(
      pod("tolerant", {
        nodeSelector: { "kubernetes.io/hostname": "b" },
        tolerations: [{ key: "os", operator: "Exists" }],
      }) as never,
    );
    cluster.api.create(pod("lost", { nodeSelector: { "kubernetes.io/os": "windows" } }) as never);
    await cluster.pass(10);
    expect(where()).toEqual({ plain: "a", tolerant: "b", lost: undefined });
    const condition = pods().find(({ metadata }) => metadata.name === "lost")?.status?.conditions?.[0];
    expect(condition).toMatchObject({ type: "PodScheduled", status: "False", reason: "Unschedulable" });
    expect(condition?.message).toMatch(/^0\/3 nodes are available: .*1 node\(s\) were unschedulable/);
  });

  test("binds waiting pods when a node becomes free", async () => {
    cluster.api.create({ ...linuxNode("a"), spec: { unschedulable: true } });
    cluster.api.create(pod("waiting") as never);
    await cluster.pass(5);
    expect(where()).toEqual({ waiting: undefined });
    await cluster.admin("PATCH /api/v1/nodes/a", { spec: { unschedulable: false } }, MERGE);
    await cluster.pass(5);
    expect(where()).toEqual({ waiting: "a" });
  });

  test("keeps daemons on a cordoned node and evicts only pods that do not tolerate NoExecute", async () => {
    const { replicas: _replicas, ...spec } = deployment("agent", 1).spec as Record<string, unknown>;
    cluster.api.create({ ...deployment("agent", 1), kind: "DaemonSet", spec });
    cluster.api.create(linuxNode("a"));
    cluster.api.create(pod("app") as never);
    await cluster.pass(10);
    await cluster.admin(
      "PATCH /api/v1/nodes/a",
      { spec: { unschedulable: true, taints: [{ key: "x", effect: "NoSchedule" }] } },
      MERGE,
    );
    await cluster.pass(10);
    expect(pods().map(({ metadata }) => metadata.labels?.app ?? metadata.name)).toEqual(
      expect.arrayContaining(["agent", "app"]),
    );
    await cluster.admin("PATCH /api/v1/nodes/a", { spec: { taints: [{ key: "x", effect: "NoExecute" }] } }, MERGE);
    await cluster.pass(10);
    expect(pods()).toEqual([]);
  });

  test("replaces a StatefulSet's pods under their names, one after the other", async () => {
    cluster.api.create(linuxNode("a"));
    cluster.api.create({ ...deployment("db", 2), kind: "StatefulSet" });
    await cluster.pass(2);
    expect(pods().map(({ metadata }) => metadata.name)).toEqual(["db-0"]);
    await cluster.pass(10);
    const uid = pods()[0]?.metadata.uid;
    await cluster.admin("DELETE /api/v1/namespaces/default/pods/db-0");
    await cluster.pass(10);
    expect(pods().map(({ metadata }) => metadata.name)).toEqual(["db-0", "db-1"]);
    expect(pods()[0]?.metadata.uid).not.toBe(uid);
  });
});

test("A Deployment that is deleted in the foreground waits for the pods of its ReplicaSets", async () => {
  cluster.api.create(linuxNode("a"));
  cluster.api.create(deployment("web", 1));
  await cluster.pass(10);
  const [web] = pods();
  const hold = (finalizers: string[]) =>
    cluster.admin(`PATCH /api/v1/namespaces/default/pods/${web?.metadata.name}`, { metadata: { finalizers } }, MERGE);
  await hold(["example.com/hold"]);
  await cluster.admin("DELETE /apis/apps/v1/namespaces/default/deployments/web?propagationPolicy=Foreground");
  const left = () =>
    [...cluster.api.objects("deployments", "apps"), ...cluster.api.objects("replicasets", "apps"), ...pods()].map(
      ({ kind }) => kind,
    );
  await cluster.pass(60);
  expect(left()).toEqual(["Deployment", "ReplicaSet", "Pod"]);
  await hold([]);
  await cluster.pass(10);
  expect(left()).toEqual([]);
});

describe("after a restart", () => {
  test("resumes: starts, ends, signs and deletes what is due", async () => {
    const store = openStore(":memory:");
    await cluster.stop();
    cluster = await stillCluster(store);
    cluster.api.create(linuxNode("a"));
    cluster.api.create(deployment("web", 2));
    cluster.api.create(pod("leaving") as never);
    await register("True");
    await cluster.pass(6);
    await cluster.admin("DELETE /api/v1/namespaces/default/pods/leaving");
    await cluster.admin("DELETE /api/v1/namespaces/default/pods/leaving");
    const [token, before] = [
      cluster.api.issueToken({ name: "admin", groups: ["system:masters"] }, null),
      cluster.api.authorityPem,
    ];
    await cluster.stop();

    cluster = await stillCluster(store, cluster.simulation.clock.now());
    expect(cluster.api.authorityPem).toBe(before);
    const request = {
      method: "GET",
      url: "/api/v1/nodes",
      headers: { authorization: `Bearer ${token}` },
      body: new Uint8Array(),
    };
    expect((await cluster.api.answer(request)).status).toBe(200);
    await cluster.pass(60);
    expect(pods().map(({ metadata, status }) => [metadata.labels?.app, status?.phase])).toEqual([
      ["web", "Running"],
      ["web", "Running"],
    ]);
    expect(ready()?.status).toBe("Unknown");
  });

  test("repeats itself from the same seed", async () => {
    const story = async () => {
      const one = await stillCluster();
      one.api.create(linuxNode("a"));
      one.api.create(deployment("web", 3));
      await one.pass(20);
      await one.stop();
      return [...one.api.objects("pods"), ...one.api.objects("events")];
    };
    expect(await story()).toEqual(await story());
  });
});

test("a controller that is switched off does nothing, and the others do their work", async () => {
  await cluster.stop();
  cluster = await stillCluster(undefined, undefined, ["scheduler"]);
  cluster.api.create(linuxNode("one"));
  await cluster.admin("POST /apis/apps/v1/namespaces/default/deployments", deployment("web", 1));
  await cluster.pass(60);
  const pods = cluster.api.objects("pods") as unknown as Pod[];
  expect(pods.map(({ spec, status }) => [spec.nodeName, status?.phase])).toEqual([[undefined, "Pending"]]);
});

test("the disruption controller writes 30 statuses at once, and then 20 a second as its client is limited to", async () => {
  for (let index = 0; index < 80; index += 1) cluster.api.create(budget(`app-${index}`, { maxUnavailable: 1 }));
  const written = () =>
    cluster.api
      .objects("poddisruptionbudgets", "policy")
      .filter(({ status }) => (status as { observedGeneration?: number }).observedGeneration !== undefined).length;
  await cluster.pass(0.1);
  expect(written()).toBeLessThanOrEqual(32);
  await cluster.pass(1);
  expect(written()).toBeGreaterThanOrEqual(48);
  expect(written()).toBeLessThanOrEqual(53);
  await cluster.pass(2);
  expect(written()).toBe(80);
});

describe("a Linux node", () => {
  const INSTANCE = "i-0def";
  const linux = (): void => {
    cluster.instances.set(INSTANCE, instance({ instanceId: INSTANCE, platform: "linux", build: null }));
    const seeded = linuxNode("lin");
    cluster.api.create({ ...seeded, spec: { providerID: `aws:///us-west-2a/${INSTANCE}` } });
  };
  const readyOf = () => node("lin")?.status?.conditions?.find(({ type }) => type === "Ready");

  test("renews its lease and reports its status, so that it stays Ready", async () => {
    linux();
    await cluster.pass(3_600);
    expect(readyOf()?.status).toBe("True");
    expect(taintKeys("lin")).toEqual([]);
    const now = cluster.simulation.clock.now();
    const lease = (await cluster.admin(`GET ${leases}/lin`)).body;
    expect(now - Date.parse(lease.spec.renewTime)).toBeLessThan(40_000);
    expect(now - Date.parse(readyOf()?.lastHeartbeatTime ?? "")).toBeLessThanOrEqual(320_000);
  });

  test("is lost when its instance stops, like any other, and comes back with it", async () => {
    linux();
    await cluster.pass(60);
    cluster.instances.set(
      INSTANCE,
      instance({ instanceId: INSTANCE, platform: "linux", build: null, state: "stopped" }),
    );
    await cluster.pass(90);
    expect(readyOf()?.status).toBe("Unknown");
    expect(taintKeys("lin")).toContain("unreachable:NoExecute");
    cluster.instances.set(INSTANCE, instance({ instanceId: INSTANCE, platform: "linux", build: null }));
    await cluster.pass(60);
    expect(readyOf()?.status).toBe("True");
    expect(taintKeys("lin")).toEqual([]);
  });
});

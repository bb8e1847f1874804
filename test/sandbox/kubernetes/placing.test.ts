import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  conditionOf,
  type Node,
  type Pod,
  type VolumeAttachment,
} from "../../../lib/sandbox/kubernetes/model/shapes.ts";
import { deployment, linuxNode, type StillCluster, stillCluster } from "./cluster.ts";

let cluster: StillCluster;
beforeEach(async () => {
  cluster = await stillCluster();
});
afterEach(() => cluster.stop());

const MERGE = { "content-type": "application/merge-patch+json" };
const ZONE = "topology.kubernetes.io/zone";
const podOf = (name: string) => cluster.api.objects("pods").find(({ metadata }) => metadata.name === name) as Pod;
const nodeOf = (name: string) => cluster.api.objects("nodes").find(({ metadata }) => metadata.name === name) as Node;
const why = (name: string) => conditionOf(podOf(name).status?.conditions, "PodScheduled")?.message;
const create = (object: object) => cluster.api.create(object as never);
const pod = (name: string, spec: object = {}, container: object = {}) =>
  create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: { containers: [{ name: "main", image: "pause", ...container }], ...spec },
  });
const asking = (cpu: string, memory = "1Gi") => ({ resources: { requests: { cpu, memory } } });

describe("a pod finds a node", () => {
  test("only with the processors and the memory that it asks for, and waits until another pod leaves", async () => {
    create(linuxNode("a"));
    pod("big", {}, asking("3500m"));
    await cluster.pass(5);
    pod("second", {}, asking("1"));
    pod("greedy", {}, asking("1", "20Gi"));
    await cluster.pass(5);
    expect(why("second")).toBe("0/1 nodes are available: 1 Insufficient cpu.");
    expect(why("greedy")).toBe("0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory.");
    await cluster.admin("DELETE /api/v1/namespaces/default/pods/big");
    await cluster.pass(5);
    expect([podOf("second").spec.nodeName, podOf("greedy").spec.nodeName]).toEqual(["a", undefined]);
  });

  test("without a taint of the effect PreferNoSchedule, unless it tolerates that or there is no other", async () => {
    const taints = [{ key: "soon", value: "x", effect: "PreferNoSchedule" }];
    create({ ...linuxNode("a"), spec: { taints } });
    create(linuxNode("b"));
    for (const name of ["one", "two"]) pod(name);
    pod("tolerant", { tolerations: [{ operator: "Exists" }] });
    await cluster.pass(5);
    expect(["one", "two", "tolerant"].map((name) => podOf(name).spec.nodeName)).toEqual(["b", "b", "a"]);
    await cluster.admin("PATCH /api/v1/nodes/b", { spec: { unschedulable: true } }, MERGE);
    pod("last");
    await cluster.pass(5);
    expect(podOf("last").spec.nodeName).toBe("a");
  });

  test("that its RuntimeClass selects and whose taint the class tolerates", async () => {
    const taints = [{ key: "os", value: "Windows", effect: "NoSchedule" }];
    create({ ...linuxNode("w", { "node.kubernetes.io/windows-build": "10.0.20348" }), spec: { taints } });
    create(linuxNode("a"));
    const scheduling = {
      nodeSelector: { "node.kubernetes.io/windows-build": "10.0.20348" },
      tolerations: [{ key: "os", operator: "Equal", value: "Windows", effect: "NoSchedule" }],
    };
    const apiVersion = "node.k8s.io/v1";
    create({ apiVersion, kind: "RuntimeClass", metadata: { name: "windows-2022" }, handler: "runhcs", scheduling });
    pod("app", { runtimeClassName: "windows-2022" });
    await cluster.pass(5);
    expect(podOf("app").spec.nodeName).toBe("w");
    const spec = { runtimeClassName: "none", containers: [{ name: "c", image: "pause" }] };
    const { status, body } = await cluster.admin("POST /api/v1/namespaces/default/pods", {
      metadata: { name: "x" },
      spec,
    });
    expect([status, body.message]).toEqual([403, 'pods "x" is forbidden: pod rejected: RuntimeClass "none" not found']);
  });
});

/** A bound claim and its disk in zone 1. */
function disk(name: string): void {
  const key = { key: ZONE, operator: "In", values: ["1"] };
  create({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: `pv-${name}` },
    spec: {
      csi: { driver: "ebs.csi.aws.com", volumeHandle: `vol-${name}` },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [key] }] } },
    },
  });
  const metadata = { name, namespace: "default" };
  create({ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec: { volumeName: `pv-${name}` } });
}
const attached = () =>
  (cluster.api.objects("volumeattachments", "storage.k8s.io") as VolumeAttachment[]).map(
    ({ spec, status }) => `${spec.source.persistentVolumeName} ${spec.nodeName} ${status?.attached}`,
  );
const withDisk = (name: string) => ({ volumes: [{ name: "data", persistentVolumeClaim: { claimName: name } }] });

describe("a pod with a disk", () => {
  beforeEach(() => {
    for (const [name, zone] of [
      ["a", "1"],
      ["b", "1"],
      ["c", "2"],
    ] as const)
      create(linuxNode(name, { [ZONE]: zone }));
    disk("orders");
  });
  const cordon = (name: string) =>
    cluster.admin(`PATCH /api/v1/nodes/${name}`, { spec: { unschedulable: true } }, MERGE);

  test("goes only where its disk can go, and says so otherwise", async () => {
    await cordon("a");
    await cordon("b");
    pod("db", withDisk("orders"));
    pod("lost", withDisk("nothing"));
    await cluster.pass(5);
    expect(why("db")).toBe(
      "0/3 nodes are available: 2 node(s) were unschedulable, 1 node(s) had volume node affinity conflict.",
    );
    expect(why("lost")).toBe('0/3 nodes are available: persistentvolumeclaim "nothing" not found.');
  });

  test("starts when its disk is attached; the disk leaves after the pod, once the kubelet has let go of it", async () => {
    await cordon("b");
    create({ ...deployment("db", 1, withDisk("orders")) });
    await cluster.pass(1);
    expect(attached()).toEqual(["pv-orders a false"]);
    await cluster.pass(9);
    expect(attached()).toEqual(["pv-orders a true"]);
    expect(nodeOf("a").status?.volumesInUse).toEqual(["kubernetes.io/csi/ebs.csi.aws.com^vol-orders"]);
    await cordon("a");
    await cluster.admin("PATCH /api/v1/nodes/b", { spec: { unschedulable: false } }, MERGE);
    const [{ metadata } = { metadata: { name: "" } }] = cluster.api.objects("pods");
    await cluster.admin(`DELETE /api/v1/namespaces/default/pods/${metadata.name}`);
    await cluster.pass(2.3);
    expect(cluster.api.objects("pods").some((one) => one.metadata.name === metadata.name)).toBe(false);
    expect(attached()).toEqual(["pv-orders a true"]);
    expect(cluster.api.objects("events").some(({ reason }) => reason === "FailedAttachVolume")).toBe(true);
    await cluster.pass(10);
    expect(attached()).toEqual(["pv-orders b true"]);
    expect(nodeOf("a").status?.volumesInUse).toEqual([]);
  });
});

describe("the disk of a dead node", () => {
  beforeEach(async () => {
    await cluster.stop();
    cluster = await stillCluster(undefined, undefined, ["linux-kubelets"]);
    create(linuxNode("a", { [ZONE]: "1" }));
    disk("orders");
    pod("db", withDisk("orders"));
    await cluster.pass(10);
    expect(attached()).toEqual(["pv-orders a true"]);
    await cluster.pass(60);
  });

  test("is taken away 360 s after its pod was deleted by force", async () => {
    await cluster.admin("DELETE /api/v1/namespaces/default/pods/db?gracePeriodSeconds=0");
    await cluster.pass(355);
    expect(attached()).toEqual(["pv-orders a true"]);
    await cluster.pass(10);
    expect(attached()).toEqual([]);
  });

  test("is taken away at once when the node is out of service", async () => {
    const { taints = [] } = nodeOf("a").spec;
    const declared = [...taints, { key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }];
    await cluster.admin("PATCH /api/v1/nodes/a", { spec: { taints: declared } }, MERGE);
    await cluster.pass(26);
    expect(attached()).toEqual([]);
  });
});

describe("a Job", () => {
  const job = (seconds: number, spec: object = {}) => ({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "month-end", namespace: "default" },
    spec: {
      ...spec,
      template: {
        spec: {
          restartPolicy: "Never",
          containers: [
            { name: "c", image: "pause", command: ["powershell", "Start-Sleep", "-Seconds", String(seconds)] },
          ],
        },
      },
    },
  });
  const runs = () => (cluster.api.objects("pods") as Pod[]).map(({ status }) => status?.phase);

  test("works as long as its command sleeps, then it is complete and its pod stays", async () => {
    create(linuxNode("a"));
    create(job(3_600));
    await cluster.pass(3_500);
    expect(runs()).toEqual(["Running"]);
    await cluster.pass(120);
    expect(runs()).toEqual(["Succeeded"]);
    const [stored] = cluster.api.objects("jobs", "batch");
    expect(stored?.status).toMatchObject({ succeeded: 1, active: 0, conditions: [{}, { type: "Complete" }] });
    await cluster.pass(600);
    expect(runs()).toEqual(["Succeeded"]);
  });

  test("begins anew when its pod is evicted", async () => {
    create(linuxNode("a"));
    create(job(3_600));
    await cluster.pass(3_000);
    const [before] = cluster.api.objects("pods");
    await cluster.admin(`DELETE /api/v1/namespaces/default/pods/${before?.metadata.name}`);
    await cluster.pass(3_000);
    expect(runs()).toEqual(["Running"]);
    expect(cluster.api.objects("pods")[0]?.metadata.uid).not.toBe(before?.metadata.uid);
  });

  const disrupted = (action: string) => ({
    podFailurePolicy: { rules: [{ action, onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }] },
  });
  const stored = () => cluster.api.objects("jobs", "batch")[0]?.status;

  test.each<[string, object, string[], object]>([
    ["has no retry", { backoffLimit: 0 }, [], { failed: 1, conditions: [{}, { reason: "BackoffLimitExceeded" }] }],
    ["has one retry", { backoffLimit: 1 }, ["Running"], { failed: 1, conditions: [] }],
    ["fails with a disruption", disrupted("FailJob"), [], { conditions: [{}, { reason: "PodFailurePolicy" }] }],
    ["ignores a disruption", { backoffLimit: 0, ...disrupted("Ignore") }, ["Running"], { failed: 0, conditions: [] }],
    ["was suspended", { suspend: true }, [], { failed: 0, conditions: [] }],
  ])("whose pod is evicted runs on or not, as it %s", async (_words, spec, phases, status) => {
    create(linuxNode("a"));
    create(job(3_600, { ...spec, suspend: false }));
    await cluster.pass(60);
    const [pod] = cluster.api.objects("pods");
    const { name = "", namespace } = pod?.metadata ?? {};
    if ("suspend" in spec)
      await cluster.admin(
        "PATCH /apis/batch/v1/namespaces/default/jobs/month-end",
        { spec },
        { "content-type": "application/merge-patch+json" },
      );
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } };
    await cluster.admin(`POST /api/v1/namespaces/default/pods/${name}/eviction`, eviction);
    await cluster.pass(120);
    expect(runs()).toEqual(phases);
    expect(stored()).toMatchObject(status);
  });

  test("ends its other pods with its last retry", async () => {
    create(linuxNode("a"));
    create(job(3_600, { parallelism: 2, backoffLimit: 0 }));
    await cluster.pass(60);
    const [one, other] = cluster.api.objects("pods") as Pod[];
    await cluster.admin(`DELETE /api/v1/namespaces/default/pods/${one?.metadata.name}`);
    await cluster.pass(60);
    expect(cluster.api.objects("pods")).toEqual([]);
    expect(other?.status?.phase).toBe("Running");
    expect(stored()).toMatchObject({ active: 0 });
  });
});

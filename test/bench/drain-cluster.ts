import type { KubeObject } from "../../lib/sandbox/kubernetes/model/object.ts";
import type { Ask } from "../sandbox/kubernetes/asking.ts";
import { budget, deployment, linuxNode } from "../sandbox/kubernetes/cluster.ts";
import { type OpenCluster, openCluster } from "../sandbox/kubernetes/https.ts";

/** Node that is drained, and the empty one that takes its pods. */
export const FULL = "ip-10-0-0-10.us-west-2.compute.internal";
const EMPTY = "ip-10-0-1-11.us-west-2.compute.internal";

const DEPLOYMENTS = 30;
const REPLICAS = 10;

/** The simulator's own pace of pods; the measured cluster's was another one, which `work` below keeps. */
const NOT_RUN = ["pod-lifecycle", "replicasets"];

/** Measured on a real cluster with the controller manager's defaults (20 requests/s, bursts of 30): 1,244 for 300 pods. */
const REQUESTS_A_SECOND = 20;
const BURST = 30;
const REQUESTS_A_POD = 1_244 / (DEPLOYMENTS * REPLICAS);

/** Milliseconds after which a terminating pod is removed, and between two looks of the kubelet and the controller. */
const STOPPING_MS = 1_000;
const EVERY_MS = 50;

interface Pod extends KubeObject {
  readonly spec: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string };
}

/** A cluster of 300 pods on one node, with a budget for each of their 30 Deployments. */
export interface DrainCluster extends OpenCluster {
  /** Number of pods on a node that were not told to end. */
  podsOn(node: string): number;
}

const nodeOf = (name: string): KubeObject => {
  const node = linuxNode(name) as unknown as { status: object };
  const room = { cpu: "400", memory: "1600Gi", pods: "500" };
  return { ...node, status: { ...node.status, allocatable: room, capacity: room } } as unknown as KubeObject;
};

const READY = ["PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready"].map((type) => ({
  type,
  status: "True",
}));

/** The kubelet: starts what is bound, and ends what was told to end a second ago. */
async function keepPods(cluster: OpenCluster, kubelet: Ask, told: Map<string, number>): Promise<void> {
  for (const { metadata, spec, status } of cluster.api.objects("pods") as Pod[]) {
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
    if (metadata.deletionTimestamp === undefined) {
      if (!spec.nodeName || status?.phase === "Running") continue;
      const type = { "content-type": "application/merge-patch+json" };
      await kubelet(`PATCH ${path}/status`, { status: { phase: "Running", conditions: READY } }, type);
      continue;
    }
    const since = told.get(metadata.uid) ?? Date.now();
    told.set(metadata.uid, since);
    if (Date.now() - since >= STOPPING_MS) await kubelet(`DELETE ${path}`, { gracePeriodSeconds: 0 });
  }
}

/** A ReplicaSet with its template, which pods are made from. */
interface ReplicaSet extends KubeObject {
  readonly spec: { readonly replicas: number; readonly template: { readonly metadata: object; readonly spec: object } };
}

const isOf = (set: KubeObject, { metadata }: KubeObject): boolean =>
  metadata.ownerReferences?.[0]?.uid === set.metadata.uid && metadata.deletionTimestamp === undefined;

const podFrom = ({ apiVersion, kind, metadata, spec }: ReplicaSet, nodeName?: string): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    ...spec.template.metadata,
    generateName: `${metadata.name}-`,
    ownerReferences: [
      { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true },
    ],
  },
  spec: { ...spec.template.spec, ...(nodeName ? { nodeName } : {}) },
});

/** The replicaset-controller: makes missing pods in the order in which they went, no faster than its limit allows. */
async function replacePods(cluster: OpenCluster, controller: Ask, queue: Set<string>, mayMake: () => boolean) {
  const pods = cluster.api.objects("pods");
  const sets = new Map(
    (cluster.api.objects("replicasets", "apps") as ReplicaSet[]).map((set) => [set.metadata.uid, set]),
  );
  const missing = (set: ReplicaSet): number => set.spec.replicas - pods.filter((pod) => isOf(set, pod)).length;
  for (const [uid, set] of sets) if (missing(set) > 0) queue.add(uid);
  for (const uid of [...queue]) {
    const set = sets.get(uid);
    if (!set || !mayMake()) return;
    queue.delete(uid);
    await controller("POST /api/v1/namespaces/default/pods", podFrom(set));
  }
}

/** A token bucket of the controller's requests. */
function limit(): () => boolean {
  let next = Date.now();
  return () => {
    const now = Date.now();
    if (now < next) return false;
    next = Math.max(next, now - (1_000 * BURST) / REQUESTS_A_SECOND) + (1_000 * REQUESTS_A_POD) / REQUESTS_A_SECOND;
    return true;
  };
}

/** Waits, at most so many seconds of the host's time. */
async function settled(question: () => boolean, what: string, seconds = 30): Promise<void> {
  for (const end = Date.now() + seconds * 1_000; !question(); await pause(EVERY_MS))
    if (Date.now() > end) throw new Error(`${what} did not come within ${seconds} s`);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Begins the controllers' work. @returns what ends it */
function work(cluster: OpenCluster): () => Promise<void> {
  const kubelet = cluster.as("kubelets", ["system:masters"]);
  const controller = cluster.as("replicaset-controller", ["system:masters"]);
  const told = new Map<string, number>();
  const queue = new Set<string>();
  const mayMake = limit();
  let isOver = false;
  const loop = (async () => {
    for (; !isOver; await pause(EVERY_MS)) {
      await keepPods(cluster, kubelet, told);
      await replacePods(cluster, controller, queue, mayMake);
    }
  })();
  return async () => {
    isOver = true;
    await loop;
  };
}

/** Fills the node, with each Deployment's ReplicaSet at its scale and each budget allowing one disruption. */
async function fill(cluster: OpenCluster): Promise<void> {
  const { api, admin } = cluster;
  for (const name of [FULL, EMPTY]) api.create(nodeOf(name));
  const names = Array.from({ length: DEPLOYMENTS }, (_, at) => `app-${String(at).padStart(2, "0")}`);
  for (const name of names) {
    api.create(deployment(name, REPLICAS));
    api.create(budget(name, { maxUnavailable: 1 }));
  }
  await settled(() => api.objects("replicasets", "apps").length === DEPLOYMENTS, "the ReplicaSets");
  for (const set of api.objects("replicasets", "apps") as ReplicaSet[])
    for (let at = 0; at < REPLICAS; at += 1) await admin("POST /api/v1/namespaces/default/pods", podFrom(set, FULL));
}

/**
 * Raises the cluster of the measured case on the simulated API server, behind HTTPS and at the host's speed: 300 pods, 30
 * Deployments of 10 with one budget each that allows 1 to be unavailable, all on one node, a second node empty. Pods are
 * Ready within about 50 ms, terminating ones are removed after 1 s, and the replicaset-controller is held to 20 requests/s.
 */
export async function drainCluster(): Promise<DrainCluster> {
  const cluster = await openCluster(1, NOT_RUN);
  await fill(cluster);
  const end = work(cluster);
  const allowed = () =>
    (
      cluster.api.objects("poddisruptionbudgets", "policy") as (KubeObject & {
        status?: { disruptionsAllowed?: number };
      })[]
    ).every(({ status }) => status?.disruptionsAllowed === 1);
  await settled(allowed, "an allowance of every budget");
  const podsOn = (node: string): number =>
    (cluster.api.objects("pods") as Pod[]).filter(
      ({ spec, metadata }) => spec.nodeName === node && metadata.deletionTimestamp === undefined,
    ).length;
  const close = async (): Promise<void> => {
    await end();
    await cluster.close();
  };
  return { ...cluster, podsOn, close };
}

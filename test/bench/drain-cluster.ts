import type { KubeObject } from "../../lib/sandbox/kubernetes/model/object.ts";
import type { Ask } from "../sandbox/kubernetes/asking.ts";
import { budget, deployment, linuxNode } from "../sandbox/kubernetes/cluster.ts";
import { type OpenCluster, openCluster } from "../sandbox/kubernetes/https.ts";
import { podFrom, replicaSets, runReplicaSets } from "./replicaset-controller.ts";

/** Node that is drained, and the empty one that takes its pods. */
export const FULL = "ip-10-0-0-10.us-west-2.compute.internal";
const EMPTY = "ip-10-0-1-11.us-west-2.compute.internal";

const DEPLOYMENTS = 30;
const REPLICAS = 10;

/** The simulator's own pace of pods and ReplicaSets; the measured cluster's was another one, which `work` below keeps. */
const NOT_RUN = ["pod-lifecycle", "replicasets"];

/** Milliseconds after which a terminating pod is removed, and between two looks of the kubelet. */
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

/** Waits, at most so many seconds of the host's time. */
async function settled(question: () => boolean, what: string, seconds = 30): Promise<void> {
  for (const end = Date.now() + seconds * 1_000; !question(); await pause(EVERY_MS))
    if (Date.now() > end) throw new Error(`${what} did not come within ${seconds} s`);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Begins the controllers' work. @returns what ends it */
function work(cluster: OpenCluster): () => Promise<void> {
  const kubelet = cluster.as("kubelets", ["system:masters"]);
  const endReplicaSets = runReplicaSets(cluster, cluster.as("replicaset-controller", ["system:masters"]));
  const told = new Map<string, number>();
  let isOver = false;
  const loop = (async () => {
    for (; !isOver; await pause(EVERY_MS)) await keepPods(cluster, kubelet, told);
  })();
  return async () => {
    isOver = true;
    await Promise.all([loop, endReplicaSets()]);
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
  for (const set of replicaSets(cluster))
    for (let at = 0; at < REPLICAS; at += 1) await admin("POST /api/v1/namespaces/default/pods", podFrom(set, FULL));
}

/**
 * Raises the cluster of the measured case on the simulated API server, behind HTTPS and at the host's speed: 300 pods, 30
 * Deployments of 10 with one budget each that allows 1 to be unavailable, all on one node, a second node empty. Pods are
 * Ready within about 50 ms, terminating ones are removed after 1 s, and the controllers of ReplicaSets and of budgets are each
 * held to 20 requests/s.
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

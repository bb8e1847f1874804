import fc from "fast-check";
import type { KubeObject } from "../../../lib/sandbox/kubernetes/model/object.ts";
import { linuxNode } from "../../sandbox/kubernetes/cluster.ts";

/** Owner of an app's pods; a mirror pod is a static one, which no drain evicts. */
type Owner = "ReplicaSet" | "StatefulSet" | "Job" | "DaemonSet" | "none" | "mirror";

/** Budget over an app's pods, by what it lets go: all of them, all but one, none, or none because there are two of it. */
type Budget = "none" | "allows all" | "keeps one" | "keeps all" | "two";

/** Pods of one kind on the node. */
interface App {
  readonly owner: Owner;
  readonly count: number;
  readonly isFinished: boolean;
  readonly hasLocalData: boolean;
  readonly budget: Budget;
}

/** A node with its pods, and the losses that its drain may take. */
export interface Case {
  readonly apps: readonly App[];
  readonly force: boolean;
  readonly deleteEmptyDir: boolean;
}

const app: fc.Arbitrary<App> = fc.record({
  owner: fc.constantFrom<Owner>("ReplicaSet", "ReplicaSet", "StatefulSet", "Job", "DaemonSet", "none", "mirror"),
  count: fc.integer({ min: 1, max: 3 }),
  isFinished: fc.nat(4).map((one) => one === 0),
  hasLocalData: fc.nat(3).map((one) => one === 0),
  budget: fc.constantFrom<Budget>("none", "none", "none", "allows all", "keeps one", "keeps all", "two"),
});

/** Cases of one to four apps each; the same seed gives the same ones. */
export const generatedCases = (count: number, seed: number): Case[] =>
  fc.sample(
    fc.record({
      apps: fc.array(app, { minLength: 1, maxLength: 4 }),
      force: fc.nat(3).map((one) => one > 0),
      deleteEmptyDir: fc.nat(3).map((one) => one > 0),
    }),
    { numRuns: count, seed },
  );

/** A kubelet that never falls silent. */
const lease = (name: string): object => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace: "kube-node-lease" },
  spec: { holderIdentity: name, renewTime: "2036-11-21T08:00:00.000000Z", leaseDurationSeconds: 40 },
});

const apiVersions: Partial<Record<Owner, string>> = { ReplicaSet: "apps/v1", StatefulSet: "apps/v1", Job: "batch/v1" };

/** No controller has such an owner: the pod is not made anew, so that both drains meet the same pods until they end. */
const ownedBy = (owner: Owner, name: string): object => {
  const apiVersion = apiVersions[owner];
  if (!apiVersion) return {};
  return { ownerReferences: [{ apiVersion, kind: owner, name, uid: `uid-${name}`, controller: true }] };
};

const podOf = (node: string, name: string, number: number, given: App): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: `${name}-${number}`,
    namespace: node,
    labels: { app: name },
    ...(given.owner === "mirror" ? { annotations: { "kubernetes.io/config.mirror": "made-by-the-kubelet" } } : {}),
    ...ownedBy(given.owner, name),
  },
  spec: {
    nodeName: node,
    // Deleted when it is asked to go: the two drains are compared by what they ask for, not by how pods end.
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "main", image: "pause" }],
    ...(given.hasLocalData ? { volumes: [{ name: "scratch", emptyDir: {} }] } : {}),
  },
  status: given.isFinished
    ? { phase: "Succeeded" }
    : { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
});

/** The DaemonSet of an app; its controller puts a pod on this node and on no other. */
const daemonSet = (node: string, name: string): object => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name, namespace: node },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        nodeSelector: { "kubernetes.io/hostname": node },
        terminationGracePeriodSeconds: 0,
        containers: [{ name: "main", image: "pause" }],
      },
    },
  },
});

const keeps = { "allows all": () => 0, "keeps one": () => 1, "keeps all": (count: number) => count } as const;

function budgetsOf(node: string, name: string, { budget, count }: App): object[] {
  const made = (suffix: string, minAvailable: number): object => ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: `${name}${suffix}`, namespace: node },
    spec: { minAvailable, selector: { matchLabels: { app: name } } },
  });
  if (budget === "none") return [];
  return budget === "two" ? [made("-1", 0), made("-2", 0)] : [made("", keeps[budget](count))];
}

/**
 * The objects of a case, in the order in which they are made: a node, a namespace of its name, and the apps in it.
 * @param node name of node and namespace
 */
export const objectsOf = (node: string, { apps }: Case): KubeObject[] =>
  [
    linuxNode(node),
    { apiVersion: "v1", kind: "Namespace", metadata: { name: node } },
    lease(node),
    ...apps.flatMap((one, at) => {
      const name = `app-${at}`;
      if (one.owner === "DaemonSet") return [daemonSet(node, name)];
      const pods = Array.from({ length: one.count }, (_, number) => podOf(node, name, number, one));
      return [...pods, ...budgetsOf(node, name, one)];
    }),
  ] as KubeObject[];

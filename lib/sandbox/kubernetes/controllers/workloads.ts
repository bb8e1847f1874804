import { controllerOf, type KubeObject, type OwnerReference } from "../model/object.ts";
import type { ResourceType } from "../model/resources.ts";
import { isFinished, isTrue, type Pod, type Workload } from "../model/shapes.ts";
import type { Change } from "../store/objects.ts";
import type { Cluster, Key } from "./controller.ts";
import { pods } from "./nodes.ts";

/** Builds the owner reference for the objects that a workload controls. */
export const ownedBy = ({ apiVersion, kind, metadata }: KubeObject): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
});

/** Finds the workload of that type that a changed object belongs to. */
export const ownerKey =
  (kind: string, owned: ResourceType) =>
  ({ type, object }: Change): Key[] => {
    const owner = type === owned ? controllerOf(object) : undefined;
    return owner?.kind === kind ? [{ namespace: object.metadata.namespace, name: owner.name }] : [];
  };

/** Lists the objects of a type that a workload controls. */
export const ownedOf = <T extends KubeObject>({ objects }: Cluster, type: ResourceType, owner: KubeObject): T[] =>
  objects.list<T>(type, owner.metadata.namespace).filter((one) => controllerOf(one)?.uid === owner.metadata.uid);

/** Has the pod neither finished nor been deleted? */
export const isActive = (pod: Pod): boolean => !isFinished(pod) && pod.metadata.deletionTimestamp === undefined;

/** Is the pod ready to serve? */
export const isReady = (pod: Pod): boolean => isActive(pod) && isTrue(pod.status?.conditions, "Ready");

/** Builds a pod from a workload's template, with a name or the prefix of a generated one. */
export function podOf(
  workload: Workload,
  name: { name: string } | { generateName: string },
  spec: Partial<Pod["spec"]> = {},
): KubeObject {
  const { template } = workload.spec;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...template?.metadata,
      ...name,
      ...(workload.metadata.namespace ? { namespace: workload.metadata.namespace } : {}),
      ownerReferences: [ownedBy(workload)],
    },
    spec: { containers: [], ...template?.spec, ...spec },
  } as unknown as KubeObject;
}

/** The controllers of workloads, as their Events name them. */
const components: Readonly<Record<string, string>> = {
  ReplicaSet: "replicaset-controller",
  ReplicationController: "replication-controller",
  StatefulSet: "statefulset-controller",
  DaemonSet: "daemonset-controller",
  Job: "job-controller",
};

/** Writes what a controller did to a pod, in an Event about the workload (k8s pkg/controller/controller_utils.go, stateful_pod_control.go). */
function recordPod({ record }: Cluster, owner: KubeObject, did: "create" | "delete", pod: string): void {
  const word = did === "create" ? "Create" : "Delete";
  const message =
    owner.kind === "StatefulSet"
      ? `${did} Pod ${pod} in StatefulSet ${owner.metadata.name} successful`
      : `${word}d pod: ${pod}`;
  record({
    component: components[owner.kind] ?? "",
    about: owner,
    type: "Normal",
    reason: `Successful${word}`,
    message,
  });
}

/** Creates a pod of a workload. */
export function createPod(cluster: Cluster, owner: KubeObject, pod: KubeObject): void {
  const { metadata } = cluster.registry.create(pods, pod);
  recordPod(cluster, owner, "create", metadata.name);
}

/** Deletes a pod of a workload. */
export function deletePod(cluster: Cluster, owner: KubeObject, { metadata: { namespace, name } }: KubeObject): void {
  cluster.registry.remove({ type: pods, namespace, name });
  recordPod(cluster, owner, "delete", name);
}

/** Creates missing pods of a set, or deletes surplus ones: first those that are not ready, then the youngest. */
export function scale(cluster: Cluster, set: Workload, active: readonly Pod[]): void {
  const { replicas: wanted = 1 } = set.spec;
  for (let missing = wanted - active.length; missing > 0; missing -= 1)
    createPod(cluster, set, podOf(set, { generateName: `${set.metadata.name}-` }));
  const byWorth = [...active].sort(
    (one, other) =>
      Number(isReady(one)) - Number(isReady(other)) ||
      other.metadata.creationTimestamp.localeCompare(one.metadata.creationTimestamp),
  );
  for (const pod of byWorth.slice(0, Math.max(0, active.length - wanted))) deletePod(cluster, set, pod);
}

/** Writes a workload's status. */
export const report = (
  cluster: Cluster,
  type: ResourceType,
  workload: Workload,
  status: Record<string, unknown>,
): void => {
  const observedGeneration = workload.metadata.generation ?? 1;
  cluster.objects.replace(type, { ...workload, status: { ...workload.status, ...status, observedGeneration } });
};

/** Finds the workload of a key, unless it is deleted or being deleted. */
export function activeWorkload(cluster: Cluster, type: ResourceType, { namespace, name }: Key): Workload | undefined {
  const workload = cluster.objects.get<Workload>(type, namespace, name);
  return workload?.metadata.deletionTimestamp ? undefined : workload;
}

import type { V1OwnerReference, V1Pod } from "@kubernetes/client-node";
import { ACCOUNT_NAMESPACE } from "../../desired/accounts.ts";
import { PROBE_LABEL } from "../../desired/probe.ts";

/** Annotations by which an owner says that a pod must run to its end, and the values that say so. */
const HOLDS: Readonly<Record<string, (value: string) => boolean>> = {
  "casement.dev/do-not-disrupt": (value) => value !== "false",
  // Karpenter's documentation, "Pod-level controls".
  "karpenter.sh/do-not-disrupt": (value) => value !== "false",
  // Cluster Autoscaler's FAQ, "What types of pods can prevent CA from removing a node?".
  "cluster-autoscaler.kubernetes.io/safe-to-evict": (value) => value === "false",
};

/** Priority from which on a pod is critical: that of system-cluster-critical (k8s pkg/apis/scheduling/types.go). */
const CRITICAL = 2_000_000_000;

/** A pod as messages name it: "shop/web-0". */
export const podName = ({ metadata }: Pick<V1Pod, "metadata">): string => `${metadata?.namespace}/${metadata?.name}`;

/** The pod's UID: a namesake with another one is another pod. */
export const uidOf = ({ metadata }: Pick<V1Pod, "metadata">): string => metadata?.uid ?? "";

/** Has the pod run to its end? Its containers do not come back. */
export const isFinished = ({ status }: V1Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";

/** Was the pod told to end? */
export const isTerminating = ({ metadata }: V1Pod): boolean => metadata?.deletionTimestamp !== undefined;

/** Does the pod serve? Budgets count ready pods alone. */
export const isReady = ({ status }: V1Pod): boolean =>
  (status?.conditions ?? []).some(({ type, status: is }) => type === "Ready" && is === "True");

/** Did the kubelet create it from a file on the machine? The API server holds only a copy. */
export const isMirror = ({ metadata }: V1Pod): boolean =>
  metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined;

/** Is it a pod with which Casement tries a node's data plane? */
export const isProbe = ({ metadata }: V1Pod): boolean =>
  metadata?.namespace === ACCOUNT_NAMESPACE && metadata.labels?.[PROBE_LABEL] !== undefined;

/** The owner that makes a new pod when this one goes; undefined for a pod that nothing recreates. */
export const controllerOf = ({ metadata }: V1Pod): V1OwnerReference | undefined =>
  (metadata?.ownerReferences ?? []).find(({ controller }) => controller === true);

const groupOf = (apiVersion: string): string => (apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "");

/** Name of the DaemonSet that owns the pod; a DaemonSet of another API group is another kind. */
export function daemonSetOf(pod: V1Pod): string | undefined {
  const owner = controllerOf(pod);
  return owner?.kind === "DaemonSet" && groupOf(owner.apiVersion) === "apps" ? owner.name : undefined;
}

/** Names of the pod's emptyDir volumes, whose data ends with the pod. */
export const emptyDirsOf = ({ spec }: V1Pod): readonly string[] =>
  (spec?.volumes ?? []).flatMap(({ name, emptyDir }) => (emptyDir ? [name] : []));

/** Number of the pod's volumes that are claimed, each of which may be attached to the node. */
export const claimsOf = ({ spec }: V1Pod): number =>
  (spec?.volumes ?? []).filter(({ persistentVolumeClaim, ephemeral }) => persistentVolumeClaim || ephemeral).length;

/** The annotation that holds an unfinished pod on its node; undefined where nothing does. */
export function holdOn(pod: V1Pod): string | undefined {
  if (isFinished(pod)) return undefined;
  const annotations = pod.metadata?.annotations ?? {};
  return Object.keys(HOLDS).find((key) => annotations[key] !== undefined && HOLDS[key]?.(annotations[key] ?? ""));
}

/** Is the pod critical, so that it leaves after those that are not? */
const isCritical = ({ spec }: V1Pod): boolean =>
  (spec?.priority ?? 0) >= CRITICAL ||
  ["system-cluster-critical", "system-node-critical"].includes(spec?.priorityClassName ?? "");

/**
 * Tier of a pod, in the order of a graceful node shutdown: ordinary pods, those of DaemonSets, critical ones, critical ones of
 * DaemonSets. A DaemonSet's pod leaves only where it has run to its end, or its DaemonSet is gone and force allows it: while
 * the DaemonSet exists, it would make another one on the cordoned node.
 */
export const tierOf = (pod: V1Pod): number => (isCritical(pod) ? 2 : 0) + (daemonSetOf(pod) === undefined ? 0 : 1);

/** Kinds of Kubernetes' own whose pods get a random name each: no namesake follows them. */
const RANDOM_NAMES: readonly string[] = ["apps ReplicaSet", " ReplicationController", "batch Job", "apps DaemonSet"];

/** May another pod come under this pod's name, such as a StatefulSet's? */
export function isNameReused(pod: V1Pod): boolean {
  const owner = controllerOf(pod);
  return !owner || !RANDOM_NAMES.includes(`${groupOf(owner.apiVersion)} ${owner.kind}`);
}

/** Milliseconds since the epoch, from a time as the client reads it; undefined where there is none. */
export const timeOf = (value: Date | string | undefined): number | undefined =>
  value === undefined ? undefined : new Date(value).getTime();

/** Milliseconds for which a terminating pod is over the end of its grace; negative while that lasts, 0 for others. */
export const overdueMs = ({ metadata }: V1Pod, now: number): number => {
  const end = timeOf(metadata?.deletionTimestamp);
  return end === undefined ? 0 : now - end;
};

/** Pods that a drain takes off a node and that run: not static, not a probe, not a DaemonSet's, not finished. */
export const podsToEvict = (pods: readonly V1Pod[]): V1Pod[] =>
  pods.filter((pod) => !isMirror(pod) && !isProbe(pod) && daemonSetOf(pod) === undefined && !isFinished(pod));

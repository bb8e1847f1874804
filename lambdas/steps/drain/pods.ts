import type { V1OwnerReference, V1Pod } from "@kubernetes/client-node";
import { ACCOUNT_NAMESPACE } from "../../cluster/accounts.ts";
import { PROBE_LABEL } from "../../health/probe-pods.ts";

/** Milliseconds of the units of a duration in Go (package time, ParseDuration). */
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Reads a duration as Go writes it ("1h30m"), in milliseconds; undefined for any other text. */
function goDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
}

/** Annotation with which Karpenter's users forbid interrupting a pod. */
const DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt";

/** Karpenter holds with "true", and for a duration since the pod's start (its documentation, "Pod-Level Controls"). */
function heldByKarpenter(value: string, { status }: V1Pod): number {
  if (value === "true") return Number.POSITIVE_INFINITY;
  const duration = goDuration(value);
  const started = timeOf(status?.startTime);
  return duration === undefined || started === undefined ? 0 : started + duration;
}

/** End of a hold without an end of its own, if it holds at all. */
const held = (holds: boolean): number => (holds ? Number.POSITIVE_INFINITY : 0);

/**
 * Annotations with which an owner forbids interrupting a pod, and the end of the hold in milliseconds since the epoch;
 * 0 for a value that does not hold.
 */
const HOLDS: Readonly<Record<string, (value: string, pod: V1Pod) => number>> = {
  "casement.dev/do-not-disrupt": (value) => held(value !== "false"),
  [DO_NOT_DISRUPT]: heldByKarpenter,
  // The same before Karpenter's v1beta1.
  "karpenter.sh/do-not-evict": (value) => held(value === "true"),
  // Cluster Autoscaler's FAQ, "What types of pods can prevent CA from removing a node?".
  "cluster-autoscaler.kubernetes.io/safe-to-evict": (value) => held(value === "false"),
};

/** Least priority of a critical pod: that of system-cluster-critical (k8s pkg/apis/scheduling/types.go). */
const CRITICAL = 2_000_000_000;

/** A pod's name in messages: "shop/web-0". */
export const podName = ({ metadata }: Pick<V1Pod, "metadata">): string => `${metadata?.namespace}/${metadata?.name}`;

/** The pod's UID. A pod with the same name and another UID is another pod. */
export const uidOf = ({ metadata }: Pick<V1Pod, "metadata">): string => metadata?.uid ?? "";

/** Have all of the pod's containers ended, without being restarted? */
export const isFinished = ({ status }: V1Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";

/** Has the API server ordered the pod to end? */
export const isTerminating = ({ metadata }: V1Pod): boolean => metadata?.deletionTimestamp !== undefined;

/** Is the pod Ready? Budgets only take ready pods into account. */
export const isPodReady = ({ status }: V1Pod): boolean =>
  (status?.conditions ?? []).some(({ type, status: is }) => type === "Ready" && is === "True");

/** Did the kubelet create the pod from a file on the machine? The API server only has a copy of it. */
export const isMirror = ({ metadata }: V1Pod): boolean =>
  metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined;

/** Is it one of Casement's probes of a node's data plane? */
export const isProbe = ({ metadata }: V1Pod): boolean =>
  metadata?.namespace === ACCOUNT_NAMESPACE && metadata.labels?.[PROBE_LABEL] !== undefined;

/** The owner that creates a new pod in place of this one; undefined if nothing recreates it. */
export const controllerOf = ({ metadata }: V1Pod): V1OwnerReference | undefined =>
  (metadata?.ownerReferences ?? []).find(({ controller }) => controller === true);

/** The API group of an `apiVersion`; empty for the core group. */
export const groupOf = (apiVersion: string): string =>
  apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";

/**
 * Name of the DaemonSet that owns the pod; undefined for any other owner, also for a DaemonSet of another API group.
 */
export function daemonSetOf(pod: V1Pod): string | undefined {
  const owner = controllerOf(pod);
  return owner?.kind === "DaemonSet" && groupOf(owner.apiVersion) === "apps" ? owner.name : undefined;
}

/** Owners of Kubernetes that create another pod in place of one that was evicted. */
const RECREATING: readonly string[] = [
  "apps/ReplicaSet",
  "apps/StatefulSet",
  "apps/DaemonSet",
  "/ReplicationController",
  "batch/Job",
];

/**
 * Finds the owner of a pod that may not create another one in its place, such as a workflow whose step has run: the pod
 * is not restarted, and its owner is of no kind that is known to recreate.
 * @param recreating further kinds that recreate, as the configuration names them: "example.com/GameServer"
 * @returns "Workflow/nightly"; undefined if the pod is recreated, has finished or has no owner
 */
export function uncertainOwner(pod: V1Pod, recreating: readonly string[] = []): string | undefined {
  const owner = controllerOf(pod);
  // A pod without a restart policy has "Always" (API reference, PodSpec).
  const isRestarted = (pod.spec?.restartPolicy ?? "Always") === "Always";
  if (!owner || isRestarted || isFinished(pod)) return undefined;
  const kind = `${groupOf(owner.apiVersion)}/${owner.kind}`;
  return [...RECREATING, ...recreating].includes(kind) ? undefined : `${owner.kind}/${owner.name}`;
}

/**
 * Does the pod's owner allow the loss of one of its local volumes? By Cluster Autoscaler's annotations (its FAQ, "What types
 * of pods can prevent CA from removing a node?"), or by the descheduler's, whose value does not matter (its README, "Pod
 * Evictions").
 */
export function isExpendable({ metadata }: V1Pod, volume: string): boolean {
  const { annotations = {} } = metadata ?? {};
  const named = annotations["cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"] ?? "";
  return (
    annotations["cluster-autoscaler.kubernetes.io/safe-to-evict"] === "true" ||
    annotations["descheduler.alpha.kubernetes.io/evict"] !== undefined ||
    named.split(",").some((name) => name.trim() === volume)
  );
}

const dirsOf = ({ spec }: V1Pod): string[] =>
  (spec?.volumes ?? []).flatMap(({ name, emptyDir }) => (emptyDir ? [name] : []));

/** Names of the pod's emptyDir volumes whose data is lost with the pod, without those that its owner allows to lose. */
export const emptyDirsOf = (pod: V1Pod): readonly string[] => dirsOf(pod).filter((name) => !isExpendable(pod, name));

/** Names of the pod's emptyDir volumes that its owner allows to lose. */
export const expendableDirsOf = (pod: V1Pod): readonly string[] =>
  dirsOf(pod).filter((name) => isExpendable(pod, name));

/** Names of the claims of the pod's volumes; a volume that lives as long as the pod has the claim "pod-volume". */
export const claimNamesOf = ({ metadata, spec }: V1Pod): readonly string[] =>
  (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) =>
    persistentVolumeClaim ? [persistentVolumeClaim.claimName] : ephemeral ? [`${metadata?.name}-${name}`] : [],
  );

/** Number of the pod's volumes with a claim, each of which may be attached to the node. */
export const claimsOf = (pod: V1Pod): number => claimNamesOf(pod).length;

/** Annotation that forbids interrupting a pod now. */
interface PodHold {
  readonly annotation: string;
  /** Milliseconds since the epoch; null if it holds until the pod ends. */
  readonly until: number | null;
}

/**
 * Finds the annotation that forbids interrupting a pod that has not finished; undefined if there is none.
 * @param now milliseconds since the epoch
 */
export function podHold(pod: V1Pod, now: number): PodHold | undefined {
  if (isFinished(pod)) return undefined;
  for (const [annotation, value = ""] of Object.entries(pod.metadata?.annotations ?? {})) {
    const until = HOLDS[annotation]?.(value, pod) ?? 0;
    if (until > now) return { annotation, until: Number.isFinite(until) ? until : null };
  }
  return undefined;
}

/** Names the annotation that may hold a pod, with a value that cannot be read: neither "true", "false" nor a duration. */
export function unreadHold(pod: V1Pod): string | undefined {
  const value = pod.metadata?.annotations?.[DO_NOT_DISRUPT];
  const isRead = value === undefined || value === "true" || value === "false" || goDuration(value) !== undefined;
  return isRead || isFinished(pod) ? undefined : `${DO_NOT_DISRUPT}: ${value}`;
}

/** Is the pod critical, so that it is evicted after the others? */
const isCritical = ({ spec }: V1Pod): boolean =>
  (spec?.priority ?? 0) >= CRITICAL ||
  ["system-cluster-critical", "system-node-critical"].includes(spec?.priorityClassName ?? "");

/**
 * Tier of a pod, in the order of a graceful node shutdown: ordinary pods, DaemonSets' pods, critical pods, DaemonSets'
 * critical pods. A DaemonSet's pod is only evicted if it has finished, or if its DaemonSet is gone and force allows it;
 * an existing DaemonSet would create another pod on the cordoned node.
 */
export const tierOf = (pod: V1Pod): number => (isCritical(pod) ? 2 : 0) + (daemonSetOf(pod) === undefined ? 0 : 1);

/** Kinds of Kubernetes owners whose pods get random names, so that no other pod gets the same name. */
const RANDOM_NAMES: readonly string[] = ["apps ReplicaSet", " ReplicationController", "batch Job", "apps DaemonSet"];

/** May another pod get this pod's name, as with a StatefulSet? */
export function isNameReused(pod: V1Pod): boolean {
  const owner = controllerOf(pod);
  return !owner || !RANDOM_NAMES.includes(`${groupOf(owner.apiVersion)} ${owner.kind}`);
}

/** Converts a time of the client to milliseconds since the epoch; undefined if there is none. */
export const timeOf = (value: Date | string | undefined): number | undefined =>
  value === undefined ? undefined : new Date(value).getTime();

/** Milliseconds since the end of a terminating pod's grace period; negative before that end, 0 for other pods. */
export const overdueMs = ({ metadata }: V1Pod, now: number): number => {
  const end = timeOf(metadata?.deletionTimestamp);
  return end === undefined ? 0 : now - end;
};

/** Running pods that a drain evicts: not static, not a probe, not a DaemonSet's, not finished. */
export const podsToEvict = (pods: readonly V1Pod[]): V1Pod[] =>
  pods.filter((pod) => !isMirror(pod) && !isProbe(pod) && daemonSetOf(pod) === undefined && !isFinished(pod));

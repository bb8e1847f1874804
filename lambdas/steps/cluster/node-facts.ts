import type { V1Node, V1Pod, V1Volume } from "@kubernetes/client-node";
import { BUILD_LABEL, QUARANTINED, startingTaint, taintText } from "../../cluster/node-keys.ts";
import type { NodeBoot } from "../../health/probed-node.ts";
import { releaseOfBuild, type WindowsRelease } from "../../machine/windows-builds.ts";
import type { NodeDetails } from "../../messages/node/details.ts";
import type { NodeRow } from "../../messages/node/nodes-table.ts";
import type { MovedPod } from "../../messages/plan/moved-pods.ts";
import { utc } from "../../messages/slack/age.ts";
import { poolOf } from "../../tags.ts";
import { isExpendable, podName, podsToEvict } from "../drain/pods.ts";
import type { Machine } from "../ec2/instances.ts";

const ROLE_LABEL = "node-role.kubernetes.io/";

/** A node's labels; empty if it has none. */
export const labelsOf = (node: V1Node): Readonly<Record<string, string>> => node.metadata?.labels ?? {};

/** Is it labelled as a Windows node? Casement never changes any other node. */
export const isWindows = (node: V1Node): boolean => labelsOf(node)["kubernetes.io/os"] === "windows";

/** Does it run Linux? A Node without the label is of neither system. */
export const isLinux = (node: V1Node): boolean => labelsOf(node)["kubernetes.io/os"] === "linux";

/** Does it carry the start-up taint, which Casement takes off once the node may take pods? */
export const isStarting = ({ spec }: V1Node): boolean =>
  (spec?.taints ?? []).some(({ key }) => key === startingTaint.key);

/** Is it labelled as a node of the control plane? */
export const isControlPlane = (node: V1Node): boolean =>
  Object.keys(labelsOf(node)).some((key) => /^node-role\.kubernetes\.io\/(control-plane|master)$/.test(key));

/** Parses the instance id from a node's provider id: `aws:///us-west-2a/i-0abc` → `i-0abc`. */
export const instanceIdOf = (node: V1Node): string | null =>
  /^aws:\/\/\/[^/]+\/(i-[0-9a-f]+)$/.exec(node.spec?.providerID ?? "")?.[1] ?? null;

/** Id of the machine's boot, as the kubelet reports it; null if it has not reported one, or there is no Node. */
export const bootIdOf = (node: V1Node | null): string | null => node?.status?.nodeInfo?.bootID || null;

/** The node and its boot, which identify the results of probes. */
export const bootedOf = (node: V1Node): NodeBoot => ({ uid: node.metadata?.uid ?? "", bootId: bootIdOf(node) });

/**
 * Windows release of a node, by its pool or otherwise its kubelet's label; undefined if neither names a release that
 * Casement knows.
 */
export const windowsReleaseOf = (
  node: V1Node,
  pool: { readonly windows: WindowsRelease } | undefined,
): WindowsRelease | undefined => pool?.windows ?? releaseOfBuild(labelsOf(node)[BUILD_LABEL] ?? "");

/** Is the node Ready, according to its kubelet? */
export const isReady = (node: V1Node): boolean => conditionOf(node, "Ready")?.status === "True";

/** Milliseconds since the epoch of the last change of the node's condition Ready; 0 if unknown. */
export const readySince = (node: V1Node): number =>
  new Date(conditionOf(node, "Ready")?.lastTransitionTime ?? 0).getTime();

/**
 * The reason why a node is out of service, with its beginning where the cluster tells it: "NotReady since 2026-11-21 14:32
 * UTC", "cordoned"; null for a node in service.
 */
export function awayReason(node: V1Node): string | null {
  if (isReady(node)) return node.spec?.unschedulable === true ? "cordoned" : null;
  const since = readySince(node);
  return since === 0 ? "NotReady" : `NotReady since ${utc(new Date(since).toISOString())}`;
}

const conditionOf = (node: V1Node, type: string) =>
  node.status?.conditions?.find((condition) => condition.type === type);

/** Formats kubectl's STATUS column (printNode in pkg/printers/internalversion/printers.go). */
export function statusOf(node: V1Node): string {
  const unready = conditionOf(node, "Ready") ? "NotReady" : "Unknown";
  const status = isReady(node) ? "Ready" : unready;
  return node.spec?.unschedulable ? `${status},SchedulingDisabled` : status;
}

/** Formats kubectl's ROLES column (findNodeRoles in the same file). */
function rolesOf(node: V1Node): string[] {
  const labels = labelsOf(node);
  const named = Object.keys(labels).filter((label) => label.startsWith(ROLE_LABEL));
  const roles = [...named.map((label) => label.slice(ROLE_LABEL.length)), labels["kubernetes.io/role"] ?? ""];
  return [...new Set(roles)].filter((role) => role !== "").sort();
}

/** Formats STATUS for the list of nodes: Casement adds a quarantine to kubectl's words. */
const shownStatus = (node: V1Node): string =>
  labelsOf(node)[QUARANTINED] === undefined ? statusOf(node) : `${statusOf(node)},Quarantined`;

/** One line of the list of nodes. */
export const rowOf = (node: V1Node, machine: Machine | undefined): NodeRow => ({
  name: node.metadata?.name ?? "",
  status: shownStatus(node),
  roles: rolesOf(node),
  createdAt: new Date(node.metadata?.creationTimestamp ?? 0).toISOString(),
  version: node.status?.nodeInfo?.kubeletVersion ?? "",
  pool: poolOf(machine),
  build: labelsOf(node)[BUILD_LABEL] ?? null,
  instanceId: instanceIdOf(node),
});

/** The facts of `kubectl describe node` that matter in an incident. */
export const detailsOf = (
  node: V1Node,
  machine: Machine | undefined,
  pods: readonly V1Pod[],
  more: Pick<NodeDetails, "ownership" | "heldBy">,
): NodeDetails => ({
  ...rowOf(node, machine),
  addresses: [...new Set((node.status?.addresses ?? []).map(({ address }) => address))],
  osImage: node.status?.nodeInfo?.osImage ?? "",
  containerRuntime: node.status?.nodeInfo?.containerRuntimeVersion ?? "",
  instanceType: labelsOf(node)["node.kubernetes.io/instance-type"] ?? null,
  zone: machine?.zone ?? null,
  instanceState: machine?.state ?? null,
  ownership: more.ownership,
  taints: (node.spec?.taints ?? []).map(taintText),
  conditions: (node.status?.conditions ?? []).map(({ type, status, reason, lastTransitionTime }) => ({
    type,
    status,
    reason: reason ?? "",
    since: new Date(lastTransitionTime ?? 0).toISOString(),
  })),
  pods: pods.map((pod) => `${pod.metadata?.namespace}/${pod.metadata?.name}`),
  heldBy: more.heldBy,
});

const localVolume = (volume: V1Volume): string[] => {
  if (volume.emptyDir) return [`emptyDir ${volume.name}`];
  return volume.hostPath ? [`hostPath ${volume.hostPath.path}`] : [];
};

/**
 * The pods that leave a node, and what each would lose.
 * @param uncertain names of the pods whose owners may not create others
 */
export const movedPods = (pods: readonly V1Pod[], uncertain: ReadonlySet<string> = new Set()): MovedPod[] =>
  podsToEvict(pods).map((pod) => {
    const owner = (pod.metadata?.ownerReferences ?? []).find((reference) => reference.controller);
    return {
      namespace: pod.metadata?.namespace ?? "",
      name: pod.metadata?.name ?? "",
      owner: owner ? `${owner.kind} ${owner.name}` : null,
      ...(uncertain.has(podName(pod)) ? { isUncertain: true as const } : {}),
      localData: (pod.spec?.volumes ?? [])
        .filter(({ name, emptyDir }) => !emptyDir || !isExpendable(pod, name))
        .flatMap(localVolume),
    };
  });

import type { V1Node, V1Pod, V1Volume } from "@kubernetes/client-node";
import type { NodeDetails } from "../messages/node-details.ts";
import type { NodeRow } from "../messages/nodes-table.ts";
import type { MovedPod } from "../messages/removal-dialog.ts";
import type { RemovalRefusal } from "../messages/removal-refusal.ts";
import { podsToEvict } from "./evictions.ts";
import { isOurs, type Machine } from "./instances.ts";

export const BUILD_LABEL = "node.kubernetes.io/windows-build";
const ROLE_LABEL = "node-role.kubernetes.io/";

const labelsOf = (node: V1Node): Readonly<Record<string, string>> => node.metadata?.labels ?? {};

/** Only nodes that say they are Windows; anything else is never acted on. */
export const isWindows = (node: V1Node): boolean => labelsOf(node)["kubernetes.io/os"] === "windows";

/** `aws:///us-west-2a/i-0abc` → `i-0abc` */
export const instanceIdOf = (node: V1Node): string | null =>
  /^aws:\/\/\/[^/]+\/(i-[0-9a-f]+)$/.exec(node.spec?.providerID ?? "")?.[1] ?? null;

/** The kubelet's own word. */
export const isReady = (node: V1Node): boolean => conditionOf(node, "Ready")?.status === "True";

const conditionOf = (node: V1Node, type: string) =>
  node.status?.conditions?.find((condition) => condition.type === type);

/** kubectl's STATUS column (printNode in pkg/printers/internalversion/printers.go). */
export function statusOf(node: V1Node): string {
  const unready = conditionOf(node, "Ready") ? "NotReady" : "Unknown";
  const status = isReady(node) ? "Ready" : unready;
  return node.spec?.unschedulable ? `${status},SchedulingDisabled` : status;
}

/** kubectl's ROLES column (findNodeRoles in the same file). */
function rolesOf(node: V1Node): string[] {
  const labels = labelsOf(node);
  const named = Object.keys(labels).filter((label) => label.startsWith(ROLE_LABEL));
  const roles = [...named.map((label) => label.slice(ROLE_LABEL.length)), labels["kubernetes.io/role"] ?? ""];
  return [...new Set(roles)].filter((role) => role !== "").sort();
}

/** One line of the list of nodes. */
export const rowOf = (node: V1Node, machine: Machine | undefined): NodeRow => ({
  name: node.metadata?.name ?? "",
  status: statusOf(node),
  roles: rolesOf(node),
  createdAt: new Date(node.metadata?.creationTimestamp ?? 0).toISOString(),
  version: node.status?.nodeInfo?.kubeletVersion ?? "",
  pool: machine?.tags["casement:pool"] ?? null,
  build: labelsOf(node)[BUILD_LABEL] ?? null,
  instanceId: instanceIdOf(node),
});

/** A machine that another controller of the cluster calls its own. */
export interface Claim {
  /** Instance id, address or DNS name, as the claim has it. */
  readonly machine: string;
  readonly kind: "machine-set" | "machine" | "windows-instances";
  /** Name of the MachineSet or Machine; the entry's key. */
  readonly owner: string;
}

/** The claim on a machine, by exactly its instance id, address or name. */
export const claimOn = (machine: Machine, claimed: readonly Claim[]): Claim | undefined => {
  const own = [machine.instanceId, machine.privateIp, machine.privateDnsName];
  return claimed.find((claim) => own.includes(claim.machine.toLowerCase()));
};

const tagOf = (machine: Machine | undefined, ...keys: readonly string[]): string | undefined =>
  keys.map((key) => machine?.tags[key]).find((value) => value !== undefined);

/** Whose machine it is; doubt means observed. */
export function ownershipOf(
  machine: Machine | undefined,
  cluster: string,
  claimed: readonly Claim[],
): "managed" | "assisted" | "observed" {
  if (!machine) return "observed";
  if (ownerOf(machine, claimed)) return "assisted";
  return isOurs(machine, cluster) ? "managed" : "observed";
}

/** Another controller that would replace the machine, or that owns it. */
function ownerOf(machine: Machine, claimed: readonly Claim[]): RemovalRefusal | null {
  const group = tagOf(machine, "aws:autoscaling:groupName");
  const nodeGroup = tagOf(machine, "eks:nodegroup-name");
  const karpenter = tagOf(machine, "karpenter.sh/nodeclaim", "karpenter.sh/nodepool", "karpenter.sh/provisioner-name");
  if (karpenter) return { kind: "karpenter", owner: karpenter };
  if (nodeGroup) return { kind: "node-group", owner: nodeGroup };
  if (group) return { kind: "auto-scaling-group", owner: group };
  const claim = claimOn(machine, claimed);
  return claim ? { kind: claim.kind, owner: claim.owner } : null;
}

/** `kubectl describe node`, shortened to what one asks at night. */
export const detailsOf = (
  node: V1Node,
  machine: Machine | undefined,
  pods: readonly V1Pod[],
  more: { readonly cluster: string; readonly claimed: readonly Claim[]; readonly heldBy: string | null },
): NodeDetails => ({
  ...rowOf(node, machine),
  addresses: [...new Set((node.status?.addresses ?? []).map(({ address }) => address))],
  osImage: node.status?.nodeInfo?.osImage ?? "",
  containerRuntime: node.status?.nodeInfo?.containerRuntimeVersion ?? "",
  instanceType: labelsOf(node)["node.kubernetes.io/instance-type"] ?? null,
  zone: machine?.zone ?? null,
  instanceState: machine?.state ?? null,
  ownership: ownershipOf(machine, more.cluster, more.claimed),
  taints: (node.spec?.taints ?? []).map(({ key, value, effect }) => `${key}${value ? `=${value}` : ""}:${effect}`),
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

/** The pods that a removal moves, and what each would lose. */
export const movedPods = (pods: readonly V1Pod[]): MovedPod[] =>
  podsToEvict(pods).map((pod) => {
    const owner = (pod.metadata?.ownerReferences ?? []).find((reference) => reference.controller);
    return {
      namespace: pod.metadata?.namespace ?? "",
      name: pod.metadata?.name ?? "",
      owner: owner ? `${owner.kind} ${owner.name}` : null,
      localData: (pod.spec?.volumes ?? []).flatMap(localVolume),
    };
  });

/** Pods that only this build of Windows can run: their own selector says so, or they run on such a node now. */
const podsNeeding = (build: string, node: V1Node, pods: readonly V1Pod[]): number =>
  podsToEvict(pods).filter(
    (pod) =>
      pod.spec?.nodeName === node.metadata?.name ||
      (!pod.spec?.nodeName && pod.spec?.nodeSelector?.[BUILD_LABEL] === build),
  ).length;

/** What a removal is judged by. */
export interface RemovalGround {
  readonly node: V1Node;
  readonly machine: Machine | undefined;
  readonly nodes: readonly V1Node[];
  /** All pods of the cluster. */
  readonly pods: readonly V1Pod[];
  readonly cluster: string;
  readonly claimed: readonly Claim[];
  readonly isProtected: boolean;
  /** The operation that holds the machine, other than the one that asks. */
  readonly heldBy: string | null;
}

/** Taints of a node that is not in service: being set up, lost, shut down. Pods of the build may tolerate other taints. */
const OUT_OF_SERVICE = ["casement.dev/", "node.kubernetes.io/", "node.cloudprovider.kubernetes.io/"];

/** May new pods go there? */
const isInService = (node: V1Node): boolean =>
  isReady(node) &&
  !node.spec?.unschedulable &&
  !(node.spec?.taints ?? []).some(
    ({ key, effect }) => effect !== "PreferNoSchedule" && OUT_OF_SERVICE.some((prefix) => key.startsWith(prefix)),
  );

function lastOfBuild({ node, nodes, pods }: RemovalGround): RemovalRefusal | null {
  const build = labelsOf(node)[BUILD_LABEL];
  if (!build) return null;
  const others = nodes.filter(
    (other) =>
      other.metadata?.name !== node.metadata?.name && isWindows(other) && labelsOf(other)[BUILD_LABEL] === build,
  );
  if (others.some(isInService)) return null;
  const needing = podsNeeding(build, node, pods);
  return needing > 0 ? { kind: "last-of-build", build, pods: needing } : null;
}

/** Why a node may not be removed; null when it may. Ownership comes before safety, doubt counts as no. */
export function removalRefusalOf(ground: RemovalGround): RemovalRefusal | null {
  const { node, machine, cluster, claimed, isProtected, heldBy } = ground;
  if (!isWindows(node)) return { kind: "linux" };
  if (!machine) return { kind: "no-instance" };
  const owner = ownerOf(machine, claimed);
  if (owner) return owner;
  if (ownershipOf(machine, cluster, claimed) !== "managed") return { kind: "not-launched-by-us" };
  if (isProtected) return { kind: "termination-protected" };
  return heldBy ? { kind: "busy", operation: heldBy } : lastOfBuild(ground);
}

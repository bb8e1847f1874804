import type { V1Node, V1ObjectMeta } from "@kubernetes/client-node";
import type { GroupMember } from "../../clients/auto-scaling.ts";
import type { OtherController } from "../../messages/node/other-controllers.ts";
import type { Claim } from "../cluster/claims.ts";
import { ownerOf } from "../cluster/ownership.ts";
import type { Machine } from "../ec2/instances.ts";

/** Changes to a node that another controller may answer to. */
export type Disruption = "drain" | "reboot" | "remove";

/** A Machine of the machine API, as far as it is judged here. */
export interface MachineFacts {
  readonly metadata: V1ObjectMeta;
}

/** A MachineHealthCheck of the machine API, as far as it is judged here. */
export interface HealthCheck {
  readonly metadata: V1ObjectMeta;
  readonly spec?: {
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly unhealthyConditions?: readonly { readonly type: string; readonly timeout: string }[];
  };
}

/** An SSM association that runs on the instance by a schedule of its own. */
export interface Association {
  readonly name: string;
  readonly document: string;
}

/** State of an instance as Patch Manager reported it last. */
export interface PatchState {
  /** Updates that are installed and wait for a reboot. */
  readonly pending: number;
  /** Its last run was told to reboot by itself where an update asks for it (`RebootIfNeeded`). */
  readonly reboots: boolean;
}

/** Facts that other controllers are recognised by. */
export interface Traces {
  readonly node: V1Node;
  readonly machine: Machine | undefined;
  readonly claimed: readonly Claim[];
  /** The Machine behind the node; null where there is none. */
  readonly machineFacts: MachineFacts | null;
  readonly healthChecks: readonly HealthCheck[];
  readonly associations: readonly Association[];
  /** Null for an instance that Patch Manager never scanned. */
  readonly patches: PatchState | null;
  /** Its Auto Scaling group's view of it; null where it is in none, or where that could not be read. */
  readonly groupMember: GroupMember | null;
}

/** Annotation of kured while it drains and reboots a node (kured's cmd/kured/main.go, `--annotate-nodes`). */
const KURED_IN_PROGRESS = "weave.works/kured-reboot-in-progress";
const KURED = [KURED_IN_PROGRESS, "weave.works/kured-most-recent-reboot-needed"];

/** Annotation with which WMCO asks itself for a reboot of its node, and the one on every node that it configured. */
const WMCO_REBOOT = "windowsmachineconfig.openshift.io/reboot-required";
const WMCO_VERSION = "windowsmachineconfig.openshift.io/version";

/** Taint of a node that the cluster autoscaler is deleting (cluster-autoscaler/utils/taints). */
const AUTOSCALER_DELETES = "ToBeDeletedByClusterAutoscaler";

/** Taint of a node that Karpenter takes away (karpenter's apis/v1/taints.go). */
const KARPENTER_DISRUPTS = "karpenter.sh/disrupted";

/** A paused check remediates nothing; the annotation's value does not matter (machine API operator). */
const PAUSED = "cluster.x-k8s.io/paused";

/** Keeps Karpenter from taking a node away that has become empty (its documentation, "Node-Level Controls"). */
const DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt";

/** Tag that Auto Scaling sets on the instances of a group. */
const GROUP_TAG = "aws:autoscaling:groupName";

/** SSM documents that reboot by themselves: patching, and the updates that may ask for it. */
const REBOOTING = ["AWS-RunPatchBaseline", "AWS-RunPatchBaselineAssociation", "AWS-InstallWindowsUpdates"];

const onNode = ({ metadata, spec }: V1Node): OtherController[] => {
  const annotations = metadata?.annotations ?? {};
  const taints = (spec?.taints ?? []).map(({ key }) => key);
  return [
    ...(WMCO_VERSION in annotations ? [{ kind: "wmco", acting: WMCO_REBOOT in annotations } as const] : []),
    ...(KURED.some((key) => key in annotations)
      ? [{ kind: "kured", acting: KURED_IN_PROGRESS in annotations } as const]
      : []),
    ...(taints.includes(AUTOSCALER_DELETES) ? [{ kind: "autoscaler", acting: true } as const] : []),
    ...(taints.includes(KARPENTER_DISRUPTS) ? [{ kind: "karpenter", acting: true } as const] : []),
  ];
};

const selects = ({ spec }: HealthCheck, labels: Readonly<Record<string, string>>): boolean =>
  Object.entries(spec?.selector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value);

/** Annotation by which a person or an autoscaler chooses the Machine that a smaller MachineSet loses first. */
const CHOSEN_TO_GO = "machine.openshift.io/delete-machine";

/** The Machine as such: one that is being deleted takes the node with it. */
const onMachine = ({ machineFacts }: Traces): OtherController[] => {
  if (machineFacts === null) return [];
  const { name = "", annotations = {}, deletionTimestamp } = machineFacts.metadata;
  if (deletionTimestamp !== undefined) return [{ kind: "machine-deleted", name, acting: true }];
  return CHOSEN_TO_GO in annotations ? [{ kind: "machine-chosen", name }] : [];
};

const healthChecksOf = ({ machineFacts, healthChecks }: Traces): OtherController[] =>
  machineFacts === null
    ? []
    : healthChecks
        .filter(
          (check) =>
            !(PAUSED in (check.metadata.annotations ?? {})) && selects(check, machineFacts.metadata.labels ?? {}),
        )
        .map(({ metadata, spec }) => ({
          kind: "health-check",
          name: metadata.name ?? "",
          timeout: spec?.unhealthyConditions?.find(({ type }) => type === "Ready")?.timeout ?? "its default",
        }));

/**
 * An instance that is InService is replaced when a health check fails, as it does while Windows reboots. With HealthCheck suspended
 * no check counts; an instance in Standby is not checked (Auto Scaling user guide, "Considerations for suspending processes").
 * ReplaceUnhealthy alone is not enough: what was marked meanwhile is replaced when it is resumed.
 */
function scalingGroupOf({ machine, groupMember }: Traces): OtherController[] {
  const group = machine?.tags[GROUP_TAG];
  if (group === undefined) return [];
  if (groupMember === null) return [{ kind: "group-check", group, instance: machine?.instanceId ?? "", checks: null }];
  const { lifecycle, suspended, checks } = groupMember;
  if (lifecycle !== "InService" || suspended.includes("HealthCheck")) return [];
  return [{ kind: "group-check", group, instance: machine?.instanceId ?? "", checks }];
}

/** Karpenter takes away a node that a drain has emptied. */
const emptiedByKarpenter = ({ node }: Traces): OtherController[] =>
  node.metadata?.annotations?.[DO_NOT_DISRUPT] === "true" ? [] : [{ kind: "karpenter-consolidates" }];

/** Do the instance's tags name an Auto Scaling group? */
export const isInGroup = (machine: Pick<Machine, "tags"> | undefined): boolean =>
  machine !== undefined && GROUP_TAG in machine.tags;

/** Recognises everything beside Casement that may reboot, delete or uncordon the node. */
export function otherControllersOf(traces: Traces): OtherController[] {
  const owner = traces.machine && ownerOf(traces.machine, traces.claimed);
  return [
    ...(owner ? [{ kind: "owner", owner } as const] : []),
    ...(owner?.kind === "karpenter" ? emptiedByKarpenter(traces) : []),
    ...scalingGroupOf(traces),
    ...onNode(traces.node),
    ...onMachine(traces),
    ...healthChecksOf(traces),
    ...(traces.patches && traces.patches.pending > 0 ? [{ kind: "updates", ...traces.patches } as const] : []),
    ...traces.associations
      .filter(({ document }) => REBOOTING.includes(document))
      .map(({ name, document }) => ({ kind: "association", name, document }) as const),
  ];
}

/**
 * Does the controller stand against the change? One that is at work on the node now stands against any; one that answers
 * to a node that is away stands against a reboot; one that takes empty nodes away, against a drain too; an owner that would replace
 * the machine, against its removal.
 */
export function conflictsWith(controller: OtherController, disruption: Disruption): boolean {
  if ("acting" in controller) return controller.acting;
  if (controller.kind === "health-check" || controller.kind === "group-check") return disruption === "reboot";
  if (controller.kind === "karpenter-consolidates") return disruption !== "remove";
  return controller.kind === "owner" && disruption === "remove";
}

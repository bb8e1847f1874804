import type { V1LabelSelector, V1Node, V1ObjectMeta } from "@kubernetes/client-node";
import type { GroupMember } from "../../clients/auto-scaling.ts";
import { type DeletionMark, deletionMarksOf, type SeenMarks } from "../../cluster/deletion-marks.ts";
import { KURED_IN_PROGRESS, WMCO_REBOOT } from "../../cluster/node-keys.ts";
import type { OtherController } from "../../messages/node/other-controllers.ts";
import { age } from "../../messages/slack/age.ts";
import type { MachineClaim } from "../cluster/claims.ts";
import { selects } from "../cluster/label-selector.ts";
import { ownerOf } from "../cluster/ownership.ts";
import type { Machine } from "../ec2/instances.ts";

/** Changes to a node to which another controller may react. */
export type Disruption = "drain" | "reboot" | "restart" | "remove";

/** The fields of a machine API Machine that are judged here. */
export interface MachineMetadata {
  readonly metadata: V1ObjectMeta;
}

/** The fields of a machine API MachineHealthCheck that are judged here. */
export interface HealthCheck {
  readonly metadata: V1ObjectMeta;
  readonly spec?: {
    readonly selector?: V1LabelSelector;
    readonly unhealthyConditions?: readonly { readonly type: string; readonly timeout: string }[];
  };
}

/** An SSM association that runs on the instance on its own schedule. */
export interface Association {
  readonly name: string;
  readonly document: string;
}

/** Patch Manager's last report about an instance. */
export interface PatchState {
  /** Number of installed updates that wait for a reboot. */
  readonly pending: number;
  /** Was the last run allowed to reboot the machine if an update requires it (`RebootIfNeeded`)? */
  readonly reboots: boolean;
}

/** Facts by which other controllers are recognised. */
export interface Traces {
  readonly node: V1Node;
  readonly machine: Machine | undefined;
  readonly claimed: readonly MachineClaim[];
  /** The Machine behind the node; null if there is none. */
  readonly machineFacts: MachineMetadata | null;
  readonly healthChecks: readonly HealthCheck[];
  readonly associations: readonly Association[];
  /** Null if Patch Manager has never scanned the instance. */
  readonly patches: PatchState | null;
  /** The instance as its Auto Scaling group sees it; null if it belongs to no group, or the group could not be read. */
  readonly groupMember: GroupMember | null;
  /** Marks of autoscalers and of WMCO that scheduled observations have found on the Node. */
  readonly marks: SeenMarks;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const KURED = [KURED_IN_PROGRESS, "weave.works/kured-most-recent-reboot-needed"];

/** Annotation that WMCO sets on every node that it configured. */
const WMCO_VERSION = "windowsmachineconfig.openshift.io/version";

/** Soft taint of a node that the cluster autoscaler finds unneeded (cluster-autoscaler/utils/taints). */
const AUTOSCALER_CANDIDATE = "DeletionCandidateOfClusterAutoscaler";

/** Annotation of a paused health check, which remediates nothing. Its value does not matter (machine API operator). */
const PAUSED = "cluster.x-k8s.io/paused";

/** Annotation that keeps Karpenter from deleting an empty node (its documentation, "Node-Level Controls"). */
const DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt";

/** Tag that Auto Scaling sets on the instances of a group. */
const GROUP_TAG = "aws:autoscaling:groupName";

/**
 * Lifecycle states of an instance that its group terminates: EC2 calls it running as long as a hook holds it (Auto Scaling user
 * guide, "Amazon EC2 Auto Scaling instance lifecycle").
 */
const LEAVING = /^(?:Warmed:)?Terminat/;

/** SSM documents that may reboot the machine: those that install patches or updates. */
const REBOOTING = ["AWS-RunPatchBaseline", "AWS-RunPatchBaselineAssociation", "AWS-InstallWindowsUpdates"];

/** Age in milliseconds from which on kured's mark is left behind: its drain does not last longer. */
const KURED_LEFT_MS = 30 * 60_000;

/** A mark whose time cannot be read is as old as its first scheduled observation. */
function kuredMark(annotations: Readonly<Record<string, string>>, { marks, now }: Traces) {
  if (!(KURED_IN_PROGRESS in annotations)) return { acting: false };
  const written = Date.parse(annotations[KURED_IN_PROGRESS] ?? "");
  const since = Number.isNaN(written) ? Date.parse(marks[KURED_IN_PROGRESS] ?? "") : written;
  return now - since > KURED_LEFT_MS ? { acting: false, age: age(now - since) } : { acting: true };
}

/** Age in milliseconds from which on WMCO has forgotten the reboot that it asked for, and the deletion of a Machine stands still (chosen). */
const STALLED_MS = 60 * 60_000;

/** Judges work by its beginning. @param since ISO 8601 */
const workSince = (since: string, now: number) => {
  const lasts = now - Date.parse(since);
  return lasts > STALLED_MS ? { acting: false, age: age(lasts) } : { acting: true };
};

const wmcoMark = (annotations: Readonly<Record<string, string>>, { marks, now }: Traces) =>
  WMCO_REBOOT in annotations ? workSince(marks[WMCO_REBOOT] ?? "", now) : { acting: false };

const deleterOf = ({ key, by, since, isLeft }: DeletionMark, now: number): OtherController => ({
  kind: by,
  key,
  acting: !isLeft,
  ...(since === null ? {} : { age: age(now - Date.parse(since)) }),
});

const onNode = (traces: Traces): OtherController[] => {
  const { node, marks, now } = traces;
  const annotations = node.metadata?.annotations ?? {};
  const isCandidate = node.spec?.taints?.some(({ key }) => key === AUTOSCALER_CANDIDATE) === true;
  return [
    ...(WMCO_VERSION in annotations ? [{ kind: "wmco", ...wmcoMark(annotations, traces) } as const] : []),
    ...(KURED.some((key) => key in annotations) ? [{ kind: "kured", ...kuredMark(annotations, traces) } as const] : []),
    ...deletionMarksOf(node, marks, now).map((mark) => deleterOf(mark, now)),
    ...(isCandidate ? [{ kind: "autoscaler-candidate" } as const] : []),
  ];
};

/**
 * Annotation by which a person or an autoscaler chooses the Machine that is deleted first if its MachineSet shrinks.
 */
const CHOSEN_TO_GO = "machine.openshift.io/delete-machine";

/** Judges the Machine itself: deleting it deletes the node. */
const onMachine = ({ machineFacts, now }: Traces): OtherController[] => {
  if (machineFacts === null) return [];
  const { name = "", annotations = {}, deletionTimestamp } = machineFacts.metadata;
  if (deletionTimestamp !== undefined)
    return [{ kind: "machine-deleted", name, ...workSince(new Date(deletionTimestamp).toISOString(), now) }];
  return CHOSEN_TO_GO in annotations ? [{ kind: "machine-chosen", name }] : [];
};

const healthChecksOf = ({ machineFacts, healthChecks }: Traces): OtherController[] =>
  machineFacts === null
    ? []
    : healthChecks
        .filter(
          (check) =>
            !(PAUSED in (check.metadata.annotations ?? {})) &&
            selects(check.spec?.selector, machineFacts.metadata.labels),
        )
        .map(({ metadata, spec }) => ({
          kind: "health-check",
          name: metadata.name ?? "",
          timeout: spec?.unhealthyConditions?.find(({ type }) => type === "Ready")?.timeout ?? "its default",
        }));

/**
 * Finds the Auto Scaling group that may replace the instance. A group replaces an InService instance whose health check
 * fails, as it does while Windows reboots. No check is made while HealthCheck is suspended, or for an instance in
 * Standby (Auto Scaling user guide, "Considerations for suspending processes"). Suspending only ReplaceUnhealthy is not
 * enough: the group replaces what was marked unhealthy meanwhile as soon as it is resumed.
 */
function scalingGroupOf({ machine, groupMember }: Traces): OtherController[] {
  const group = machine?.tags[GROUP_TAG];
  if (group === undefined) return [];
  if (groupMember === null) return [{ kind: "group-check", group, instance: machine?.instanceId ?? "", checks: null }];
  const { lifecycle, suspended, checks } = groupMember;
  if (LEAVING.test(lifecycle)) return [{ kind: "group-ends", group, lifecycle, acting: true }];
  if (lifecycle !== "InService" || suspended.includes("HealthCheck")) return [];
  return [{ kind: "group-check", group, instance: machine?.instanceId ?? "", checks }];
}

/** Karpenter deletes a node that a drain has emptied, unless an annotation forbids it. */
const emptiedByKarpenter = ({ node }: Traces): OtherController[] =>
  node.metadata?.annotations?.[DO_NOT_DISRUPT] === "true" ? [] : [{ kind: "karpenter-consolidates" }];

/** Do the instance's tags name an Auto Scaling group? */
export const isInGroup = (machine: Pick<Machine, "tags"> | undefined): boolean =>
  machine !== undefined && GROUP_TAG in machine.tags;

/** Lists everything except Casement that may reboot, delete or uncordon the node. */
export function otherControllersOf(traces: Traces): OtherController[] {
  const owner = traces.machine && ownerOf(traces.machine, traces.claimed);
  return [
    ...(owner ? [{ kind: "owner", owner } as const] : []),
    ...(owner?.kind === "karpenter" ? emptiedByKarpenter(traces) : []),
    ...scalingGroupOf(traces),
    ...onNode(traces),
    ...onMachine(traces),
    ...healthChecksOf(traces),
    ...(traces.patches && traces.patches.pending > 0 ? [{ kind: "updates", ...traces.patches } as const] : []),
    ...traces.associations
      .filter(({ document }) => REBOOTING.includes(document))
      .map(({ name, document }) => ({ kind: "association", name, document }) as const),
  ];
}

/**
 * Does the controller conflict with the change? One that is acting on the node now conflicts with every change; one
 * that reacts to an unavailable node, with a reboot or a restart of services; one that deletes empty nodes, with a drain or a
 * reboot; an owner that would replace the machine, with its removal.
 */
export function conflictsWith(controller: OtherController, disruption: Disruption): boolean {
  if ("acting" in controller) return controller.acting;
  if (controller.kind === "health-check" || controller.kind === "group-check")
    return disruption === "reboot" || disruption === "restart";
  if (controller.kind === "karpenter-consolidates") return disruption === "drain" || disruption === "reboot";
  return controller.kind === "owner" && disruption === "remove";
}

import type { V1Node, V1Taint } from "@kubernetes/client-node";
import { CORDONED_BY, QUARANTINED } from "../../cluster/node-keys.ts";
import type { CordonOutcome } from "../../messages/node/cordon.ts";

/**
 * Taint that the node lifecycle controller sets on cordoned nodes, with the time (SwapNodeControllerTaint in k8s
 * pkg/controller/util/node).
 */
const UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

/** Milliseconds in which that controller notices a cordon (assumed), including the difference between clocks. */
const NOTICED_WITHIN_MS = 2 * 60_000;

/** The ledger's record of a cordon and its owner, written before the Node is changed. */
export interface CordonRecord {
  readonly node: string;
  readonly uid: string;
  readonly instanceId: string;
  readonly operation: string;
  readonly index: number;
  /** Was the node cordoned before? A node that others cordoned stays cordoned. */
  readonly wasUnschedulable: boolean;
  /** Marks that the operation adds to the Node besides the cordon. */
  readonly adds: {
    readonly taints: readonly V1Taint[];
    readonly annotations: Readonly<Record<string, string>>;
    readonly labels: Readonly<Record<string, string>>;
  };
  /** ISO 8601. */
  readonly at: string;
}

/** A merge patch of a Node. */
export interface NodePatch {
  readonly metadata: object;
  readonly spec: object;
}

/** The decision how to restore a Node, and the merge patch for it if one is needed. */
export interface GiveBack {
  readonly outcome: CordonOutcome;
  readonly patch: NodePatch | null;
}

const isCordoned = (node: V1Node): boolean => node.spec?.unschedulable === true;

/** The name that the record's cordon has on the Node: an earlier operation's where its cordon was passed on. */
const nameOf = ({ operation, adds }: CordonRecord): string => adds.annotations[CORDONED_BY] ?? operation;

const ownerOn = (node: V1Node): string | undefined => node.metadata?.annotations?.[CORDONED_BY];

/**
 * Is the node's cordon younger than the operation's? Then another actor set it, after the node had been uncordoned in
 * between.
 */
function isYounger(node: V1Node, at: string): boolean {
  const since = node.spec?.taints?.find(({ key }) => key === UNSCHEDULABLE)?.timeAdded;
  return since !== undefined && new Date(since).getTime() > Date.parse(at) + NOTICED_WITHIN_MS;
}

/** Is the node's current cordon the one in the record? */
export const isRecorded = (node: V1Node, record: CordonRecord): boolean =>
  isCordoned(node) && ownerOn(node) === nameOf(record) && !isYounger(node, record.at);

/**
 * Did others cordon the node, so that it stays cordoned after the operation?
 * @param open the record of a cordon that is still open, by this operation or an earlier one; a kept cordon belongs to
 * the person who asked to keep it
 */
export const isCordonedByOthers = (
  node: V1Node,
  open: (CordonRecord & { readonly keptAt?: string }) | undefined,
): boolean => isCordoned(node) && !(open && open.keptAt === undefined && isRecorded(node, open));

/** The merge patch that cordons a node and marks its owner. */
export const cordonPatch = ({ adds: { annotations, labels } }: Omit<CordonRecord, "at">): NodePatch => ({
  metadata: { annotations, labels },
  spec: { unschedulable: true },
});

const sameTaint = (one: V1Taint, other: V1Taint): boolean =>
  one.key === other.key && (one.value ?? "") === (other.value ?? "") && one.effect === other.effect;

/**
 * A taint in the API server's own format, with times in whole seconds. The client parses times as dates; sent back with
 * fractions, they would look changed to the admission policy.
 */
export const asWritten = ({ timeAdded, ...taint }: V1Taint): object =>
  timeAdded ? { ...taint, timeAdded: new Date(timeAdded).toISOString().replace(/\.\d+Z$/, "Z") } : taint;

/** The operation's marks that are unchanged on the node; marks that others have changed since belong to them. */
function marksOn(node: V1Node, { adds }: CordonRecord) {
  const still = (wanted: Readonly<Record<string, string>>, present: Readonly<Record<string, string>> = {}) =>
    Object.keys(wanted).filter((key) => present[key] === wanted[key]);
  return {
    annotations: still(adds.annotations, node.metadata?.annotations),
    labels: still(adds.labels, node.metadata?.labels),
    taints: (node.spec?.taints ?? []).filter((taint) => adds.taints.some((added) => sameTaint(added, taint))),
  };
}

/**
 * The merge patch that removes the operation's marks, and sets `unschedulable` if given; null if there is nothing to
 * change.
 */
function without(node: V1Node, record: CordonRecord, unschedulable?: boolean): NodePatch | null {
  const { annotations, labels, taints } = marksOn(node, record);
  if (annotations.length + labels.length + taints.length === 0 && unschedulable === undefined) return null;
  const gone = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, null]));
  const kept = (node.spec?.taints ?? []).filter((taint) => !taints.includes(taint)).map(asWritten);
  return {
    metadata: { annotations: gone(annotations), labels: gone(labels) },
    spec: {
      ...(taints.length > 0 ? { taints: kept } : {}),
      ...(unschedulable === undefined ? {} : { unschedulable: unschedulable || null }),
    },
  };
}

const quarantineOff = (node: V1Node): object =>
  node.metadata?.labels?.[QUARANTINED] === undefined ? {} : { [QUARANTINED]: null };

/** A cordon, and the kept cordon of an earlier operation that lies beneath it. */
interface LaidCordon extends CordonRecord {
  readonly kept?: LaidCordon;
}

/** Marks of a cordon, with the labels of the cordons beneath it. */
export const withLabelsBeneath = (adds: CordonRecord["adds"], beneath: LaidCordon | undefined): CordonRecord["adds"] =>
  beneath ? { ...adds, labels: { ...withLabelsBeneath(beneath.adds, beneath.kept).labels, ...adds.labels } } : adds;

/**
 * The merge patch of an uncordon that a person asked for. It removes the cordon, whoever set it, and Casement's marks.
 * @param open the record of the node's cordon, if there is one
 */
export function uncordonPatch(node: V1Node, open: LaidCordon | undefined): NodePatch {
  const marks = open && without(node, { ...open, adds: withLabelsBeneath(open.adds, open.kept) }, false);
  const annotations = { ...(marks?.metadata as { annotations?: object })?.annotations, [CORDONED_BY]: null };
  const labels = { ...(marks?.metadata as { labels?: object })?.labels, ...quarantineOff(node) };
  return { metadata: { ...marks?.metadata, annotations, labels }, spec: { ...marks?.spec, unschedulable: null } };
}

/**
 * Decides how to restore a node that an operation cordoned, or that has the operation's start-up taint.
 * @param node the current Node with the record's name; undefined if there is none
 * @param planned the outcome that an earlier try was about to reach; if the Node already is in that state, that try
 * succeeded
 */
export function judgeGiveBack(
  record: CordonRecord,
  node: V1Node | undefined,
  planned: CordonOutcome | undefined,
): GiveBack {
  if (!node) return { outcome: "deleted", patch: null };
  if (node.metadata?.uid !== record.uid) return { outcome: "replaced", patch: null };
  if (marksOn(node, record).taints.length > 0)
    return { outcome: "cordoned-instead", patch: without(node, record, true) };
  const outcome = outcomeFor(record, node);
  const patch = without(node, record, outcome === "uncordoned" ? false : undefined);
  return { outcome: patch === null && planned && isDone(planned, node) ? planned : outcome, patch };
}

const isDone = (planned: CordonOutcome, node: V1Node): boolean =>
  (planned === "uncordoned" && !isCordoned(node)) || (planned === "cordoned-instead" && isCordoned(node));

/** Has the operation's cordon never come to the Node? `kubectl uncordon` would have left its annotation. */
const wasNeverCordoned = (record: CordonRecord, node: V1Node): boolean =>
  CORDONED_BY in record.adds.annotations && record.adds.taints.length === 0 && ownerOn(node) === undefined;

function outcomeFor(record: CordonRecord, node: V1Node): CordonOutcome {
  if (!isCordoned(node)) return wasNeverCordoned(record, node) ? "never-cordoned" : "schedulable";
  if (record.wasUnschedulable) return "as-before";
  if (isRecorded(node, record)) return "uncordoned";
  const owner = ownerOn(node);
  return owner === undefined || owner === nameOf(record) ? "cordoned-since" : "another-owner";
}

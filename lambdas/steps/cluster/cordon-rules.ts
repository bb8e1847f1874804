import type { V1Node, V1Taint } from "@kubernetes/client-node";
import { CORDONED_BY, QUARANTINED } from "../../desired/node-keys.ts";
import type { CordonOutcome } from "../../messages/node/cordon.ts";

/**
 * Taint that the node lifecycle controller sets on cordoned nodes, with the time (SwapNodeControllerTaint in k8s
 * pkg/controller/util/node).
 */
const UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

/** Time within which that controller notices a cordon (assumed), and clocks may differ. */
const NOTICED_WITHIN_MS = 2 * 60_000;

/** Owner of a cordon, as the ledger keeps it: written before the Node is changed. */
export interface CordonRecord {
  readonly node: string;
  readonly uid: string;
  readonly instanceId: string;
  readonly operation: string;
  readonly index: number;
  /** The state before: a node that was cordoned by others stays cordoned. */
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

/** A judged Node: what becomes of it, and the merge patch that does it, if one is needed. */
export interface GiveBack {
  readonly outcome: CordonOutcome;
  readonly patch: NodePatch | null;
}

const isCordoned = (node: V1Node): boolean => node.spec?.unschedulable === true;

const ownerOn = (node: V1Node): string | undefined => node.metadata?.annotations?.[CORDONED_BY];

/** A cordon that is younger than the operation's was set by another actor, after the node had been uncordoned in between. */
function isYounger(node: V1Node, at: string): boolean {
  const since = node.spec?.taints?.find(({ key }) => key === UNSCHEDULABLE)?.timeAdded;
  return since !== undefined && new Date(since).getTime() > Date.parse(at) + NOTICED_WITHIN_MS;
}

/** Is the cordon that the node has now the one that the record describes? */
export const isRecorded = (node: V1Node, { operation, at }: CordonRecord): boolean =>
  isCordoned(node) && ownerOn(node) === operation && !isYounger(node, at);

/**
 * Is the node cordoned by others, so that it stays cordoned whatever becomes of the operation?
 * @param open the record of a cordon that was not given back yet, by this operation or an earlier one; a kept one is a
 * person's, who asked for it to stay
 */
export const isCordonedByOthers = (
  node: V1Node,
  open: (CordonRecord & { readonly keptAt?: string }) | undefined,
): boolean => isCordoned(node) && !(open && open.keptAt === undefined && isRecorded(node, open));

/** The merge patch that cordons a node and shows its owner. */
export const cordonPatch = ({ adds: { annotations, labels } }: Omit<CordonRecord, "at">): NodePatch => ({
  metadata: { annotations, labels },
  spec: { unschedulable: true },
});

const sameTaint = (one: V1Taint, other: V1Taint): boolean =>
  one.key === other.key && (one.value ?? "") === (other.value ?? "") && one.effect === other.effect;

/**
 * A taint as the API server writes it: its times carry no fraction of a second. The client reads them as dates, and written
 * back as those they would look changed to the admission policy.
 */
export const asWritten = ({ timeAdded, ...taint }: V1Taint): object =>
  timeAdded ? { ...taint, timeAdded: new Date(timeAdded).toISOString().replace(/\.\d+Z$/, "Z") } : taint;

/** Marks that are still as the operation set them; what others changed since is theirs. */
function marksOn(node: V1Node, { adds }: CordonRecord) {
  const still = (wanted: Readonly<Record<string, string>>, present: Readonly<Record<string, string>> = {}) =>
    Object.keys(wanted).filter((key) => present[key] === wanted[key]);
  return {
    annotations: still(adds.annotations, node.metadata?.annotations),
    labels: still(adds.labels, node.metadata?.labels),
    taints: (node.spec?.taints ?? []).filter((taint) => adds.taints.some((added) => sameTaint(added, taint))),
  };
}

/** The merge patch that takes the operation's marks off, and changes `unschedulable` if told; null when nothing is left to do. */
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

/**
 * The merge patch of an uncordon that a person asked for: whoever set the cordon, it goes, with what Casement had marked.
 * @param open the record of the node's cordon, if there is one
 */
export function uncordonPatch(node: V1Node, open: CordonRecord | undefined): NodePatch {
  const marks = open && without(node, open, false);
  const annotations = { ...(marks?.metadata as { annotations?: object })?.annotations, [CORDONED_BY]: null };
  const labels = { ...(marks?.metadata as { labels?: object })?.labels, ...quarantineOff(node) };
  return { metadata: { ...marks?.metadata, annotations, labels }, spec: { ...marks?.spec, unschedulable: null } };
}

/**
 * Judges how a node is given back that an operation cordoned, or that carries its start-up taint.
 * @param node the Node of the record's name as it is now; undefined when there is none
 * @param planned what an earlier try was about to do: if the Node is as that would leave it, it has been done
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

function outcomeFor(record: CordonRecord, node: V1Node): CordonOutcome {
  if (!isCordoned(node)) return "schedulable";
  if (record.wasUnschedulable) return "as-before";
  if (isRecorded(node, record)) return "uncordoned";
  const owner = ownerOn(node);
  return owner === undefined || owner === record.operation ? "cordoned-since" : "another-owner";
}

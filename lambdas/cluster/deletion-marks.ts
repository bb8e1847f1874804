/** A controller that marks a node with a taint before it deletes the node. */
type Deleter = "autoscaler" | "karpenter";

interface MarkingTaint {
  readonly key: string;
  readonly value?: string;
  readonly timeAdded?: Date | string;
}

/** The fields of a Node that show marks. */
interface MarkedNode {
  readonly metadata?: { readonly deletionTimestamp?: Date | string };
  readonly spec?: { readonly taints?: readonly MarkingTaint[] };
}

const MINUTE = 60_000;

/** Taints with which autoscalers mark a node that they are about to delete, by their keys. */
const deleters: Readonly<Record<string, Deleter>> = {
  // cluster-autoscaler/utils/taints
  ToBeDeletedByClusterAutoscaler: "autoscaler",
  // Karpenter's pkg/apis/v1/taints.go, and pkg/apis/v1beta1/taints.go of its releases before 1.0.
  "karpenter.sh/disrupted": "karpenter",
  "karpenter.sh/disruption": "karpenter",
};

/**
 * Age in milliseconds from which on a mark is left behind. The cluster autoscaler's drain ends sooner by default
 * (`--max-graceful-termination-sec`). Karpenter takes its taint off after at most an hour in which no replacement came
 * (pkg/controllers/disruption/queue.go, maxRetryDuration).
 */
const leftAfter: Readonly<Record<Deleter, number>> = { autoscaler: 30 * MINUTE, karpenter: 60 * MINUTE };

/** Time of the first scheduled observation of a mark, ISO 8601, by the key of its taint or annotation. */
export type SeenMarks = Readonly<Record<string, string>>;

/** A taint that marks a node for deletion. */
export interface DeletionMark {
  readonly key: string;
  readonly by: Deleter;
  /** ISO 8601: the mark is at least as old; null if nothing says since when it is there. */
  readonly since: string | null;
  /** The controller does not delete the node any more, and has not taken its taint off. */
  readonly isLeft: boolean;
}

/** Is this a taint of an autoscaler that is about to delete the node? */
export const isDeletionMark = (key: string): boolean => key in deleters;

/** Keys of the deletion marks on a node. */
export const deletionMarkKeys = (node: MarkedNode): readonly string[] => [
  ...new Set((node.spec?.taints ?? []).map(({ key }) => key).filter(isDeletionMark)),
];

/** Time that a controller wrote into its taint: the cluster autoscaler's value is one, in Unix seconds. */
const writtenTime = ({ value, timeAdded }: MarkingTaint, by: Deleter): number =>
  by === "autoscaler" && value ? Number(value) * 1_000 : Date.parse(String(timeAdded ?? ""));

/**
 * Judges the deletion marks on a node by their age. A mark whose controller wrote no time into it is as old as its first
 * scheduled observation. The drain of a Node that is being deleted may last longer.
 * @param seen marks that scheduled observations have found on the same Node
 * @param now milliseconds since the epoch
 */
export function deletionMarksOf(node: MarkedNode, seen: SeenMarks, now: number): DeletionMark[] {
  const isGoing = node.metadata?.deletionTimestamp !== undefined;
  return (node.spec?.taints ?? []).flatMap((taint) => {
    const by = deleters[taint.key];
    if (!by) return [];
    const written = writtenTime(taint, by);
    const since = Number.isNaN(written) ? Date.parse(seen[taint.key] ?? "") : written;
    const isKnown = !Number.isNaN(since);
    const isLeft = isKnown && !isGoing && now - since > leftAfter[by];
    return [{ key: taint.key, by, since: isKnown ? new Date(since).toISOString() : null, isLeft }];
  });
}

/** Adds the marks of one observation to those that were known of the same Node; a mark that is gone is forgotten. */
export const observedMarks = (known: SeenMarks = {}, keys: readonly string[] = [], now: string): SeenMarks =>
  Object.fromEntries(keys.map((key) => [key, known[key] ?? now]));

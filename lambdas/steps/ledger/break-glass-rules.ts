/** A node that an operation works on without the approval that its plan needs. */
export interface BreakGlassUse {
  readonly operation: string;
  /** UID of the Node; the instance id of a machine that is no node. */
  readonly uid: string;
  readonly node: string;
  readonly pool: string | null;
  /** Was the node Ready when it was asked for? A machine that is no node is not. */
  readonly isReady: boolean;
  /** ISO 8601. */
  readonly at: string;
  /** ISO 8601: when approvers were last reminded of the review. */
  readonly remindedAt?: string;
}

/**
 * Finds the use that stands in the way of another one: without an approval one person may take one Ready node, or the nodes of
 * one pool that are not Ready, until an approver has reviewed it. The same node may be asked for again.
 * @param open uses that were not reviewed
 * @returns null when nothing stands in the way
 */
export const inTheWay = (
  open: readonly BreakGlassUse[],
  { uid, pool, isReady }: Pick<BreakGlassUse, "uid" | "pool" | "isReady">,
): BreakGlassUse | null => open.find((use) => use.uid !== uid && (isReady || use.isReady || use.pool !== pool)) ?? null;

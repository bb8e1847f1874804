/** A node that an operation works on without the approval that its plan needs. */
export interface BreakGlassUse {
  readonly operation: string;
  /** UID of the Node; the instance id of a machine that is not a node. */
  readonly uid: string;
  readonly node: string;
  readonly pool: string | null;
  /** Was the node Ready at the request? False for a machine that is not a node. */
  readonly isReady: boolean;
  /** ISO 8601. */
  readonly at: string;
  /** ISO 8601: time of the last reminder to the approvers to review it. */
  readonly remindedAt?: string;
}

/**
 * Finds a use that blocks another one. Without an approval, one person may change one Ready node, or the nodes of one
 * pool that are not Ready, until an approver has reviewed it. The same node may be requested again.
 * @param open uses that were not reviewed
 * @returns null if no use blocks it
 */
export const inTheWay = (
  open: readonly BreakGlassUse[],
  { uid, pool, isReady }: Pick<BreakGlassUse, "uid" | "pool" | "isReady">,
): BreakGlassUse | null => open.find((use) => use.uid !== uid && (isReady || use.isReady || use.pool !== pool)) ?? null;

import type { Approval } from "../../records/approval.ts";
import { judgedHash } from "./judged.ts";

/** Finds an earlier execution's question that is still valid. */
export const validQuestion = (known: Approval | null): Approval | null =>
  known?.state === "open" || known?.state === "approved" ? known : null;

/**
 * Takes an earlier question with the number of approvals, the roles and the hash as this execution judges them; the
 * ledger's record of them decides nothing. An open question is extended to the end of its new window.
 * @param until milliseconds since the epoch; null without a window
 */
export function earlierAsJudged(
  earlier: Approval,
  { needs, roles, pool }: Pick<Approval, "needs" | "roles" | "pool">,
  until: number | null,
): Approval {
  const isExtended = until !== null && earlier.state === "open";
  return {
    ...{ ...earlier, needs, roles, pool, hash: judgedHash(earlier.record) },
    ...(isExtended ? { until: new Date(until).toISOString() } : {}),
  };
}

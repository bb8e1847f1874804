import { isSeenLately } from "../../machine/reboot-due.ts";
import type { RenewalFault } from "../../machine/renewal.ts";
import type { RecordedNode } from "../recorded-node.ts";
import { isRenewing } from "./ecr.ts";

/** A node that does not renew its passwords of ECR. */
export interface FailedRenewal extends RenewalFault {
  readonly node: string;
  /** First observation that found a fault, ISO 8601. */
  readonly since: string;
}

/**
 * Finds nodes that do not renew their passwords of ECR, by the last observation of each; the oldest fault comes first.
 * @param now milliseconds since the epoch
 */
export const failedRenewals = (nodes: readonly RecordedNode[], now: number): readonly FailedRenewal[] =>
  nodes
    .flatMap(({ node, sent, seen }) =>
      seen?.renewalFault && isSeenLately(seen, now) && isRenewing(sent) ? [{ node, ...seen.renewalFault }] : [],
    )
    .toSorted((one, other) => Date.parse(one.since) - Date.parse(other.since));

import type { NodeRecord, OperationRecord } from "../../records/records.ts";
import { titleOfOperation } from "../command/syntax.ts";
import { between, utc } from "../slack/age.ts";
import { some } from "../slack/text.ts";
import { nodeLabel } from "./node-lines.ts";
import { stageName } from "./stages.ts";

/** `detail-type` of the event that notifies people. */
export const HUMAN_ACTION_REQUIRED = "Casement Needs a Human";

/** `source` of a cluster's events: several clusters may share an account's bus. */
export const sourceOf = (cluster: string): string => `casement.${cluster}`;

/** Event that notifies people by mail or pager. */
export interface Notice {
  readonly kind:
    | "decision"
    | "confirmation"
    | "approval"
    | "break-glass"
    | "signing-request"
    | "lost"
    | "kept"
    | "unproven"
    | "credential"
    | "authority"
    | "mirrors"
    | "trust"
    | "proxy"
    | "data-plane"
    | "fleet"
    | "slack";
  /** Null if the notice belongs to no operation. */
  readonly operation: string | null;
  /** One line of plain text. */
  readonly message: string;
  /** ISO 8601: time of the automatic outcome; null when there is none. */
  readonly until: string | null;
}

/**
 * Turns text into one line for a page, with times in UTC: EventBridge inserts it into a quoted template, and pagers cut
 * long text.
 */
export const line = (text: string): string =>
  text
    .replace(/<!date\^[^|>]*\|([^>]*)>/g, "$1")
    .replaceAll('"', "'")
    .replaceAll("\\", "/")
    .replace(/[\s\p{C}]+/gu, " ")
    .slice(0, 1_000)
    .trim();

/** Asks people to decide about a failed instance. */
export const decisionNotice = (
  operation: string,
  { instanceId, failure, decideBy }: Pick<NodeRecord, "instanceId" | "failure" | "decideBy">,
): Notice => ({
  kind: "decision",
  operation,
  message: line(
    `${operation}: ${instanceId ?? "an instance"} failed at the stage ${failure ? stageName(failure.stage) : "launch"}. Press Keep or Terminate in Slack; without a decision it is terminated at ${utc(decideBy ?? "")}. Without Slack: docs/runbook.md#answer-for-a-button-by-hand. Cause: ${failure?.why ?? "unknown"}`,
  ),
  until: decideBy,
});

/**
 * Asks people to answer an open dialog; nothing is changed before an answer.
 * @param node name of the Node to remove
 */
export const confirmationNotice = (operation: string, node: string, asker: string, until: string): Notice => ({
  kind: "confirmation",
  operation,
  message: line(
    `${operation}: the removal of ${node} is waiting for ${asker} to confirm the dialog in Slack. Without an answer it ends at ${utc(until)} and nothing is changed.`,
  ),
  until,
});

/** Asks people to review certificate requests that differ from the expected one in one point. */
export const signingRequestNotice = (operation: string, notes: readonly string[]): Notice => ({
  kind: "signing-request",
  operation,
  message: line(
    `${operation}: a certificate request needs review (kubectl get csr). ${notes.join("; ")}. See docs/runbook.md#stage-client-certificate.`,
  ),
  until: null,
});

/**
 * Reminds people of a machine that has been kept for a day or longer.
 * @param now ISO 8601
 */
export const keptNotice = ({ operation, instanceId, keptAt }: NodeRecord, now: string): Notice => ({
  kind: "kept",
  operation,
  message: line(
    `${operation}: ${instanceId ?? "an instance"} has been kept for ${between(keptAt ?? now, now)} and is still billed. Press Terminate now in Slack when it is no longer needed. See docs/runbook.md#when-adding-a-node-fails.`,
  ),
  until: null,
});

/** Calls people because Slack has refused the messages of operations; the operations themselves go on. */
export const unsaidNotice = (operations: readonly string[]): Notice => ({
  kind: "slack",
  operation: null,
  message: line(
    `Slack has refused messages for ten minutes: ${some(operations, 5)}. The operations go on, no further node of a rollout is begun. See docs/runbook.md#slack-denies-calls.`,
  ),
  until: null,
});

/** Notifies people of an operation whose execution ended before the operation did. */
export const lostNotice = (operation: OperationRecord, why: string, nodes: readonly NodeRecord[]): Notice => ({
  kind: "lost",
  operation: operation.id,
  message: line(
    `${operation.id} (${titleOfOperation(operation)}) stalled and needs attention: ${why}. See docs/runbook.md#take-a-lost-machine-away. ${nodes
      .flatMap((node) =>
        node.outcome && node.status === "failed" ? [`Remaining: ${nodeLabel(node)}: ${node.outcome}.`] : [],
      )
      .join(" ")}`,
  ),
  until: null,
});

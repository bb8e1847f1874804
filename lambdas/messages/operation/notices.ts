import type { NodeRecord, OperationRecord } from "../../records.ts";
import { titleOf } from "../command/forms.ts";
import { nodeLabel } from "./node-lines.ts";
import { stageName } from "./stages.ts";

/** `detail-type` of the event by which a person is called. */
export const NEEDS_A_HUMAN = "Casement Needs a Human";

/** `source` of a cluster's events: several clusters may share an account's bus. */
export const sourceOf = (cluster: string): string => `casement.${cluster}`;

/** Somebody is waited for: what the event carries, and what a mail or a page says. */
export interface Notice {
  readonly kind: "decision" | "confirmation" | "signing-request" | "lost" | "credential";
  /** Null when no operation waits. */
  readonly operation: string | null;
  /** One line of plain words. */
  readonly message: string;
  /** ISO 8601: what happens by itself happens then; null when nothing does. */
  readonly until: string | null;
}

/** A page is one line: EventBridge fills it into a quoted template, and pagers cut what is long. */
export const line = (text: string): string =>
  text
    .replace(/["\\]/g, "'")
    .replace(/[\s\p{C}]+/gu, " ")
    .slice(0, 1_000)
    .trim();

/** "2026-11-21 14:32 UTC": whoever is paged may be in another day. */
export const moment = (iso: string): string => `${iso.slice(0, 16).replace("T", " ")} UTC`;

/** A machine failed, and somebody must say what becomes of it. */
export const decisionNotice = (
  operation: string,
  { instanceId, failure, decideBy }: Pick<NodeRecord, "instanceId" | "failure" | "decideBy">,
): Notice => ({
  kind: "decision",
  operation,
  message: line(
    `${operation}: ${instanceId ?? "a machine"} failed at the stage ${failure ? stageName(failure.stage) : "launch"}. Somebody must press Keep or Terminate in Slack; unless it is kept, it is terminated at ${moment(decideBy ?? "")}. Without Slack: docs/runbook.md#answer-for-a-button-by-hand. Why it failed: ${failure?.why ?? "unknown"}`,
  ),
  until: decideBy,
});

/**
 * A dialog is open, and nothing happens before it is answered.
 * @param node name of the Node that is to go
 */
export const confirmationNotice = (operation: string, node: string, asker: string, until: string): Notice => ({
  kind: "confirmation",
  operation,
  message: line(
    `${operation}: the removal of ${node} waits for ${asker} to answer the dialog in Slack. Without an answer nothing is changed, and it ends at ${moment(until)}.`,
  ),
  until,
});

/** Certificate requests that are nearly right: nobody but a person may judge them. */
export const signingRequestNotice = (operation: string, notes: readonly string[]): Notice => ({
  kind: "signing-request",
  operation,
  message: line(
    `${operation}: somebody must judge a certificate request (kubectl get csr). ${notes.join("; ")}. See docs/runbook.md#stage-client-certificate.`,
  ),
  until: null,
});

/** An operation was lost, and what it left waits for somebody. */
export const lostNotice = (operation: OperationRecord, why: string, nodes: readonly NodeRecord[]): Notice => ({
  kind: "lost",
  operation: operation.id,
  message: line(
    `${operation.id} (${titleOf(operation.request)}) will not go on by itself: ${why}. See docs/runbook.md#take-a-lost-machine-away. ${nodes
      .flatMap((node) =>
        node.outcome && node.status === "failed" ? [`Left: ${nodeLabel(node)}: ${node.outcome}.`] : [],
      )
      .join(" ")}`,
  ),
  until: null,
});

import type { Act } from "../../audit/entry.ts";
import type { Execution } from "../../change/operation/op.ts";
import { log } from "../../logging.ts";
import type { RemovalSummary } from "../../messages/remove/dialog.ts";
import { originId } from "../../records/origin.ts";
import type { DialogEnd } from "./failures.ts";

const QUESTION = "confirm the removal";

/** Entry of the audit: what a person was shown and asked to confirm. */
export const askedToConfirm = ({ node, instanceId, pool, pods }: RemovalSummary): Act => ({
  what: "asked",
  node: { ...(node ? { name: node } : {}), instanceId },
  detail: { question: QUESTION, pool, pods: pods.length },
});

/** Finds who gave an answer; one that the last release wrote, and a dialog that was closed, are the requester's. */
async function answeredBy({ steps, start }: Execution, answer: "submitted" | DialogEnd): Promise<string> {
  const given = await steps.ledger.decisions(start.operation, "dialog");
  return given.find(({ decision }) => decision === answer)?.userId ?? originId(start);
}

/**
 * Logs how the question ended; belongs into a step of its own, so that it is one line.
 * @param node name of the Node, or the instance id of a machine that is none
 */
export async function logAnswer(
  op: Execution,
  node: string,
  answer: "submitted" | Exclude<DialogEnd, "cancel">,
): Promise<void> {
  const by = answer === "time" ? null : await answeredBy(op, answer);
  log("INFO", "decision", { decision: "removal", outcome: answer, operation: op.start.operation, node, by });
}

/**
 * Entry of the audit: how the question ended, and by whom. An answer that the last release wrote is the requester's.
 * @param answer "submitted", or why there is no confirmation
 */
export async function answerAct(op: Execution, answer: "submitted" | DialogEnd): Promise<Act> {
  const { steps, start } = op;
  if (answer === "time") return { what: "lapsed", detail: { question: QUESTION } };
  if (answer === "cancel") {
    const operation = await steps.ledger.operation(start.operation);
    return { what: "cancelled", by: { person: operation?.cancelledBy ?? originId(start) } };
  }
  const userId = await answeredBy(op, answer);
  return { what: "decided", by: { person: userId }, detail: { question: QUESTION, decision: answer } };
}

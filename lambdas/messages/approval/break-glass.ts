import { hostOf } from "../../commands/node-matches.ts";
import { type Approval, askingOf, type CountedVote } from "../../records/approval.ts";
import { originName } from "../../records/origin.ts";
import type { Block, Message, OperationRecord } from "../../records/records.ts";
import { type TitledOperation, titleOfOperation, typeThis } from "../command/syntax.ts";
import { line, type Notice } from "../operation/escalations.ts";
import { between } from "../slack/age.ts";
import { actions, context, section } from "../slack/blocks.ts";
import { APPROVE_OPERATION, DENY_OPERATION } from "../slack/buttons.ts";
import { withoutPlaceholder } from "../slack/command-word.ts";
import { sign } from "../slack/signs.ts";
import { code, mentionOf, plain, prose, some } from "../slack/text.ts";

/** The fields of an operation that a review needs. */
type Reviewed = Pick<OperationRecord, "id" | "approval" | "asker" | "origin"> & TitledOperation;

const reasonIn = ({ breakGlass }: Approval): string => plain(breakGlass ?? "", 200);

/** The typed reason, with one full stop at the end. */
const reasonSentence = (approval: Approval): string => `${reasonIn(approval).replace(/[.\s]+$/, "")}.`;

/** The way to recover the NotReady nodes of a pool without an approval, as a sentence. @param command the command's word */
export const nobodyAwake = (command: string): string =>
  `No approver awake: ${typeThis(command, "<node>", "--break-glass", '"reason"')} recovers the NotReady nodes of one pool, one by one, for the on-call role.`;

/** Explains that `--break-glass` needs the node's name. */
export const breakGlassNeedsName = (node: string, typed: string): string =>
  `--break-glass requires the node's name: ${code(hostOf(node))}, not ${code(typed)}.`;

/** Reason why a second use of break-glass is refused. */
export const breakGlassTaken = ({ operation, node }: { readonly operation: string; readonly node: string }): string =>
  `--break-glass is limited to one Ready node, or the NotReady nodes of one pool, until an approver has reviewed it, and ${code(operation)} used it for ${code(node)}. Ask an approver to run ${typeThis("approve", operation)}, or ask again without --break-glass`;

const sectionWhileOpen = (approval: Approval, hasEnded: boolean): Block =>
  section(
    `${sign.unapproved} *${hasEnded ? "Ran" : "Runs"} without an approval* (--break-glass): ${reasonIn(approval)}\n${some(approval.roles.map(code), 5)} must review it: press *Looks fine* or *Raise a concern*. Until then --break-glass takes no other Ready node.`,
  );

/** Buttons of a review; they carry the votes of an approval. */
const buttons = (operation: string, approval: Approval): Block => {
  const value = askingOf(operation, approval);
  return actions(
    `review:${value}`,
    [
      { actionId: APPROVE_OPERATION, value, text: "Looks fine", style: "primary" },
      { actionId: DENY_OPERATION, value, text: "Raise a concern", style: "danger" },
    ],
    operation,
  );
};

const verdictOf = ({ decision, reason }: CountedVote): string =>
  `${decision === "approve" ? "looks fine" : "raises a concern"}${reason ? `: ${plain(reason, 200)}` : ""}`;

/** Blocks on an operation that did not wait for an approval: the review's buttons, or its result. */
export function breakGlassBlocks(
  { id, endedAt }: Pick<OperationRecord, "id" | "endedAt">,
  approval: Approval,
): Block[] {
  if (approval.state === "review") return [sectionWhileOpen(approval, endedAt !== null), buttons(id, approval)];
  const [vote] = approval.votes;
  const by = vote ? `reviewed by ${prose(`<@${vote.userId}>`, 80)}: ${verdictOf(vote)}` : "reviewed";
  return [context(`${sign.unapproved} without an approval: ${reasonIn(approval)} · ${by}`)];
}

/**
 * Notifies the approvers of an operation that does not wait for them.
 * @param called ids of user groups (S…) and people
 */
export function breakGlassCall(operation: Reviewed, approval: Approval, called: readonly string[]): Message {
  const words = `${called.map(mentionOf).join(" ")} ${sign.unapproved} ${plain(originName(operation), 80)} is acting without an approval: *${plain(titleOfOperation(operation), 300)}*. Reason: ${reasonSentence(approval)} To stop it, press *Cancel operation* above. Review it when it has ended. Its plan:`;
  return {
    text: words.trim(),
    blocks: [section(words.trim()), ...approval.card.blocks, buttons(operation.id, approval)],
  };
}

/** Pages people about the operation. */
export const breakGlassNotice = (operation: Reviewed, reason: string): Notice => ({
  kind: "break-glass",
  operation: operation.id,
  message: line(
    `${operation.id} (${titleOfOperation(operation)}) runs without an approval, as ${originName(operation)} asked: ${withoutPlaceholder(reason)}. Review it in Slack. See docs/runbook.md#break-glass.`,
  ),
  until: null,
});

/**
 * Reminds the approvers of an open review.
 * @param at ISO 8601: time of the use of break-glass
 * @param now ISO 8601
 */
export function reviewReminder(
  operation: Reviewed,
  approval: Approval,
  { at, now, called }: { readonly at: string; readonly now: string; readonly called: readonly string[] },
): Message {
  const words = `${called.map(mentionOf).join(" ")} ${sign.unapproved} ${code(operation.id)} (${plain(titleOfOperation(operation), 300)}) ran without an approval ${between(at, now)} ago and was not reviewed. Reason: ${reasonSentence(approval)}`;
  return { text: words.trim(), blocks: [section(words.trim()), buttons(operation.id, approval)] };
}

/** Pages people about an open review. */
export const reviewNotice = (operation: Reviewed): Notice => ({
  kind: "break-glass",
  operation: operation.id,
  message: line(
    `${operation.id} (${titleOfOperation(operation)}) ran without an approval and was not reviewed. Press Looks fine or Raise a concern in Slack. See docs/runbook.md#break-glass.`,
  ),
  until: null,
});

/** Message in the thread on the result of a review. */
export const reviewedMessage = (operation: Reviewed, vote: CountedVote): Message => {
  const words = `${sign.unapproved} ${prose(`<@${vote.userId}>`, 80)} reviewed ${code(operation.id)} (${plain(titleOfOperation(operation), 300)}): ${verdictOf(vote)}.`;
  return { text: words, blocks: [section(words)] };
};

/** Names the wait for a review, for the list of operations. */
export const waitsForReview = ({ roles }: Approval): string =>
  `its review by ${some(roles.map(code), 5)}: it ran without an approval`;

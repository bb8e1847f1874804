import { type Approval, askingOf, type CountedVote } from "../../records/approval.ts";
import type { Block, Message, OperationRecord } from "../../records/records.ts";
import { type TitledOperation, titleOfOperation, typeThis } from "../command/syntax.ts";
import { line, type Notice } from "../operation/escalations.ts";
import { localDate, utc } from "../slack/age.ts";
import { actions, type Button, context, say, section } from "../slack/blocks.ts";
import { APPROVE_OPERATION, DENY_OPERATION, RUN_UNAPPROVED } from "../slack/buttons.ts";
import { withoutPlaceholder } from "../slack/command-word.ts";
import { sign } from "../slack/signs.ts";
import { code, counted, mentionOf, plain, prose, some } from "../slack/text.ts";
import { breakGlassBlocks, nobodyAwake } from "./break-glass.ts";
import { othersNote } from "./other-requests.ts";

/** Characters of a plan's hash that people compare. */
const SHORT = 12;

const people = (votes: readonly CountedVote[]): string =>
  votes.map(({ userId }) => prose(`<@${userId}>`, 80)).join(" and ");

const approvers = ({ votes }: Approval): readonly CountedVote[] =>
  votes.filter(({ decision }) => decision === "approve");

/** Says which approvals a plan waits for. */
function waiting(approval: Approval): string {
  const { needs, roles, until, record } = approval;
  const given = approvers(approval);
  const missing = needs - given.length;
  const from =
    roles.length > 0 ? `from ${some(roles.map(code), 5)}, not from the requester` : "but no role may give it";
  const so = given.length > 0 ? ` Approved by ${people(given)}; ${missing} more to come.` : "";
  const urgent =
    approval.unapprovedNode === undefined
      ? ""
      : " *Run without approval…* starts it now in the name of the person who presses it, ends this request and calls the approvers: for the on-call role.";
  const each = approval.isUnapprovedByNode ? ` ${nobodyAwake(record.action)}` : "";
  return `*Needs ${counted(needs, "approval")}* ${from}.${so} Without it nothing is changed, and the request lapses ${localDate(until)}.${urgent}${each}`;
}

const worseNote = ({ worse }: Approval): string[] =>
  worse.length > 0
    ? [`${sign.warning} The plan got worse after it was approved: ${plain(worse.join("; "), 500)}. Approve it again.`]
    : [];

const planNote = ({ hash, asking }: Approval): Block =>
  context(`plan ${code(hash.slice(0, SHORT))}${asking === 1 ? "" : ` · asked ${asking} times`}`);

const buttons = (operation: string, approval: Approval): Block => {
  const value = askingOf(operation, approval);
  const approve: Button = { actionId: APPROVE_OPERATION, value, text: "Approve" };
  return actions(
    `approval:${value}`,
    [
      approval.card.isHopeless ? { ...approve, text: "Approve the wait" } : { ...approve, style: "primary" },
      { actionId: DENY_OPERATION, value, text: "Deny" },
      ...(approval.unapprovedNode === undefined
        ? []
        : [{ actionId: RUN_UNAPPROVED, value, text: "Run without approval…" }]),
    ],
    operation,
  );
};

/** Blocks of an operation's message about its approval: the plan and its buttons while it waits, one line afterwards. */
export function approvalBlocks({
  id,
  endedAt,
  approval,
}: Pick<OperationRecord, "id" | "endedAt" | "approval">): Block[] {
  if (!approval) return [];
  if (approval.state === "open" && endedAt === null)
    return [
      ...approval.card.blocks,
      section(
        [
          ...worseNote(approval),
          ...othersNote(approval.others ?? [], approval.record.nodes.length),
          waiting(approval),
        ].join("\n"),
      ),
      planNote(approval),
      buttons(id, approval),
    ];
  if (approval.state === "review" || approval.state === "reviewed") return breakGlassBlocks({ id, endedAt }, approval);
  if (approval.state !== "approved") return [];
  return [context(`approved by ${people(approvers(approval))} · plan ${code(approval.hash.slice(0, SHORT))}`)];
}

/**
 * Calls the people who may approve: an edited message notifies no one.
 * @param called ids of user groups (S…) and people
 * @param requester id of the person who may not approve; null where a schedule asked
 */
export function approvalCall(
  { needs, until }: Pick<Approval, "needs" | "until">,
  called: readonly string[],
  requester: string | null,
): Message {
  const to = called.filter((id) => id !== requester).map(mentionOf);
  const words = `this plan needs ${counted(needs, "approval")}. Read it above, then press *Approve* or *Deny*. It lapses ${localDate(until)}.`;
  return say(`${to.join(" ")} ${words}`.trim());
}

/** Calls the same people past Slack. */
export const approvalNotice = (operation: Pick<OperationRecord, "id"> & TitledOperation, until: string): Notice => ({
  kind: "approval",
  operation: operation.id,
  message: line(
    `${operation.id} (${titleOfOperation(operation)}) is waiting for an approval in Slack. Without it the request lapses at ${utc(until)} and nothing is changed. See docs/runbook.md#approvals.`,
  ),
  until,
});

/** Reason why an execution does not act on an approval that another one has used up. */
export const approvalUsed = (operation: string): string =>
  `the approval of ${code(operation)} was already used by another execution; an approval counts once`;

/** Reason why a question for an approval ended without one. */
export type NotApproved =
  | { readonly kind: "denied"; readonly by: string; readonly reason: string | null }
  | { readonly kind: "lapsed" | "superseded" }
  | { readonly kind: "cancelled"; readonly by: string }
  | { readonly kind: "worse"; readonly worse: readonly string[] };

/**
 * Sums up, for message and ledger, why an operation was not approved, and what to do next.
 * @param again the command that asks again
 */
export function notApprovedSummary(end: NotApproved, again: string): string {
  if (end.kind === "denied")
    return `Denied by <@${end.by}>${end.reason ? `: ${withoutPlaceholder(end.reason).replace(/\.$/, "")}` : ""}. Nothing was changed.`;
  if (end.kind === "cancelled") return `Cancelled by <@${end.by}> before it was approved. Nothing was changed.`;
  if (end.kind === "worse")
    return `The plan got worse after each approval (${end.worse.join("; ")}). Nothing was changed. When it has settled, ask again: ${again}`;
  if (end.kind === "superseded")
    return "What would be approved has changed: another request follows. Nothing was changed.";
  return `The request lapsed: the approval did not come in time. Nothing was changed. Ask again: ${again}`;
}

/** Outcome of a vote, as the front door can tell it. */
export type VoteResult =
  | { readonly kind: "unknown"; readonly operation: string }
  | { readonly kind: "not asked" | "closed" | "stale" | "own"; readonly operation: string }
  | { readonly kind: "role"; readonly operation: string; readonly roles: readonly string[] }
  | {
      readonly kind: "heard" | "review heard" | "voted before";
      readonly operation: string;
      /** The person's first decision, which is the valid one. */
      readonly decision: "approve" | "deny";
    };

const votes: { readonly [K in VoteResult["kind"]]: (of: Extract<VoteResult, { kind: K }>) => string } = {
  unknown: ({ operation }) =>
    `Operation ${code(operation)} not found. ${typeThis("operations")} lists recent operations.`,
  "not asked": ({ operation }) => `${code(operation)} is not waiting for an approval. Nothing was changed.`,
  closed: ({ operation }) =>
    `The approval of ${code(operation)} was already decided, or lapsed. See its message for the result.`,
  stale: ({ operation }) =>
    `The plan of ${code(operation)} has changed. Read the new plan in its message and decide there.`,
  own: ({ operation }) =>
    `You requested ${code(operation)}, so another person must decide. To withdraw it: ${typeThis("cancel", operation)}.`,
  role: ({ operation, roles }) =>
    `You cannot decide about ${code(operation)}: ${roles.length > 0 ? `only ${some(roles.map(code), 5)} can` : "no role is configured that can"}. Nothing was changed.`,
  heard: ({ operation, decision }) =>
    decision === "approve"
      ? `Your approval of ${code(operation)} is recorded. Its message shows what follows.`
      : `Your denial of ${code(operation)} is recorded. The operation ends and nothing is changed.`,
  "voted before": ({ operation, decision }) =>
    decision === "approve"
      ? `You approved ${code(operation)} before, and each person votes once: this denial changes nothing. To stop it: ${typeThis("cancel", operation)}.`
      : `You denied ${code(operation)} before, and each person votes once: this approval changes nothing.`,
  "review heard": ({ operation, decision }) =>
    `Your review of ${code(operation)} is recorded: ${decision === "approve" ? "looks fine" : "raises a concern"}. Its thread shows the review within 15 minutes of the operation's end.`,
};

/** Private answer to a vote, by button or by command. */
export const voteAnswer = (voted: VoteResult): Message => say((votes[voted.kind] as (of: VoteResult) => string)(voted));

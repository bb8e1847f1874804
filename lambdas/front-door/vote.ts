import { BREAK_GLASS, rulesIn } from "../commands/approvals.ts";
import { mayUse } from "../commands/policy.ts";
import type { Request } from "../commands/request.ts";
import { type VoteResult, voteAnswer } from "../messages/approval/approval.ts";
import { denyDialog } from "../messages/approval/deny-dialog.ts";
import { staleClick, startedAnswer, strangeDialog, troubleAnswer } from "../messages/command/acknowledgements.ts";
import { type Refusal, refusalMessage } from "../messages/command/refusals.ts";
import { askingOf } from "../records/approval.ts";
import { requesterOf } from "../records/origin.ts";
import type { Message, OperationRecord } from "../records/records.ts";
import { accept, type Submission } from "./accept.ts";
import { follow } from "./follow-up.ts";
import type { FrontDoor } from "./front-door.ts";
import { originRefusal, personOf, refusalOf, refusedByPolicy, type SlackSender } from "./permission.ts";
import { type ButtonPress, causeOfAttempt } from "./repeat.ts";
import { unpark } from "./steer.ts";

/** A person's vote on the plan of an operation. */
export interface Vote extends SlackSender {
  readonly triggerId: string;
  readonly operation: string;
  /** The request for approval that the button belongs to; null for a typed command, which means the current one. */
  readonly asking: string | null;
  readonly decision: "approve" | "deny";
  readonly reason?: string;
}

/** Checks by the record and the roster that the vote may be recorded; returns the reason against it, or null. */
async function rejected(door: FrontDoor, vote: Vote, record: OperationRecord | undefined): Promise<VoteResult | null> {
  const { operation, asking, userId } = vote;
  if (!record) return { kind: "unknown", operation };
  const { approval, endedAt } = record;
  if (!approval) return { kind: "not asked", operation };
  if (requesterOf(record)?.userId === userId) return { kind: "own", operation };
  const person = await personOf(door, vote);
  const { roles } = approval;
  if ("refusal" in person || !person.roles.some((role) => roles.includes(role)))
    return { kind: "role", operation, roles };
  const isAsked = endedAt === null && approval.state === "open" && door.steps.now() <= Date.parse(approval.until);
  // A review of a change without approval has no deadline.
  if (!isAsked && approval.state !== "review") return { kind: "closed", operation };
  return asking === null || asking === askingOf(operation, approval) ? null : { kind: "stale", operation };
}

/**
 * Records a vote and wakes the workflow, which counts the votes. A second vote of the same person changes nothing: the
 * answer names the first one, which stays valid. If the wake-up is lost, the workflow's next poll reads the vote.
 */
async function castVote(door: FrontDoor, vote: Vote): Promise<VoteResult> {
  const record = await door.steps.ledger.operation(vote.operation);
  const refused = await rejected(door, vote, record);
  if (refused || !record?.approval) return refused ?? { kind: "unknown", operation: vote.operation };
  const { decision, userId, triggerId: cause, reason } = vote;
  const cast = { decision, userId, cause, ...(reason ? { reason } : {}) };
  const valid = await door.steps.ledger.vote(record.id, record.approval, cast);
  const { approval: callback } = record.callbacks;
  if (callback) await door.steps.executions.complete(callback, { decision, userId });
  await unpark(door, record);
  const counted = valid.decision === "deny" ? "deny" : "approve";
  const voted = { operation: record.id, decision: counted } as const;
  if (record.approval.state === "review") return { kind: "review heard", ...voted };
  return { kind: counted === decision ? "heard" : "voted before", ...voted };
}

/** Handles a vote by command or button, of a person who may use the command. @returns the private answer */
export const vote = async (door: FrontDoor, voted: Vote): Promise<Message> => voteAnswer(await castVote(door, voted));

/** Reads the operation from a button's value, "remove-3f9c2a71:1"; null for any other text. */
const operationIn = (asking: string): string | null => /^([a-z]+-[0-9a-f]{8}):\d{1,4}$/.exec(asking)?.[1] ?? null;

/** Handles the button Approve. @param asking the button's value */
export async function approvePressed(
  door: FrontDoor,
  presser: SlackSender & { readonly triggerId: string },
  asking: string,
): Promise<Message> {
  const operation = operationIn(asking);
  return operation === null ? staleClick : vote(door, { ...presser, operation, asking, decision: "approve" });
}

/** Opens the dialog that asks for a reason. @returns a private message if none opened */
async function askReason(
  door: FrontDoor,
  triggerId: string,
  operation: string,
  dialog: object,
): Promise<Message | null> {
  const opened = await door.steps.thread.openDialog(triggerId, dialog);
  if (opened === null) return troubleAnswer();
  await door.steps.ledger.keepDialog(operation, opened);
  return null;
}

/** Handles the button Deny: asks for the reason in a dialog. @returns a private message if no dialog opened */
export async function denyPressed(
  door: FrontDoor,
  presser: SlackSender & { readonly triggerId: string },
  asking: string,
): Promise<Message | null> {
  const operation = operationIn(asking);
  if (operation === null) return staleClick;
  const record = await door.steps.ledger.operation(operation);
  const refused = await rejected(door, { ...presser, operation, asking, decision: "deny" }, record);
  if (refused) return voteAnswer(refused);
  const purpose = record?.approval?.state === "review" ? "review" : "deny";
  return askReason(door, presser.triggerId, operation, denyDialog(operation, asking, purpose));
}

/** Handles the button Run without approval: asks for the reason. @returns a private message if no dialog opened */
export async function runPressed(
  door: FrontDoor,
  { triggerId }: { readonly triggerId: string },
  asking: string,
): Promise<Message | null> {
  const operation = operationIn(asking);
  return operation === null ? staleClick : askReason(door, triggerId, operation, denyDialog(operation, asking, "run"));
}

/** A person who submitted the dialog of a reason. */
type ReasonSender = Omit<SlackSender, "channel"> &
  Pick<ButtonPress, "userName" | "triggerId"> & { readonly viewId: string };

/** Checks that a person may run a command without its approval in the pool of its plan. @returns the refusal, or null */
async function refusalIn(
  door: FrontDoor,
  sender: SlackSender,
  pool: string | null,
  command: string,
): Promise<Refusal | null> {
  const person = await personOf(door, sender);
  if ("refusal" in person) return person.refusal;
  const rules = rulesIn(door.configuration, pool);
  const denied = [BREAK_GLASS, command].find((one) => !mayUse(rules, person.roles, one));
  return denied === undefined ? null : refusedByPolicy(door, denied, person);
}

/** The request for one node without its approval; it waits for no time, as the approval was asked for before it. */
function unapprovedRequest(request: Request, node: string, breakGlass: string): Request {
  const { at: _at, now: _now, ...asked } = request as Request & { readonly at?: string; readonly now?: string };
  return { ...asked, node, breakGlass } as Request;
}

/** Did an attempt end before it had its machine? From then on, the request that waits is cancelled. */
const didNotBegin = ({ status, endedAt }: OperationRecord): boolean => endedAt !== null && status !== "succeeded";

/**
 * Requests the change that waits for an approval once more without waiting, in the name of the person who gave the
 * reason. The workflow checks the person's right again, by what Slack says then, and cancels the request that waits once
 * it has begun: a refused change leaves that request as it is.
 */
async function runUnapproved(
  door: FrontDoor,
  person: Omit<Submission, "request">,
  asking: string,
  reason: string,
): Promise<Message | null> {
  const about = operationIn(asking) ?? "";
  const { approval, request, endedAt, cancelledBy } = (await door.steps.ledger.operation(about)) ?? {};
  const node = approval?.unapprovedNode;
  const isOpen = approval?.state === "open" && endedAt === null && cancelledBy === null;
  if (!request || node === undefined || !isOpen || reason.trim() === "")
    return voteAnswer({ kind: "closed", operation: about });
  if (asking !== askingOf(about, approval)) return voteAnswer({ kind: "stale", operation: about });
  const sender = { ...person.requester, teamId: door.configuration.slack.teamId };
  const refusal = await refusalIn(door, sender, approval.pool, request.command);
  if (refusal) return refusalMessage(refusal);
  const follows = { operation: about, index: null };
  const started = await accept(door, {
    ...person,
    request: unapprovedRequest(request, node, reason.trim()),
    cause: await causeOfAttempt(door, request.command, `unapproved ${asking}`, didNotBegin),
    follows,
  });
  if (started.status === "not-started" || started.status === "refused") return startedAnswer(started);
  await follow(door, follows, { operation: started.id, by: person.requester.userId });
  return null;
}

/**
 * Handles the dialog of a denial, or of a change without approval: checks the person's right again, then records the
 * vote, or starts the change.
 * @param metadata the request for approval, from the dialog; behind "run " for a change without it
 * @returns null to close the dialog, or the text that it shows instead
 */
export async function denySubmitted(
  door: FrontDoor,
  { viewId, ...origin }: ReasonSender,
  metadata: string,
  reason: string,
): Promise<Message | null> {
  const asking = metadata.replace(/^run /, "");
  const isRun = asking !== metadata;
  const operation = operationIn(asking);
  if (operation === null) return staleClick;
  // Slack names no channel for a dialog; this one was opened from the configured channel.
  const person = { ...origin, channel: door.configuration.slack.channel };
  const refusal = originRefusal(door, person) ?? (await refusalOf(door, person, isRun ? BREAK_GLASS : "deny"));
  if (refusal) return refusalMessage(refusal);
  if (!(await door.steps.ledger.isDialogOf(operation, viewId))) return strangeDialog(operation);
  const { triggerId, ...requester } = person;
  if (isRun) return runUnapproved(door, { requester, triggerId }, asking, reason);
  const voted = await castVote(door, { ...person, operation, asking, decision: "deny", ...(reason ? { reason } : {}) });
  const isHeard = voted.kind === "heard" || voted.kind === "review heard";
  return isHeard && voted.decision === "deny" ? null : voteAnswer(voted);
}

import { commandOf, isChange, workflowOf } from "../commands/list.ts";
import { isDryRun, type Request } from "../commands/request.ts";
import { notStarted } from "../messages/command/acknowledgements.ts";
import { noRole } from "../messages/command/refusals.ts";
import { removalSkeleton } from "../messages/remove/modal.ts";
import type { Requester } from "../records/origin.ts";
import type { OperationRecord } from "../records/records.ts";
import { executionName } from "../steps/executions.ts";
import { idOf, type OperationOpening, openOperation, startOf } from "../steps/open-operation.ts";
import type { FrontDoor } from "./front-door.ts";

/** A request of a member of the workspace, with the ids and the address that an answer needs. */
export interface Submission {
  readonly request: Request;
  readonly requester: Requester;
  /** Slack's id of the command or click: the same for a repeated delivery. It opens one dialog at most. */
  readonly triggerId: string;
  /** Names the operation instead of the trigger: the same cause again is the same operation. */
  readonly cause?: string;
  /** The operation whose button was pressed, where the workflow must know it from its beginning. */
  readonly follows?: OperationRecord["follows"];
  /** Slack's address for the answer to a command. It grants access, so no record contains it. A button has none. */
  readonly responseUrl?: string;
}

const openingOf = (
  door: FrontDoor,
  { request, requester, triggerId, cause = triggerId, follows }: Submission,
): OperationOpening => ({
  request,
  cause,
  cluster: door.configuration.cluster.name,
  channel: requester.channel,
  ...(follows ? { follows } : {}),
});

const open = (door: FrontDoor, { requester }: Submission, opening: OperationOpening) =>
  openOperation(door.steps, { by: "person", requester }, opening);

/** Records the request of a change where no other function may write; its workflow compares it with its own start. */
async function keepAccepted(door: FrontDoor, id: string, submission: Submission): Promise<Submission> {
  const { ledger, timestamp } = door.steps;
  const { request, requester } = submission;
  if (!isChange(request.command)) return submission;
  const first = await ledger.keepAccepted(id, { request, requester, requestedAt: timestamp() });
  return { ...submission, request: first.request, requester: first.requester };
}

/** May two people submit it at the same moment? Then its cause is a button that starts one operation. */
const isShared = ({ triggerId, cause = triggerId }: Submission): boolean => cause !== triggerId;

/**
 * Accepts a request: records it, then starts its workflow under the operation's id. A repeated delivery finds the
 * record and repeats the start, which starts no second execution.
 * @returns the operation's record; "not-started" with the reason if the start or the dialog failed
 * @throws if the ledger cannot be written; then nothing was started
 */
export async function accept(door: FrontDoor, given: Submission): Promise<OperationRecord> {
  const id = idOf(openingOf(door, given));
  const accepted = keepAccepted(door, id, given);
  // Of two people both open the operation of the first, because its workflow begins for no other requester.
  const submission = isShared(given) ? await accepted : given;
  // The writes run in parallel, so that the second one does not delay the acknowledgement.
  const [{ record, written }] = await Promise.all([
    open(door, submission, openingOf(door, submission)),
    keepResponseUrl(door, id, submission),
    accepted,
  ]);
  if (written === "again") return repeated(door, record);
  const unopened = await openDialog(door, record, submission.triggerId);
  if (unopened) return giveUp(door, record, notStarted[unopened]);
  return (await startWorkflow(door, record)) ? record : giveUp(door, record, notStarted.busy);
}

/**
 * Stores the address at which a private answer replaces the acknowledgement: what a look shows, and why a change was not
 * begun. Without the address, the answer is a separate message.
 */
async function keepResponseUrl(door: FrontDoor, id: string, { responseUrl }: Submission): Promise<void> {
  if (responseUrl === undefined) return;
  await succeeds(`storing the response URL of ${id}`, () => door.steps.responseUrls.keep(id, responseUrl));
}

/**
 * Records that the policy refused a request, so that a repeated delivery does not start it after the policy has
 * changed.
 * @returns the operation's record; it is no refusal if this request was accepted before
 */
export async function recordRefusal(door: FrontDoor, submission: Submission): Promise<OperationRecord> {
  const refusal = noRole(submission.request.command);
  const { record, written } = await open(door, submission, { ...openingOf(door, submission), refusal });
  return written === "again" ? repeated(door, record) : record;
}

/** Did the front door refuse the operation, before an execution began? */
export const wasRefusedHere = ({ status, executionArn }: OperationRecord): boolean =>
  status === "refused" && executionArn === null;

/**
 * Starts the workflow again, because the first delivery may have ended before its start. A failure changes no answer.
 */
async function repeated(door: FrontDoor, { id }: OperationRecord): Promise<OperationRecord> {
  const record = await door.steps.ledger.operation(id);
  if (!record) throw new Error(`the record of ${id} was written, but is missing now`);
  // Only the first delivery knows whether its dialog opened, and without a dialog nobody can confirm. So a repeated
  // delivery starts nothing: a forged command, for which Slack opens no dialog, must not start because it was sent
  // twice.
  if (record.status === "requested" && !opensDialog(record)) await startWorkflow(door, record);
  return record;
}

const opensDialog = ({ request }: OperationRecord): boolean => commandOf(request.command).dialog && !isDryRun(request);

/** Opens the dialog of a command that has one; returns the reason if it did not open, otherwise null. */
async function openDialog(
  door: FrontDoor,
  record: OperationRecord,
  triggerId: string,
): Promise<"expired" | "dialog" | null> {
  const { request, id } = record;
  if (!opensDialog(record) || request.command !== "remove") return null;
  try {
    const opened = await door.steps.thread.openDialog(triggerId, removalSkeleton(id, request.node));
    if (opened === null) return "expired";
    await door.steps.ledger.keepDialog(id, opened);
    return null;
  } catch (error) {
    console.error(`dialog of ${id} failed`, error);
    return "dialog";
  }
}

/** Starts the command's workflow, if it has one; false if Lambda did not accept the start. */
const startWorkflow = (door: FrontDoor, record: OperationRecord): Promise<boolean> =>
  succeeds(`start of ${record.id}`, async () => {
    const workflow = workflowOf(record.request);
    if (workflow) await door.steps.executions.start(workflow, executionName(record.id), startOf(record));
  });

/** Runs an action and logs its failure; returns true if it succeeded. */
async function succeeds(what: string, action: () => Promise<void>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    console.error(`${what} failed`, error);
    return false;
  }
}

/** Records that nothing was started; a workflow that starts nevertheless reads this and does nothing. */
async function giveUp(door: FrontDoor, record: OperationRecord, summary: string): Promise<OperationRecord> {
  const end = { status: "not-started", endedAt: door.steps.timestamp(), summary } as const;
  await door.steps.ledger.changeOperation(record.id, end);
  return { ...record, ...end };
}

import { commandOf, workflowOf } from "../commands/list.ts";
import { isDryRun, type Request } from "../commands/request.ts";
import { notStarted } from "../messages/command/acknowledgements.ts";
import { noRole } from "../messages/command/refusals.ts";
import { removalSkeleton } from "../messages/remove/dialog.ts";
import type { Requester } from "../records/origin.ts";
import type { OperationRecord } from "../records/records.ts";
import { executionName } from "../steps/executions.ts";
import { idOf, type OperationOpening, openOperation, startOf } from "../steps/open-operation.ts";
import type { FrontDoor } from "./front-door.ts";

/** A request of a member of the workspace, with what Slack needs to answer it. */
export interface Submission {
  readonly request: Request;
  readonly requester: Requester;
  /** Slack's id of what the person did: the same for a repeated delivery, used once to open a dialog. */
  readonly triggerId: string;
  /** Names the operation where the trigger does not: the same cause again is the same operation. */
  readonly cause?: string;
  /** Slack's address for the answer to a command; like a password, it is part of no record. A button has none. */
  readonly responseUrl?: string;
}

const openingOf = (
  door: FrontDoor,
  { request, requester, triggerId, cause = triggerId }: Submission,
): OperationOpening => ({
  request,
  cause,
  cluster: door.configuration.cluster.name,
  channel: requester.channel,
});

const open = (door: FrontDoor, { requester }: Submission, opening: OperationOpening) =>
  openOperation(door.steps, { by: "person", requester }, opening);

/**
 * Takes a request on: writes it down, then starts its workflow under the operation's own name.
 * Delivered again, it finds its record and starts the same execution again, which starts nothing.
 * @returns the operation's record; "not-started" with the reason when the start or the dialog failed
 * @throws when the ledger cannot be written: then nothing was started
 */
export async function accept(door: FrontDoor, submission: Submission): Promise<OperationRecord> {
  const opening = openingOf(door, submission);
  // Side by side, so that the second write delays no acknowledgement.
  const [{ record, written }] = await Promise.all([
    open(door, submission, opening),
    keepResponseUrl(door, idOf(opening), submission),
  ]);
  if (written === "again") return repeated(door, record);
  const unopened = await openDialog(door, record, submission.triggerId);
  if (unopened) return giveUp(door, record, notStarted[unopened]);
  return (await startWorkflow(door, record)) ? record : giveUp(door, record, notStarted.busy);
}

/**
 * Keeps the address at which the answer to a look replaces its acknowledgement; without it the answer is a message of its
 * own.
 */
async function keepResponseUrl(door: FrontDoor, id: string, { request, responseUrl }: Submission): Promise<void> {
  if (responseUrl === undefined || commandOf(request.command).effect !== "look") return;
  await succeeds(`keeping where ${id} is answered`, () => door.steps.responseUrls.keep(id, responseUrl));
}

/**
 * Writes down that the policy refused a request, so that the same request does not begin when the policy has changed.
 * @returns the operation's record: not a refusal when this very request had been accepted before
 */
export async function recordRefusal(door: FrontDoor, submission: Submission): Promise<OperationRecord> {
  const refusal = noRole(submission.request.command);
  const { record, written } = await open(door, submission, { ...openingOf(door, submission), refusal });
  return written === "again" ? repeated(door, record) : record;
}

/** Was it refused here, before it began? */
export const wasRefusedHere = ({ status, executionArn }: OperationRecord): boolean =>
  status === "refused" && executionArn === null;

/** The first delivery may have died before its start; whether this one succeeds changes no answer. */
async function repeated(door: FrontDoor, { id }: OperationRecord): Promise<OperationRecord> {
  const record = await door.steps.ledger.operation(id);
  if (!record) throw new Error(`${id} was written and is gone`);
  // Only the first delivery knows whether its dialog opened. Without a dialog no confirmation can come, so nothing is started:
  // a forged command, whose dialog Slack refuses, must not begin by being sent twice.
  if (record.status === "requested" && !opensDialog(record)) await startWorkflow(door, record);
  return record;
}

const opensDialog = ({ request }: OperationRecord): boolean => commandOf(request.command).dialog && !isDryRun(request);

/** Opens the dialog of a command that asks by one; says why it is not open, or null. */
async function openDialog(
  door: FrontDoor,
  record: OperationRecord,
  triggerId: string,
): Promise<"expired" | "dialog" | null> {
  const { request, id } = record;
  if (!opensDialog(record) || request.command !== "remove") return null;
  try {
    const opened = await door.steps.thread.openDialog(triggerId, removalSkeleton(id, request.node));
    return opened === "open" ? null : opened;
  } catch (error) {
    console.error(`dialog of ${id} failed`, error);
    return "dialog";
  }
}

/** Starts the command's workflow, if it has one; false when Lambda did not take the start. */
const startWorkflow = (door: FrontDoor, record: OperationRecord): Promise<boolean> =>
  succeeds(`start of ${record.id}`, async () => {
    const workflow = workflowOf(record.request);
    if (workflow) await door.steps.executions.start(workflow, executionName(record.id), startOf(record));
  });

/** Logs a failure and answers whether there was none; the requester is told in other words. */
async function succeeds(what: string, action: () => Promise<void>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    console.error(`${what} failed`, error);
    return false;
  }
}

/** The ledger says that nothing was started; a workflow that begins all the same finds it and does nothing. */
async function giveUp(door: FrontDoor, record: OperationRecord, summary: string): Promise<OperationRecord> {
  const end = { status: "not-started", endedAt: door.steps.timestamp(), summary } as const;
  await door.steps.ledger.changeOperation(record.id, end);
  return { ...record, ...end };
}

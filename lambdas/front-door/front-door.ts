import type { Start } from "../commands/command.ts";
import type { Directory } from "../commands/membership.ts";
import type { Dialog } from "../messages/remove/dialog.ts";
import type { Decided, Message, NodeRecord, OperationRecord } from "../records.ts";
import type { Recorded } from "../steps/ledger/ledger.ts";
import type { DoorConfiguration } from "./configuration.ts";

/** Result for the callback of a dialog, of a failed node, or of a cancellation. */
export type Decision = Omit<Decided, "cause">;

/**
 * Everything the front door reaches. Slack waits three seconds, so a request may cost one conditional write and one start
 * or callback, and the opening of a dialog; everything else is kept between requests or belongs to a rare turn of events.
 * All of them may throw when the world is away.
 */
export interface FrontDoorWorld {
  readonly configuration: DoorConfiguration;
  /** Milliseconds since the epoch: dates the records. */
  now(): number;
  /** Milliseconds since the epoch: the clock that Slack's signed timestamps are held against. */
  slackNow(): number;
  /** Kept between invocations for minutes; when a signature does not fit, it may have been replaced meanwhile. */
  signingSecret(doubted: boolean): Promise<string>;
  /** Reads the members of each group and the guests, as the schedule last found them; kept between invocations. */
  directory(): Promise<Directory>;
  /** Conditional write of a new operation: "again" when this very operation was written before, which stays untouched. */
  requested(record: OperationRecord): Promise<"first" | "again">;
  operation(id: string): Promise<OperationRecord | undefined>;
  changeOperation(id: string, fields: Partial<OperationRecord>): Promise<void>;
  nodes(operation: string): Promise<readonly NodeRecord[]>;
  /** Marks an operation as cancelled, unless it has ended; the record as it is now, undefined when there is none. */
  requestCancel(operation: string, by: string, cause: string): Promise<OperationRecord | undefined>;
  /** Writes down, once, what somebody decided about a machine that failed. */
  decideNode(operation: string, index: number, decided: Decided): Promise<Recorded>;
  /** Writes down, once, what somebody answered in an operation's dialog. */
  answerDialog(operation: string, decided: Decided): Promise<Recorded>;
  /** Starts a durable function asynchronously; the same name and payload again start nothing. */
  start(workflow: string, executionName: string, payload: Start): Promise<void>;
  /** Opens a dialog; "expired" when Slack's three seconds for this trigger were over. */
  openDialog(triggerId: string, dialog: Dialog): Promise<"open" | "expired">;
  completeCallback(callbackId: string, result: Decision): Promise<"done" | "too late">;
  /** Says something in a channel that one person alone sees. */
  whisper(channel: string, userId: string, message: Message): Promise<void>;
}

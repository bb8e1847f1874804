import type { Start } from "../commands/command.ts";
import type { Configuration } from "../configuration.ts";
import type { Dialog } from "../messages/removal-dialog.ts";
import type { Message, NodeRecord, OperationRecord } from "../records.ts";

/** What Slack says of a person and a channel; only a member in a channel of our own is listened to. */
export type Standing = "member" | "guest" | "bot" | "shared-channel";

/** What goes into the callback of a dialog, of a failed node, or of a cancellation. */
export interface Decision {
  readonly decision: "submitted" | "closed" | "keep" | "terminate" | "cancel";
  readonly userId: string;
}

/** Everything the front door reaches: few calls, as Slack waits three seconds. All of them may throw when the world is away. */
export interface FrontDoorWorld {
  readonly configuration: Configuration;
  /** Milliseconds since the epoch: dates the records. */
  now(): number;
  /** Milliseconds since the epoch: the clock that Slack's signed timestamps are held against. */
  slackNow(): number;
  /** Kept between invocations. */
  signingSecret(): Promise<string>;
  /** Ids of the user groups (S…) somebody is a member of. */
  groupsOf(userId: string): Promise<readonly string[]>;
  standing(userId: string, channel: string): Promise<Standing>;
  /** Conditional write of a new operation: "again" when this very operation was written before, which stays untouched. */
  requested(record: OperationRecord): Promise<"first" | "again">;
  operation(id: string): Promise<OperationRecord | undefined>;
  changeOperation(id: string, fields: Partial<OperationRecord>): Promise<void>;
  nodes(operation: string): Promise<readonly NodeRecord[]>;
  node(operation: string, index: number): Promise<NodeRecord | undefined>;
  /** Marks an operation as cancelled; the record as it was before, undefined when there is none. */
  requestCancel(operation: string, by: string): Promise<OperationRecord | undefined>;
  /** Starts a durable function asynchronously; the same name and payload again start nothing. */
  start(workflow: string, executionName: string, payload: Start): Promise<void>;
  openDialog(triggerId: string, dialog: Dialog): Promise<void>;
  completeCallback(callbackId: string, result: Decision): Promise<"done" | "too late">;
  /** Says something in a channel that one person alone sees. */
  whisper(channel: string, userId: string, message: Message): Promise<void>;
}

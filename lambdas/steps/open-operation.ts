import { operationId } from "../commands/operation-id.ts";
import type { Request, Start } from "../commands/request.ts";
import { type Origin, originated, originOf } from "../records/origin.ts";
import type { OperationRecord } from "../records/records.ts";
import type { Steps } from "./steps.ts";

/**
 * Seconds in which a start must begin. Lambda may deliver an asynchronous start hours later, when nobody expects it any
 * more.
 */
const BEGINS_WITHIN = 15 * 60;

/** Everything that is known about an operation before it begins. */
export interface OperationOpening {
  readonly request: Request;
  /** Identifies the operation: the same cause again gives the same operation. */
  readonly cause: string;
  readonly cluster: string;
  /** Slack channel of the operation's one message. */
  readonly channel: string;
  /** Reason why the policy refuses the request, in words. The operation then never begins. */
  readonly refusal?: string;
  /** The operation whose button opens this one. */
  readonly follows?: OperationRecord["follows"];
}

/** The id of the operation that an opening creates. */
export const idOf = ({ cluster, request, cause }: OperationOpening): string =>
  operationId(cluster, request.command, cause);

/**
 * Opens an operation: records the person or rule that asked for it, before anything begins. `beginOperation` begins its
 * audit, because the front door may not write to the audit.
 * @returns its record, and "again" if the same request was recorded before
 */
export async function openOperation(
  { ledger, timestamp }: Pick<Steps, "ledger" | "timestamp">,
  origin: Origin,
  opening: OperationOpening,
): Promise<{ readonly record: OperationRecord; readonly written: "first" | "again" }> {
  const { request, cluster, channel, refusal, follows } = opening;
  const requestedAt = timestamp();
  const record: OperationRecord = {
    id: idOf(opening),
    cluster,
    request,
    ...originated(origin),
    status: refusal === undefined ? "requested" : "refused",
    requestedAt,
    endedAt: refusal === undefined ? null : requestedAt,
    executionArn: null,
    channel,
    messageTs: null,
    summary: refusal ?? "",
    cancelledBy: null,
    callbacks: {},
    ...(follows ? { follows } : {}),
  };
  return { record, written: await ledger.requested(record) };
}

/** Unix seconds until which the first execution of an operation may begin. @param requestedAt ISO 8601 */
export const beginsUntil = (requestedAt: string): number => Math.floor(Date.parse(requestedAt) / 1000) + BEGINS_WITHIN;

/**
 * Payload of an operation's workflow. It depends only on the record, so that a repeated delivery starts with the same
 * payload.
 */
export const startOf = (record: OperationRecord): Start => ({
  operation: record.id,
  request: record.request,
  ...originated(originOf(record)),
  notAfter: beginsUntil(record.requestedAt),
});

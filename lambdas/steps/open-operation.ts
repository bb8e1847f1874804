import type { Request, Start } from "../commands/command.ts";
import { operationId } from "../commands/operation-id.ts";
import { type Origin, originated, originOf } from "../origin.ts";
import type { OperationRecord } from "../records.ts";
import type { Steps } from "./steps.ts";

/** Seconds in which a start must begin: Lambda may deliver an asynchronous one hours later, when it is no longer expected. */
const BEGINS_WITHIN = 15 * 60;

/** Everything that is known of an operation before it begins. */
export interface Opening {
  readonly request: Request;
  /** Names the operation: the same cause again is the same operation. */
  readonly cause: string;
  readonly cluster: string;
  /** Slack channel of the operation's one message. */
  readonly channel: string;
  /** Reason why the policy refuses the request, in words: then it never begins. */
  readonly refusal?: string;
}

/** Id of the operation that an opening makes. */
export const idOf = ({ cluster, request, cause }: Opening): string => operationId(cluster, request.command, cause);

/**
 * Opens an operation: writes down who or what asked for it, before anything begins. Its audit begins with `beginOperation`:
 * the front door may write no audit.
 * @returns its record, and "again" when this very request had been written down before
 */
export async function openOperation(
  { ledger, timestamp }: Pick<Steps, "ledger" | "timestamp">,
  origin: Origin,
  opening: Opening,
): Promise<{ readonly record: OperationRecord; readonly written: "first" | "again" }> {
  const { request, cluster, channel, refusal } = opening;
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
  };
  return { record, written: await ledger.requested(record) };
}

/** Payload of an operation's workflow, made of the record alone, so that a repeated delivery starts with the same one. */
export const startOf = (record: OperationRecord): Start => ({
  operation: record.id,
  request: record.request,
  ...originated(originOf(record)),
  notAfter: Math.floor(Date.parse(record.requestedAt) / 1000) + BEGINS_WITHIN,
});

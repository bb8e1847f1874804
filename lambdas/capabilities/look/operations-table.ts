import { reasonOf } from "../../commands/request.ts";
import { type TitledOperation, titleOfOperation, typeThis } from "../../messages/command/syntax.ts";
import { between } from "../../messages/slack/age.ts";
import { context, say, section } from "../../messages/slack/blocks.ts";
import { withoutPlaceholder } from "../../messages/slack/command-word.ts";
import { type TableEntry, tableOfEntries } from "../../messages/slack/table.ts";
import { code, counted, prose } from "../../messages/slack/text.ts";
import { originName, requesterOf } from "../../records/origin.ts";
import type { Block, Message, OperationRecord } from "../../records/records.ts";

const COLUMNS = ["OPERATION", "STATUS", "AGE", "TOOK", "BY"];

/** Wait of one of an operation's nodes, in words, by operation. */
type Waits = Readonly<Record<string, string>>;

/** The request in a few words, with its reason: "Remove win-3: disk errors". */
const whatOf = (operation: TitledOperation): string =>
  withoutPlaceholder([titleOfOperation(operation), reasonOf(operation.request)].filter(Boolean).join(": "));

/** The operation's summary with names for mentions; only the requester's is known. */
const withNames = (operation: OperationRecord): string =>
  operation.summary.replace(/<@(\w+)>/g, (_, id: string) =>
    id === requesterOf(operation)?.userId ? originName(operation) : "another person",
  );

/** Most characters of a request or a result. */
const LONGEST = 300;

const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

const entryOf = (operation: OperationRecord, now: string): TableEntry => ({
  cells: [
    operation.id,
    operation.status,
    between(operation.requestedAt, now),
    operation.endedAt ? between(operation.requestedAt, operation.endedAt) : "",
    originName(operation),
  ],
  // Backquotes and mentions have no effect inside a code block.
  below: [whatOf(operation), withNames(operation).replaceAll("`", "")].map(shortened),
});

/** Most operations whose waits are shown; more rarely run at a time. */
const MOST_WAITS = 10;

/** A line for each operation that waits; no block when none does. */
const waiting = (operations: readonly OperationRecord[], waits: Waits): Block[] => {
  const lines = operations.flatMap(({ id }) =>
    waits[id] ? [`${code(id)} is waiting for ${prose(waits[id], 250)}`] : [],
  );
  return lines.length > 0 ? [section(lines.slice(0, MOST_WAITS).join("\n"))] : [];
};

/**
 * Lists operations with status, age and origin, each with its request and its result below, in lines for a phone.
 * @param operations newest first
 * @param waits by the id of a running operation, in words; "" for one that does not wait
 * @param now ISO 8601
 */
export function operationsMessage(operations: readonly OperationRecord[], waits: Waits, now: string): Message {
  if (operations.length === 0) return say("No operations yet.");
  const { blocks, rest } = tableOfEntries(
    COLUMNS,
    operations.map((operation) => entryOf(operation, now)),
  );
  const older = rest > 0 ? ` The ${rest} oldest are not shown.` : "";
  const hint = context(`${typeThis("cancel", "<operation>")} stops a running operation.${older}`);
  return { text: counted(operations.length, "operation"), blocks: [...blocks, ...waiting(operations, waits), hint] };
}

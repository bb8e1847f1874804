import { type Request, reasonOf } from "../../commands/request.ts";
import { originName } from "../../records/origin.ts";
import type { Block, Message, OperationRecord } from "../../records/records.ts";
import { titleOf, typeThis } from "../command/syntax.ts";
import { between } from "../slack/age.ts";
import { context, say, section } from "../slack/blocks.ts";
import { withoutPlaceholder } from "../slack/command-word.ts";
import { table } from "../slack/table.ts";
import { code, counted, prose } from "../slack/text.ts";

const COLUMNS = ["OPERATION", "STATUS", "WHAT", "BY", "AGE", "TOOK", "RESULT"];

/** By operation: what one of its nodes waits for, in words. */
type Waits = Readonly<Record<string, string>>;

/** The request in a few words, with the reason that was given: "Remove win-3: disk errors". */
const whatOf = (request: Request): string =>
  withoutPlaceholder([titleOf(request), reasonOf(request)].filter(Boolean).join(": "));

const cells = (operation: OperationRecord, now: string): string[] => [
  operation.id,
  operation.status,
  whatOf(operation.request),
  originName(operation),
  between(operation.requestedAt, now),
  operation.endedAt ? between(operation.requestedAt, operation.endedAt) : "",
  // Marks of code mean nothing inside a code block.
  operation.summary.replaceAll("`", ""),
];

/** Operations whose waits are told; there are rarely more at once. */
const MOST_WAITS = 10;

/** A line for each operation that waits; no block when none does. */
const waiting = (operations: readonly OperationRecord[], waits: Waits): Block[] => {
  const lines = operations.flatMap(({ id }) =>
    waits[id] ? [`${code(id)} is waiting for ${prose(waits[id], 250)}`] : [],
  );
  return lines.length > 0 ? [section(lines.slice(0, MOST_WAITS).join("\n"))] : [];
};

/**
 * Lists operations: the origin, the request, its time, and its end.
 * @param operations newest first
 * @param waits by operation that still runs, in words; "" for one that waits for nothing
 * @param now ISO 8601
 */
export function operationsMessage(operations: readonly OperationRecord[], waits: Waits, now: string): Message {
  if (operations.length === 0) return say("No operations yet.");
  const { blocks, rest } = table(
    COLUMNS,
    operations.map((operation) => cells(operation, now)),
  );
  const older = rest > 0 ? ` The ${rest} oldest are not shown.` : "";
  const hint = context(`${typeThis("cancel", "<operation>")} stops a running operation.${older}`);
  return { text: counted(operations.length, "operation"), blocks: [...blocks, ...waiting(operations, waits), hint] };
}

import type { AppendRequest } from "../audit/append-request.ts";
import { type Appender, isAppender } from "../audit/appenders.ts";
import { type Act, chainName } from "../audit/entry.ts";
import type { Head } from "../audit/head.ts";
import { commands, scheduledOperations } from "../commands/list.ts";
import { commandsOf } from "../commands/of-workflow.ts";
import type { AcceptedRequest } from "../records/accepted.ts";
import {
  DECISION_ITEMS,
  decisionsOn,
  doorPartition,
  type Key,
  keys,
  operationPartition,
} from "../records/ledger-table.ts";
import { isStoppingRule } from "../records/origin.ts";
import type { DecisionRecord, OperationRecord } from "../records/records.ts";
import type { EventContext } from "../steps/context.ts";
import { tableClient } from "../steps/ledger/table.ts";

/** Reads the caller from the ARN by which it called: the alias is its name, and its role may invoke no other. */
export function callerOf(invokedArn: string): Appender | null {
  const alias = invokedArn.split(":")[7] ?? "";
  return isAppender(alias) ? alias : null;
}

/**
 * Judges whether a function may have entries appended to the audit of an operation: to those of its own commands, and the
 * sweep to all.
 */
const mayAppend = (caller: Appender, operation: string): boolean =>
  caller === "sweep" || commandsOf(caller).some((command) => operation.startsWith(`${command}-`));

/** An operation as the ledger holds it, and the people in it. */
interface KnownOperation {
  readonly operation: OperationRecord;
  /** The person's request as the front door accepted it; undefined for a rule's. */
  readonly accepted: AcceptedRequest | undefined;
  /** Decisions and votes, as the front door wrote them. */
  readonly decisions: readonly Pick<DecisionRecord, "userId" | "decision">[];
}

/** The decision that a vote must have for an entry of this kind. */
const votes: Readonly<Partial<Record<Act["what"], string>>> = { approved: "approve", denied: "deny" };

/** Entries whose person requested the operation. */
const REQUESTERS: ReadonlySet<Act["what"]> = new Set(["requested", "break-glass"]);

/** Finds what an entry claims about a person that the ledger does not hold; null if it holds it. */
function falsePerson(what: Act["what"], person: string, known: KnownOperation): string | null {
  const { operation, accepted } = known;
  const own = known.decisions.filter(({ userId }) => userId === person);
  if (votes[what]) return own.some(({ decision }) => decision === votes[what]) ? null : `${person} has not voted so`;
  // A workflow may write the record of an operation, but not the request that the front door accepted.
  const requester = accepted?.requester.userId;
  if (REQUESTERS.has(what)) return requester === person ? null : `${person} did not request the operation`;
  const isNamed = own.length > 0 || [requester, operation.cancelledBy].includes(person);
  return isNamed ? null : `${person} decided nothing about the operation`;
}

/** Finds what an act claims about a person or a rule that the ledger does not hold; null if it holds all of it. */
function falseClaim({ what, by }: Act, known: KnownOperation, caller: Appender): string | null {
  if (!by) return null;
  if ("person" in by) return falsePerson(what, by.person, known);
  const isStop = what === "cancelled" && isStoppingRule(by.rule);
  const isRule = known.accepted === undefined || caller === "sweep" || isStop;
  return isRule ? null : `a person requested the operation, and no rule ${by.rule}`;
}

/** Is it the operation of a rule, which no person can request? Votes on it are only in the front door's partition. */
const isOfRule = (operation: string): boolean =>
  scheduledOperations.some(({ name }) => operation.startsWith(`${name}-`)) &&
  !commands.some(({ name }) => operation.startsWith(`${name}-`));

/** A decision, as the ledger stores it. */
type StoredDecision = DecisionRecord & Key;

/**
 * Reads the people of an operation from the partition that the front door writes, and of a rule's operation of the last
 * release, from its own too.
 */
async function peopleOf(context: EventContext, operation: string) {
  const items = tableClient(context);
  const accepted = await items.read<AcceptedRequest>(keys.accepted(operation));
  const door = await items.partition<DecisionRecord>(doorPartition(operation));
  const isBelieved = !accepted && isOfRule(operation);
  const own = isBelieved ? await items.all<StoredDecision>(operationPartition(operation), DECISION_ITEMS) : [];
  const believed = own.filter(({ sk }) => !sk.startsWith(decisionsOn("approval")));
  return { accepted, decisions: [...door, ...believed] };
}

/** A request that may be carried out: the day of the operation's request, and the head in the record of its chain. */
interface GrantedRequest {
  /** ISO 8601. */
  readonly day: string;
  readonly head: Head | undefined;
}

/**
 * Compares a request with the ledger.
 * @param caller null if the alias names no function that has entries appended
 * @returns what is needed to carry it out, or why it is not
 */
export async function judgeRequest(
  context: EventContext,
  caller: Appender | null,
  request: AppendRequest,
): Promise<GrantedRequest | { readonly refused: string }> {
  const { operation: id, index } = request.chain;
  if (!caller || !mayAppend(caller, id)) return { refused: `${caller ?? "the caller"} has no part in ${id}` };
  const items = tableClient(context);
  const operation = await items.read<OperationRecord>(keys.operation(id));
  if (!operation) return { refused: `the ledger holds no operation ${id}` };
  const record = index === undefined ? operation : await items.read<{ readonly audit?: Head }>(keys.node(id, index));
  if (!record) return { refused: `the ledger holds no ${chainName(request.chain)}` };
  const acts = request.kind === "append" ? request.entries.map(({ act }) => act) : [];
  if (acts.some(({ by }) => by !== undefined)) {
    const known = { operation, ...(await peopleOf(context, id)) };
    const [claim] = acts.flatMap((act) => falseClaim(act, known, caller) ?? []);
    if (claim) return { refused: claim };
  }
  return { day: operation.requestedAt, head: record.audit };
}

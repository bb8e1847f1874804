import { Retryable } from "../../errors.ts";
import { decisionsOn, type Key, keys, operationPartition, votesOn } from "../../ledger-table.ts";
import type { Decided, DecisionRecord, DecisionSubject } from "../../records.ts";
import { type FrontDoorContext, timestamp } from "../context.ts";
import { table } from "./table.ts";

/** Outcome of writing a decision down, with the callback that waits for it. */
export type Recorded =
  | { readonly kind: "first"; readonly callback: string }
  /** Seen before; its waiter may be gone. */
  | { readonly kind: "again"; readonly callback: string | null }
  /** Another decision was there before, or the time was up. */
  | { readonly kind: "late"; readonly earlier: { readonly decided: Decided; readonly callback: string } | null }
  | { readonly kind: "unknown" };

/** A record whose execution may wait for a decision, by a callback of that name. */
interface Decidable {
  readonly callbacks: Readonly<Record<string, string>>;
  readonly decided?: Decided | null;
}

/** Decisions that are written at the same moment take another place each. */
const MOST_ATTEMPTS = 5;

/**
 * The decision that answers the question of today; the last release wrote it into the record.
 * @param given decisions on the subject, oldest first
 */
const answerTo = (callback: string, record: Decidable, given: readonly DecisionRecord[]): Decided | undefined =>
  given.find((decision) => decision.callback === callback) ?? record.decided ?? undefined;

/** Votes on plans: one item for each person and asking. */
const votesOf = (context: FrontDoorContext) => {
  const items = table(context);
  return {
    /**
     * Writes a person's vote on a plan down, once: the first one of each person stays.
     * @param asking counted from 1; the callback that waits is none of the vote's business
     * @returns the vote that stands, which is an earlier one when the person had voted
     */
    vote: async (
      operation: string,
      asking: number,
      { reason, ...decided }: Decided & { readonly reason?: string },
    ): Promise<DecisionRecord> => {
      const place = keys.vote(operation, asking, decided.userId);
      const said = reason ? { reason } : {};
      const item: DecisionRecord = { ...decided, ...said, subject: "approval", callback: "", at: timestamp(context) };
      if ((await items.insert(place, item)) === "first") return item;
      return (await items.read<DecisionRecord>(place)) ?? item;
    },

    /**
     * Uses the approval of one asking up, once: whichever execution comes first has it, and may ask again after a crash.
     * @param execution ARN of the durable execution that will act on it
     * @returns whether this execution may act
     */
    consumeApproval: async (operation: string, asking: number, execution: string): Promise<boolean> => {
      const place = keys.approvalUse(operation, asking);
      if ((await items.insert(place, { execution, at: timestamp(context) })) === "first") return true;
      return (await items.read<{ readonly execution: string }>(place))?.execution === execution;
    },

    /** Lists the votes of one asking, in the order in which they came. */
    votes: async (operation: string, asking: number): Promise<DecisionRecord[]> => {
      const all = await items.all<DecisionRecord>(operationPartition(operation), votesOn(asking));
      return all.sort((one, other) => (one.at < other.at ? -1 : 1));
    },
  };
};

/** Decisions of people: items of their own, written once each, in the order in which they came. */
export const decisions = (context: FrontDoorContext) => {
  const items = table(context);

  const list = (operation: string, subject: DecisionSubject): Promise<DecisionRecord[]> =>
    items.all<DecisionRecord>(operationPartition(operation), decisionsOn(subject));

  /** Judges a decision by what is written; null when it may be written at the next place. */
  const known = (record: Decidable, given: readonly DecisionRecord[], name: string, cause: string): Recorded | null => {
    const callback = record.callbacks[name] ?? null;
    if ([...given, record.decided].some((decision) => decision?.cause === cause)) return { kind: "again", callback };
    if (callback === null) return { kind: "late", earlier: null };
    const decided = answerTo(callback, record, given);
    return decided ? { kind: "late", earlier: { decided, callback } } : null;
  };

  /**
   * Writes a decision down if it answers the question that is asked now: the first one stays, and the same cause again is the
   * same decision.
   * @param of record of the operation or of its node, which names the callback
   * @throws Retryable when others wrote decisions at the same moment, again and again
   */
  const decide = async (
    of: { readonly key: Key; readonly name: "decision" | "dialog" },
    operation: string,
    subject: DecisionSubject,
    decided: Decided,
  ): Promise<Recorded> => {
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      const record = await items.read<Decidable>(of.key);
      if (!record) return { kind: "unknown" };
      const given = await list(operation, subject);
      const seen = known(record, given, of.name, decided.cause);
      if (seen) return seen;
      const callback = record.callbacks[of.name] ?? "";
      const item: DecisionRecord = { ...decided, subject, callback, at: timestamp(context) };
      const place = keys.decision(operation, subject, given.length + 1);
      if ((await items.insert(place, item)) === "first") return { kind: "first", callback };
    }
    throw new Retryable(`decisions on ${subject} of ${operation} were written at the same moment`);
  };

  return {
    ...votesOf(context),

    /** Lists the decisions on a subject, oldest first. */
    decisions: list,

    /**
     * Finds what a person answered to a question.
     * @param callback the callback that asks
     * @param until milliseconds since the epoch: what was written later came too late
     */
    answerOf: async (
      operation: string,
      subject: DecisionSubject,
      callback: string,
      until: number,
    ): Promise<DecisionRecord | null> =>
      (await list(operation, subject)).find((one) => one.callback === callback && Date.parse(one.at) <= until) ?? null,

    /** Writes down, once, what a person decided about a machine that failed. */
    decideNode: (id: string, index: number, decided: Decided): Promise<Recorded> =>
      decide({ key: keys.node(id, index), name: "decision" }, id, `node ${index}`, decided),

    /** Writes down, once, what a person answered in an operation's dialog. */
    answerDialog: (id: string, decided: Decided): Promise<Recorded> =>
      decide({ key: keys.operation(id), name: "dialog" }, id, "dialog", decided),
  };
};

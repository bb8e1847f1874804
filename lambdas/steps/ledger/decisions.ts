import { Retryable } from "../../errors.ts";
import type { Approval } from "../../records/approval.ts";
import { decisionsOn, doorPartition, type Key, keys, votesOn } from "../../records/ledger-table.ts";
import type { DecisionRecord, DecisionSubject, PersonDecision } from "../../records/records.ts";
import { type FrontDoorContext, timestamp } from "../context.ts";
import { acceptedRequests } from "./accepted.ts";
import { tableClient } from "./table.ts";

/** Result of recording a decision, with the callback that waits for it. */
export type RecordResult =
  | { readonly kind: "first"; readonly callback: string }
  /** The decision was recorded before; its execution may no longer wait. */
  | { readonly kind: "again"; readonly callback: string | null }
  /** Another decision was recorded first, or the time for it was over. */
  | { readonly kind: "late"; readonly earlier: { readonly decided: PersonDecision; readonly callback: string } | null }
  | { readonly kind: "unknown" };

/** A record whose execution may wait for a decision, with its callbacks by name. */
interface Decidable {
  readonly callbacks: Readonly<Record<string, string>>;
  readonly decided?: PersonDecision | null;
}

/** Limit on attempts: decisions that are written at the same time each need a place of their own. */
const MOST_ATTEMPTS = 5;

/**
 * The decision that answers the current question. The last release wrote it into the record itself.
 * @param given decisions on the subject, oldest first
 */
const answerTo = (callback: string, record: Decidable, given: readonly DecisionRecord[]): PersonDecision | undefined =>
  given.find((decision) => decision.callback === callback) ?? record.decided ?? undefined;

/** Votes on plans: one item per person and request for approval. */
const votesOf = (context: FrontDoorContext) => {
  const items = tableClient(context);
  const { partitionOf, expiry } = acceptedRequests(context);

  /**
   * Finds the partition of the votes on a question. The execution that asked a question of the last release reads those
   * of a rule's operation in the operation's own partition.
   */
  const votesPartition = async (operation: string, { votesIn }: Pick<Approval, "votesIn">): Promise<string> =>
    votesIn === "door" ? doorPartition(operation) : partitionOf(operation);

  return {
    /**
     * Records a person's vote on a plan; only a person's first vote is kept.
     * @param approval the request for approval, with the hash of the plan that the person has seen; a vote does not
     * depend on the callback that waits
     * @returns the vote that is valid, which is the earlier one if the person had voted
     */
    vote: async (
      operation: string,
      { asking, hash: plan, ...approval }: Pick<Approval, "asking" | "hash" | "votesIn">,
      { reason, ...decided }: PersonDecision & { readonly reason?: string },
    ): Promise<DecisionRecord> => {
      const partition = await votesPartition(operation, approval);
      const place = keys.vote(partition, asking, decided.userId);
      const said = reason ? { reason } : {};
      const at = timestamp(context);
      const item: DecisionRecord = { ...decided, ...said, subject: "approval", callback: "", plan, at };
      const door = keys.vote(doorPartition(operation), asking, decided.userId);
      if (door.pk !== partition) await items.insert(door, { ...item, ...expiry() });
      if ((await items.insert(place, { ...item, ...expiry() })) === "first") return item;
      return (await items.read<DecisionRecord>(place)) ?? item;
    },

    /**
     * Uses up the approval of one request. Only the first execution may act on it, and may ask again after a crash.
     * @param execution ARN of the durable execution that will act on it
     * @returns true if this execution may act
     */
    consumeApproval: async (operation: string, asking: number, execution: string): Promise<boolean> => {
      const place = keys.approvalUse(operation, asking);
      if ((await items.insert(place, { execution, at: timestamp(context) })) === "first") return true;
      return (await items.read<{ readonly execution: string }>(place))?.execution === execution;
    },

    /** Lists the votes of one request for approval, oldest first. */
    votes: async (operation: string, approval: Pick<Approval, "asking" | "votesIn">): Promise<DecisionRecord[]> => {
      const partition = await votesPartition(operation, approval);
      const all = await items.all<DecisionRecord>(partition, votesOn(approval.asking));
      return all.sort((one, other) => (one.at < other.at ? -1 : 1));
    },
  };
};

/** Decisions of people: one item each, written once, in the order of their arrival. */
export const decisions = (context: FrontDoorContext) => {
  const items = tableClient(context);
  const { partitionOf, expiry } = acceptedRequests(context);

  const list = async (operation: string, subject: DecisionSubject): Promise<DecisionRecord[]> =>
    items.all<DecisionRecord>(await partitionOf(operation), decisionsOn(subject));

  /** Finds the result for a decision that may not be recorded; null if it may be recorded at the next place. */
  const known = (
    record: Decidable,
    given: readonly DecisionRecord[],
    name: string,
    cause: string,
  ): RecordResult | null => {
    const callback = record.callbacks[name] ?? null;
    if ([...given, record.decided].some((decision) => decision?.cause === cause)) return { kind: "again", callback };
    if (callback === null) return { kind: "late", earlier: null };
    const decided = answerTo(callback, record, given);
    return decided ? { kind: "late", earlier: { decided, callback } } : null;
  };

  /**
   * Records a decision if it answers the current question: the first one stays, and the same cause again is the same
   * decision.
   * @param of record of the operation or of its node, which names the callback
   * @throws Retryable if other decisions were written at the same time at every attempt
   */
  const decide = async (
    of: { readonly key: Key; readonly name: "decision" | "dialog" },
    operation: string,
    subject: DecisionSubject,
    decided: PersonDecision,
  ): Promise<RecordResult> => {
    const partition = await partitionOf(operation);
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      const record = await items.read<Decidable>(of.key);
      if (!record) return { kind: "unknown" };
      const given = await items.all<DecisionRecord>(partition, decisionsOn(subject));
      const seen = known(record, given, of.name, decided.cause);
      if (seen) return seen;
      const callback = record.callbacks[of.name] ?? "";
      const item: DecisionRecord = { ...decided, subject, callback, at: timestamp(context) };
      const place = keys.decision(partition, subject, given.length + 1);
      if ((await items.insert(place, { ...item, ...expiry() })) === "first") return { kind: "first", callback };
    }
    throw new Retryable(`decisions on ${subject} of ${operation} were written at the same moment`);
  };

  return {
    ...votesOf(context),

    /** Lists the decisions on a subject, oldest first. */
    decisions: list,

    /**
     * Finds a person's answer to a question.
     * @param callback the callback of the question
     * @param until milliseconds since the epoch after which an answer is too late
     */
    answerOf: async (
      operation: string,
      subject: DecisionSubject,
      callback: string,
      until: number,
    ): Promise<DecisionRecord | null> =>
      (await list(operation, subject)).find((one) => one.callback === callback && Date.parse(one.at) <= until) ?? null,

    /** Records a person's decision about a failed machine, once. */
    decideNode: (id: string, index: number, decided: PersonDecision): Promise<RecordResult> =>
      decide({ key: keys.node(id, index), name: "decision" }, id, `node ${index}`, decided),

    /** Records a person's answer in an operation's dialog, once. */
    answerDialog: (id: string, decided: PersonDecision): Promise<RecordResult> =>
      decide({ key: keys.operation(id), name: "dialog" }, id, "dialog", decided),
  };
};

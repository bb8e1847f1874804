import { calledTo } from "../../change/waits/called.ts";
import { findWaits } from "../../change/waits/find.ts";
import { waitReminder, waitWords } from "../../messages/operation/waits.ts";
import { requesterOf } from "../../records/origin.ts";
import type { Message, OperationRecord } from "../../records/records.ts";
import { isWaitDue, type WaitHolder } from "../../records/reminders.ts";
import { isUrgent, type PersonWait, waitName, withoutDoubles } from "../../records/waits.ts";
import { isBusy } from "../../steps/client-errors.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Steps } from "../../steps/steps.ts";

/** May this person end the wait? An approval or a review is never the requester's. */
export const mayEnd = ({ kind }: PersonWait, operation: OperationRecord | undefined, id: string): boolean =>
  !(kind === "approval" || kind === "review") || !operation || requesterOf(operation)?.userId !== id;

/** The waits of which the sweep reminds people; the messages of others do that themselves. */
interface SeenWaits {
  readonly waits: readonly PersonWait[];
  /** False if the API server is unreachable, so that nodes that wait are missing. */
  readonly isWhole: boolean;
}

/** Finds what people are reminded of. Belongs into a step. */
export async function seeWaits(steps: Steps): Promise<SeenWaits> {
  const nodes = await steps.nodes.all().catch((error: unknown): readonly Node[] | null => {
    if (isBusy(error)) return null;
    throw error;
  });
  const waits = await findWaits(steps, nodes ?? [], []);
  return { waits: waits.filter(({ kind }) => waitWords[kind].remindsItself !== true), isWhole: nodes !== null };
}

/** A wait of which people are reminded now, and the names of others that the same call is about. */
export interface DueWait {
  readonly wait: PersonWait;
  readonly covers: readonly string[];
}

/** Lists the waits for which a reminder is due. Belongs into a step. */
export async function dueWaits(steps: Steps): Promise<readonly DueWait[]> {
  // If the API server is unreachable, a later sweep reminds people of nodes that wait.
  const [{ waits }, known] = await Promise.all([seeWaits(steps), steps.reminders.all()]);
  return withoutDoubles(waits).filter(({ wait }) =>
    isWaitDue({ since: wait.since, isUrgent: isUrgent(wait) }, known.get(waitName(wait)), steps.now()),
  );
}

/** A wait, and what is known of it. */
interface KnownWait {
  readonly wait: PersonWait;
  /** Undefined if its record has expired. */
  readonly operation: OperationRecord | undefined;
  /** The person who has it. */
  readonly holder?: WaitHolder;
}

/** Makes the call to a wait, for those who are called now. */
export async function callTo(steps: Steps, { wait, operation, holder }: KnownWait): Promise<Message> {
  const rules = await steps.runtime.rules();
  const audience = calledTo(rules, { ...wait, isUrgent: isUrgent(wait) }, steps.now());
  const called = audience.filter((id) => mayEnd(wait, operation, id));
  return waitReminder(wait, { called, holder, now: steps.timestamp() });
}

/** Reminds people in the operation's thread, or in the channel if its record has expired. Belongs into a step. */
export async function remindOfWait(steps: Steps, { wait, covers }: DueWait): Promise<void> {
  const { slack } = await steps.runtime.rules();
  const operation = await steps.ledger.operation(wait.operation);
  const name = waitName(wait);
  const { holder } = (await steps.reminders.all()).get(name) ?? {};
  const message = await callTo(steps, { wait, operation });
  // Reminders of one day are several messages; one that is repeated within ten minutes is the same.
  const mark = `${name} reminder ${steps.timestamp().slice(0, isUrgent(wait) || holder ? 15 : 10)}`;
  const channel = operation?.channel ?? slack.channel;
  await steps.thread.post(channel, message, mark, operation?.messageTs ?? undefined);
  for (const one of [name, ...covers]) await steps.reminders.keep(one);
}

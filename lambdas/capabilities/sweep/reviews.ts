import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { countedVote } from "../../change/approval/count.ts";
import { redraw } from "../../change/operation/publisher.ts";
import { mayVote } from "../../change/operation/requester.ts";
import { calledTo } from "../../change/waits/called.ts";
import { step } from "../../engine/durable.ts";
import { reviewedMessage, reviewNotice, reviewReminder } from "../../messages/approval/break-glass.ts";
import type { CountedVote } from "../../records/approval.ts";
import { requesterOf } from "../../records/origin.ts";
import type { OperationRecord } from "../../records/records.ts";
import { isReminderDue } from "../../records/reminders.ts";
import type { BreakGlassUse } from "../../steps/ledger/break-glass-rules.ts";
import type { Steps } from "../../steps/steps.ts";
import { pageOnce } from "./page.ts";

/** The next sweep asks an unavailable service again. */
const ATTEMPTS = 3;

/** Closes a use that an approver has reviewed, or reminds them of it after a quarter of an hour, and each day after that. */
export async function followReview(ctx: DurableContext, steps: Steps, used: BreakGlassUse): Promise<void> {
  const { operation } = used;
  const state = await step(ctx, `find a review of ${operation}`, () => findReview(steps, used), ATTEMPTS);
  if (state !== "due") return;
  const record = await step(ctx, `who ran ${operation}`, () => steps.ledger.operation(operation), ATTEMPTS);
  const waiting = { name: `review ${operation}`, since: used.at };
  if (record) await pageOnce(ctx, steps, waiting, () => reviewNotice(record));
  await step(ctx, `remind of ${operation}`, () => remind(steps, used), ATTEMPTS);
}

const isDue = (steps: Steps, { at, remindedAt }: BreakGlassUse): boolean => isReminderDue(at, remindedAt, steps.now());

async function findReview(steps: Steps, used: BreakGlassUse): Promise<"closed" | "due" | "open"> {
  const { operation } = used;
  const record = await steps.ledger.operation(operation);
  // An operation whose execution died before the question was written, or whose record has lapsed, is reviewed by no one.
  if (!record?.approval) {
    if (record === undefined || record.endedAt !== null) await steps.breakGlass.close(operation);
    return "closed";
  }
  // Until it has ended, its own execution writes its audit.
  const vote = record.endedAt === null ? null : await reviewOf(steps, record);
  if (vote === null) return record.endedAt !== null && isDue(steps, used) ? "due" : "open";
  await close(steps, record, vote);
  return "closed";
}

/** The first vote of a person who may review; each is judged afresh, and the requester's never counts. */
async function reviewOf(steps: Steps, { id, approval, ...record }: OperationRecord): Promise<CountedVote | null> {
  if (!approval) return null;
  const given = await steps.ledger.votes(id, approval);
  // Votes of the last release name no plan.
  for (const vote of given.filter(({ plan = approval.hash }) => plan === approval.hash).map(countedVote)) {
    if (vote.userId === requesterOf(record)?.userId) continue;
    if (await mayVote(steps, vote, approval)) return vote;
  }
  return null;
}

/** Each write may be repeated: a sweep that dies in between is followed by the next one. */
async function close(steps: Steps, record: OperationRecord, vote: CountedVote): Promise<void> {
  const { id, channel, messageTs, approval } = record;
  if (!approval) return;
  await steps.ledger.changeOperation(id, { approval: { ...approval, state: "reviewed", votes: [vote] } });
  const { decision, userId, reason } = vote;
  await steps.audit.append({ operation: id }, "reviewed", {
    what: "reviewed",
    by: { person: userId },
    detail: { verdict: decision === "approve" ? "in order" : "not in order", ...(reason ? { reason } : {}) },
  });
  await steps.thread.post(channel, reviewedMessage(record, vote), `${id} reviewed`, messageTs ?? undefined);
  await redraw(steps, id);
  await steps.breakGlass.close(id);
}

async function remind(steps: Steps, used: BreakGlassUse): Promise<void> {
  const { operation, at } = used;
  const record = await steps.ledger.operation(operation);
  if (!record?.approval || !isDue(steps, used)) return;
  const rules = await steps.runtime.rules();
  const { roles, pool } = record.approval;
  const called = calledTo(rules, { audience: { roles }, pool, since: at, isUrgent: false }, steps.now());
  const now = steps.timestamp();
  const message = reviewReminder(record, record.approval, { at, now, called });
  await steps.thread.post(
    record.channel,
    message,
    `${operation} review ${now.slice(0, 10)}`,
    record.messageTs ?? undefined,
  );
  await steps.breakGlass.reminded(operation);
}

import { CallbackTimeoutError, type DurableContext } from "@aws/durable-execution-sdk-js";
import { step } from "../../engine/durable.ts";
import type { NotApproved } from "../../messages/approval/approval.ts";
import type { MessageSettings } from "../../messages/operation/links.ts";
import type { Approval } from "../../records/approval.ts";
import type { Message, PublishedMessage } from "../../records/records.ts";
import { isBusy } from "../../steps/client-errors.ts";
import type { Steps } from "../../steps/steps.ts";
import { postFirst, publish } from "../operation/publisher.ts";
import { cancelledBy } from "../operation/requester.ts";
import { viewOf } from "../operation/view.ts";
import { judgeAll, noVotes, type VoteCount, type VotedQuestion } from "./count.ts";
import { otherRequests } from "./other-requests.ts";

/** A question that waits for votes. */
interface Asked extends VotedQuestion {
  readonly settings: MessageSettings;
  /** Message that calls the approvers, in the thread. */
  readonly call: Message;
  /** Mark of that message, so that it is posted once. */
  readonly callMark: string;
  /** Milliseconds for which this execution waits for votes; null to wait until their deadline. */
  readonly patienceMs: number | null;
  /** Does the question no longer stand? It is asked at each poll; by default it stands. */
  readonly isOutdated?: () => Promise<boolean>;
}

/** End of the votes, or of the wait for them; `seen` is the number of votes that were judged. */
export type VoteVerdict =
  | { readonly kind: "undecided"; readonly approval: Approval; readonly seen: number }
  | Exclude<NotApproved, { readonly kind: "worse" }>
  | { readonly kind: "approved"; readonly by: readonly string[] };

/** A question, and the time at which this execution stops waiting for votes: milliseconds since the epoch, or null. */
interface AwaitedQuestion extends Asked {
  readonly waitsUntil: number | null;
}

/** State between two polls. */
interface VotePoll extends VoteCount {
  readonly verdict: VoteVerdict | null;
  readonly published: PublishedMessage | null;
  readonly isCalled: boolean;
  /** Seconds until the next poll, if no vote wakes it earlier. */
  readonly pause: number;
}

/** Seconds between polls: if a wake-up is lost, the next poll finds the vote. */
const PAUSE = 120;

/** Seconds between polls while Slack is down or a vote could not be judged. */
const SHORT_PAUSE = 30;

const first: VotePoll = {
  ...noVotes,
  verdict: null,
  published: null,
  isCalled: false,
  pause: SHORT_PAUSE,
};

/**
 * Waits until enough people have approved, one has denied, the operation was cancelled, or the time is up. Meanwhile
 * the message shows who has approved.
 */
export async function awaitVotes(ctx: DurableContext, steps: Steps, asked: Asked): Promise<VoteVerdict> {
  const { patienceMs } = asked;
  const waitsUntil =
    patienceMs === null
      ? null
      : await step(
          ctx,
          `how long votes on ${asked.approval.asking} are waited for`,
          async () => steps.now() + patienceMs,
        );
  let state = first;
  for (let round = 1; ; round += 1) {
    const before = state;
    const name = `${asked.approval.asking}.${round}`;
    const [answered, callback] = await ctx.createCallback(`vote ${name}`, { timeout: { seconds: before.pause } });
    state = await step(ctx, `count votes ${name}`, () => pollVotes(steps, { ...asked, waitsUntil }, callback, before));
    if (state.verdict) return state.verdict;
    await answered.catch((error: unknown) => {
      if (!(error instanceof CallbackTimeoutError)) throw error;
    });
  }
}

/** Registers the callback, then reads the votes: a vote may arrive before its callback is registered. */
async function pollVotes(steps: Steps, asked: AwaitedQuestion, callback: string, before: VotePoll): Promise<VotePoll> {
  const { operation, approval } = asked;
  await steps.ledger.changeOperation(operation, { callbacks: { approval: callback, cancel: callback } });
  const cancelled = await cancelledBy(steps, operation);
  const count = await judgeAll(steps, asked, before);
  const isOutdated = (await asked.isOutdated?.()) ?? false;
  const verdict = isOutdated ? ({ kind: "superseded" } as const) : verdictOf(steps, asked, count, cancelled);
  const state = verdict === null || verdict.kind === "undecided" ? "open" : verdict.kind;
  const others = await otherRequests(steps, operation, approval.record.nodes);
  await steps.ledger.changeOperation(operation, {
    approval: { ...approval, state, votes: count.votes, others },
    // A question whose votes no longer suffice waits for people again.
    ...(verdict ? { callbacks: {} } : { status: "waiting" }),
  });
  if (verdict) await auditEnd(steps, asked, verdict);
  const lost = count.lost ?? [];
  const isLost = lost.length > (before.lost ?? []).length;
  const shown = await show(steps, asked, { ...before, lost, ...(isLost ? { isCalled: false } : {}) });
  const isHasty = count.isUnclear || shown.published === null || shown.published.trouble !== null || !shown.isCalled;
  return { ...count, ...shown, verdict, pause: pauseOf(steps, approval, isHasty ? SHORT_PAUSE : PAUSE) };
}

const pauseOf = ({ now }: Steps, { until }: Approval, most: number): number =>
  Math.max(1, Math.min(most, Math.ceil((Date.parse(until) - now()) / 1_000)));

/** Finds the verdict. A denial outweighs approvals; approvals that came in time are valid even after the deadline. */
function verdictOf(
  { now }: Steps,
  { approval, waitsUntil }: AwaitedQuestion,
  count: VoteCount,
  cancelled: string | null,
): VoteVerdict | null {
  if (cancelled !== null) return { kind: "cancelled", by: cancelled };
  const denial = count.votes.find(({ decision }) => decision === "deny");
  if (denial) return { kind: "denied", by: denial.userId, reason: denial.reason ?? null };
  const by = count.votes.map(({ userId }) => userId).filter((userId) => count.judged.includes(userId));
  if (count.judged.length >= approval.needs) return { kind: "approved", by };
  if (now() >= Date.parse(approval.until)) return { kind: "lapsed" };
  const isOver = waitsUntil !== null && now() >= waitsUntil;
  const seen = count.votes.length + count.refused.length;
  return isOver ? { kind: "undecided", approval: { ...approval, votes: count.votes }, seen } : null;
}

async function auditEnd(steps: Steps, { operation, approval }: Asked, verdict: VoteVerdict): Promise<void> {
  const mark = `approval ended ${approval.asking}`;
  if (verdict.kind === "lapsed" || verdict.kind === "superseded")
    await steps.audit.append({ operation }, mark, { what: "lapsed", detail: { plan: approval.hash } });
  if (verdict.kind === "cancelled")
    await steps.audit.append({ operation }, mark, { what: "cancelled", by: { person: verdict.by } });
}

/** Updates the message and calls the approvers once. If Slack is down, the next poll does both. */
async function show(
  steps: Steps,
  { operation, settings, call, callMark }: Asked,
  { lost = [], ...before }: VotePoll,
): Promise<Pick<VotePoll, "published" | "isCalled">> {
  let { published, isCalled } = before;
  try {
    published ??= await postFirst(steps, operation, null, settings);
    const view = await viewOf(steps, operation, null);
    if (view) published = await publish(steps, view, published, settings);
    const mark = [callMark, ...lost.map((userId) => `without ${userId}`)].join(" ");
    if (!isCalled && view) await steps.thread.post(view.operation.channel, call, mark, published.messageTs);
    isCalled = true;
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
  return { published, isCalled };
}

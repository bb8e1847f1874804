import { CallbackTimeoutError, type DurableContext } from "@aws/durable-execution-sdk-js";
import { step } from "../../engine/durable.ts";
import { Refused } from "../../errors.ts";
import type { NotApproved } from "../../messages/approval/approval.ts";
import type { MessageSettings } from "../../messages/operation/links.ts";
import type { Approval, CountedVote } from "../../records/approval.ts";
import type { DecisionRecord, Message, PublishedMessage } from "../../records/records.ts";
import { isBusy, wordsOf } from "../../steps/client-errors.ts";
import type { Steps } from "../../steps/steps.ts";
import { postFirst, publish, viewOf } from "../operation/publisher.ts";
import { cancelledBy, mayVote } from "../operation/requester.ts";

/** A question on which people vote. */
interface VotedQuestion {
  readonly operation: string;
  readonly approval: Approval;
  /** Slack id of the requester, whose own vote is not valid; null for an operation of a rule. */
  readonly requester: string | null;
}

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

/** Votes that were judged. */
interface Count {
  readonly votes: readonly CountedVote[];
  /** People whose vote is not valid. */
  readonly refused: readonly string[];
  /** Some vote could not be judged, because Slack or the rules could not be read. */
  readonly isUnclear: boolean;
}

/** State between two polls. */
interface VotePoll extends Count {
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
  votes: [],
  refused: [],
  isUnclear: false,
  verdict: null,
  published: null,
  isCalled: false,
  pause: SHORT_PAUSE,
};

/**
 * Waits until enough people have approved, one has denied, the operation was cancelled, or the time is up. Meanwhile
 * the message
 * shows who has approved.
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
  const count = await judgeVotes(steps, asked, before);
  const isOutdated = (await asked.isOutdated?.()) ?? false;
  const verdict = isOutdated ? ({ kind: "superseded" } as const) : verdictOf(steps, asked, count, cancelled);
  const state = verdict === null || verdict.kind === "undecided" ? "open" : verdict.kind;
  await steps.ledger.changeOperation(operation, {
    approval: { ...approval, state, votes: count.votes },
    // A question whose votes no longer suffice waits for people again.
    ...(verdict ? { callbacks: {} } : { status: "waiting" }),
  });
  if (verdict) await auditEnd(steps, asked, verdict);
  const shown = await show(steps, asked, before);
  const isHasty = count.isUnclear || shown.published === null || shown.published.trouble !== null || !shown.isCalled;
  return { ...count, ...shown, verdict, pause: pauseOf(steps, approval, isHasty ? SHORT_PAUSE : PAUSE) };
}

const pauseOf = ({ now }: Steps, { until }: Approval, most: number): number =>
  Math.max(1, Math.min(most, Math.ceil((Date.parse(until) - now()) / 1_000)));

/** Is it another person's vote on this plan, and in time? */
const isOn = ({ approval, requester }: VotedQuestion, { userId, at, plan }: DecisionRecord): boolean =>
  plan === approval.hash && userId !== requester && Date.parse(at) <= Date.parse(approval.until);

/**
 * Judges new votes on this plan that came in time, in their order. A vote is on the plan whose hash the front door has
 * written into it.
 * @param otherwise judgement of a vote while Slack or the rules cannot be read (default: a later poll judges it)
 */
async function judgeVotes(
  steps: Steps,
  question: VotedQuestion,
  before: Count,
  otherwise: "yes" | "unclear" = "unclear",
): Promise<Count> {
  const { operation, approval } = question;
  const votes = [...before.votes];
  const refused = [...before.refused];
  let isUnclear = false;
  for (const vote of await steps.ledger.votes(operation, approval.asking)) {
    const { userId } = vote;
    const isKnown = refused.includes(userId) || votes.some((one) => one.userId === userId);
    if (isKnown || !isOn(question, vote)) continue;
    const judged = await judgeVote(steps, approval, vote);
    const counts = judged === "unclear" ? otherwise : judged;
    if (counts === "unclear") isUnclear = true;
    else if (counts === "no") refused.push(userId);
    else {
      votes.push(countedVote(vote));
      await auditVote(steps, operation, approval, vote);
    }
  }
  return { votes, refused, isUnclear };
}

/**
 * Counts the votes on a question again that an earlier execution called approved, and judges each person afresh. While
 * Slack or the rules cannot be read, the front door's judgement of a vote holds, as that of a request does. Belongs into
 * a step.
 * @returns the people who approve; null if they are too few, or one denies
 */
export async function countAgain(steps: Steps, question: VotedQuestion): Promise<readonly string[] | null> {
  const { votes } = await judgeVotes(steps, question, first, "yes");
  const by = votes.map(({ userId }) => userId);
  const isApproved = votes.every(({ decision }) => decision === "approve") && by.length >= question.approval.needs;
  return isApproved ? by : null;
}

const decisionOf = ({ decision }: DecisionRecord): "approve" | "deny" => (decision === "approve" ? "approve" : "deny");

/** Takes from a vote's item what the approval stores. */
export const countedVote = (vote: DecisionRecord): CountedVote => ({
  userId: vote.userId,
  decision: decisionOf(vote),
  at: vote.at,
  ...(vote.reason ? { reason: vote.reason } : {}),
});

/** Judges a vote; "unclear" while Slack or the rules cannot be read, so that the next poll judges it again. */
async function judgeVote(steps: Steps, approval: Approval, vote: DecisionRecord): Promise<"yes" | "no" | "unclear"> {
  try {
    return (await mayVote(steps, { userId: vote.userId, decision: decisionOf(vote) }, approval)) ? "yes" : "no";
  } catch (error) {
    if (!isBusy(error) && !(error instanceof Refused)) throw error;
    console.error(`the vote of ${vote.userId} could not be judged`, wordsOf(error));
    return "unclear";
  }
}

/** Finds the verdict. A denial outweighs approvals; approvals that came in time are valid even after the deadline. */
function verdictOf(
  { now }: Steps,
  { approval, waitsUntil }: AwaitedQuestion,
  count: Count,
  cancelled: string | null,
): VoteVerdict | null {
  if (cancelled !== null) return { kind: "cancelled", by: cancelled };
  const denial = count.votes.find(({ decision }) => decision === "deny");
  if (denial) return { kind: "denied", by: denial.userId, reason: denial.reason ?? null };
  const by = count.votes.map(({ userId }) => userId);
  if (by.length >= approval.needs) return { kind: "approved", by };
  if (now() >= Date.parse(approval.until)) return { kind: "lapsed" };
  const isOver = waitsUntil !== null && now() >= waitsUntil;
  const seen = count.votes.length + count.refused.length;
  return isOver ? { kind: "undecided", approval: { ...approval, votes: count.votes }, seen } : null;
}

/** Writes an audit entry for each valid vote, in their order. */
async function auditVote(
  steps: Steps,
  operation: string,
  { asking, hash }: Approval,
  vote: DecisionRecord,
): Promise<void> {
  await steps.audit.append({ operation }, `vote ${asking} ${vote.userId}`, {
    what: decisionOf(vote) === "approve" ? "approved" : "denied",
    by: { person: vote.userId },
    detail: { plan: hash, ...(vote.reason ? { reason: vote.reason } : {}) },
  });
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
  before: VotePoll,
): Promise<Pick<VotePoll, "published" | "isCalled">> {
  let { published, isCalled } = before;
  try {
    published ??= await postFirst(steps, operation, null, settings);
    const view = await viewOf(steps, operation, null);
    if (view) published = await publish(steps, view, published, settings);
    if (!isCalled && view) await steps.thread.post(view.operation.channel, call, callMark, published.messageTs);
    isCalled = true;
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
  return { published, isCalled };
}

import { Refused, Retryable } from "../../errors.ts";
import type { Approval, CountedVote } from "../../records/approval.ts";
import type { DecisionRecord } from "../../records/records.ts";
import { isBusy, wordsOf } from "../../steps/client-errors.ts";
import type { Steps } from "../../steps/steps.ts";
import { mayVote, mayVoteAsKnown } from "../operation/requester.ts";

/** A question on which people vote. */
export interface VotedQuestion {
  readonly operation: string;
  readonly approval: Approval;
  /** Slack id of the requester, whose own vote is not valid; null for an operation of a rule. */
  readonly requester: string | null;
}

/** Votes that were judged. */
export interface VoteCount {
  readonly votes: readonly CountedVote[];
  /** People whose vote is not valid. */
  readonly refused: readonly string[];
  /** People whose vote was judged in this poll: only these approve. */
  readonly judged: readonly string[];
  /** People who have lost the right to vote since their vote was counted. Missing in a poll of the last release. */
  readonly lost?: readonly string[];
  /** Some vote could not be judged, because Slack or the rules could not be read. */
  readonly isUnclear: boolean;
}

/** No votes. */
export const noVotes: VoteCount = { votes: [], refused: [], judged: [], lost: [], isUnclear: false };

/** Is it another person's vote on this plan, and in time? */
const isOn = ({ approval, requester }: VotedQuestion, { userId, at, plan }: DecisionRecord): boolean =>
  plan === approval.hash && userId !== requester && Date.parse(at) <= Date.parse(approval.until);

/** Judges a vote: by Slack's answer now, or in another way. */
type VoteJudge = (vote: Pick<DecisionRecord, "userId" | "decision">) => Promise<"yes" | "no" | "unclear">;

/**
 * Judges new votes on this plan that came in time, in their order. A vote is on the plan whose hash the front door has
 * written into it. A vote that cannot be judged is left for a later poll.
 */
async function judgeVotes(
  steps: Steps,
  question: VotedQuestion,
  before: VoteCount,
  judge: VoteJudge,
): Promise<VoteCount> {
  const { operation, approval } = question;
  const votes = [...before.votes];
  const refused = [...before.refused];
  const judged: string[] = [];
  let isUnclear = false;
  for (const vote of await steps.ledger.votes(operation, approval)) {
    const { userId } = vote;
    const isKnown = refused.includes(userId) || votes.some((one) => one.userId === userId);
    if (isKnown || !isOn(question, vote)) continue;
    const counts = await judge(vote);
    if (counts === "unclear") isUnclear = true;
    else if (counts === "no") refused.push(userId);
    else {
      votes.push(countedVote(vote));
      judged.push(userId);
      await auditVote(steps, operation, approval, vote);
    }
  }
  return { votes, refused, judged, lost: before.lost ?? [], isUnclear };
}

/**
 * Judges the votes of earlier polls again once they would be enough: who has lost the role since then approves nothing
 * any more, and while Slack or the rules cannot be read nothing is approved.
 */
async function judgeAgain(
  { approval: { needs } }: VotedQuestion,
  count: VoteCount,
  judge: VoteJudge,
): Promise<VoteCount> {
  if (count.votes.length < needs || count.votes.some(({ decision }) => decision === "deny")) return count;
  const earlier = count.votes.filter(({ userId }) => !count.judged.includes(userId));
  const verdicts = await Promise.all(earlier.map(async (vote) => ({ userId: vote.userId, counts: await judge(vote) })));
  const of = (counts: string) => verdicts.filter((one) => one.counts === counts).map(({ userId }) => userId);
  const lost = of("no");
  return {
    votes: count.votes.filter(({ userId }) => !lost.includes(userId)),
    refused: [...count.refused, ...lost],
    judged: [...count.judged, ...of("yes")],
    lost: [...(count.lost ?? []), ...lost],
    isUnclear: count.isUnclear || of("unclear").length > 0,
  };
}

/** Judges the votes on a question by Slack: the new ones, and those of earlier polls once they would be enough. */
export async function judgeAll(steps: Steps, question: VotedQuestion, before: VoteCount): Promise<VoteCount> {
  const judge: VoteJudge = (vote) => judgeVote(steps, question.approval, vote, mayVote);
  return judgeAgain(question, await judgeVotes(steps, question, before, judge), judge);
}

/**
 * Counts the votes on a question again that an earlier execution called approved, and judges each person afresh. While
 * Slack cannot be asked, the roster that the schedule last read decides, which is never older than half an hour.
 * Belongs into a step.
 * @returns the people who approve; null if they are too few, or one denies
 * @throws Retryable if they are too few because neither Slack nor the roster can be read
 */
export async function countAgain(steps: Steps, question: VotedQuestion): Promise<readonly string[] | null> {
  const { approval } = question;
  const judge: VoteJudge = async (vote) => {
    const now = await judgeVote(steps, approval, vote, mayVote);
    return now === "unclear" ? judgeVote(steps, approval, vote, mayVoteAsKnown) : now;
  };
  const { votes, isUnclear } = await judgeVotes(steps, question, noVotes, judge);
  const by = votes.map(({ userId }) => userId);
  if (votes.some(({ decision }) => decision === "deny")) return null;
  if (by.length >= approval.needs) return by;
  if (isUnclear) throw new Retryable("Slack did not answer who may approve");
  return null;
}

const decisionOf = ({ decision }: Pick<DecisionRecord, "decision">): "approve" | "deny" =>
  decision === "approve" ? "approve" : "deny";

/** Takes from a vote's item what the approval stores. */
export const countedVote = (vote: DecisionRecord): CountedVote => ({
  userId: vote.userId,
  decision: decisionOf(vote),
  at: vote.at,
  ...(vote.reason ? { reason: vote.reason } : {}),
});

/**
 * Judges a vote.
 * @param may tells by Slack or by the roster whether a person may vote; null if it does not know
 * @returns "unclear" if that or the rules cannot be read, so that the next poll judges it again
 */
async function judgeVote(
  steps: Steps,
  approval: Approval,
  vote: Parameters<VoteJudge>[0],
  may: typeof mayVoteAsKnown,
): ReturnType<VoteJudge> {
  try {
    const isValid = await may(steps, { userId: vote.userId, decision: decisionOf(vote) }, approval);
    return isValid === null ? "unclear" : isValid ? "yes" : "no";
  } catch (error) {
    if (!isBusy(error) && !(error instanceof Refused)) throw error;
    console.error(`the vote of ${vote.userId} could not be judged`, wordsOf(error));
    return "unclear";
  }
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

/** As `countAgain`, for a question that may wait until it is known who may approve: null until then. */
export const countIfKnown = (steps: Steps, question: VotedQuestion): ReturnType<typeof countAgain> =>
  countAgain(steps, question).catch((error: unknown) => {
    if (isBusy(error)) return null;
    throw error;
  });

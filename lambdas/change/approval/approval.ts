import { type ApprovalRule, approvalRule, approvalsNeeded, rulesIn } from "../../commands/approvals.ts";
import { audienceOfRoles } from "../../commands/policy.ts";
import type { Rules } from "../../configuration/configuration.ts";
import { MINUTE, step } from "../../engine/durable.ts";
import { approvalCall, type NotApproved } from "../../messages/approval/approval.ts";
import type { Approval, ApprovalBasis, PlanCard } from "../../records/approval.ts";
import type { Steps } from "../../steps/steps.ts";
import type { Op } from "../operation/op.ts";
import { callApprovers, useApproval } from "./approvers.ts";
import { type BreakGlass, goOnUnapproved } from "./break-glass.ts";
import { compareJudged, judgedHash } from "./judged.ts";
import { awaitVotes, type VoteVerdict } from "./votes.ts";

/** Effects of a plan, as it is judged just now. */
export interface ApprovalPlan {
  /** The judged record but for the policy that judges it. */
  readonly record: Omit<ApprovalBasis, "policy">;
  /** Number of pods that would be evicted. */
  readonly pods: number;
  readonly card: PlanCard;
}

/** Time that an approval has where the work waits for its slot. */
export interface ApprovalTime {
  /** The approval of an earlier execution of the operation. */
  readonly known: Approval | null;
  /**
   * The work begins later: people are called once, and the approval is not used up yet.
   */
  readonly isLater: boolean;
  /** Milliseconds since the epoch until which votes count; null: as long as the rule says. */
  readonly until: number | null;
  /** Milliseconds since the epoch: votes count no longer than that, whatever the rule says. */
  readonly latest: number | null;
  /** Milliseconds for which this execution waits for votes; null: until they do not count any more. */
  readonly patienceMs: number | null;
}

/** A plan that may need an approval before an operation goes on. */
export interface ApprovalRequest {
  /** The command's word, under which the configuration has its rule. */
  readonly command: string;
  /** Pool of the nodes; null for what is in none. */
  readonly pool: string | null;
  /** Judges what would be done now; the body of a step, run before each asking and after it. */
  readonly judge: () => Promise<ApprovalPlan>;
  /** Set when the requester does not wait for the approval. */
  readonly breakGlass?: BreakGlass | null;
  /** Set where the work may wait for a slot: then whoever asks uses the approval up. */
  readonly time?: ApprovalTime;
}

/** End of the question. The record is the one that was judged last: it is what may be done. */
export type ApprovalEnd =
  | { readonly kind: "not needed" | "not awaited"; readonly record: ApprovalBasis }
  | {
      readonly kind: "approved";
      readonly record: ApprovalBasis;
      readonly by: readonly string[];
      readonly asking: number;
    }
  /** This execution waits no longer; the votes still count. */
  | { readonly kind: "undecided"; readonly approval: Approval; readonly seen: number }
  | NotApproved;

/** A plan whose approval was asked for so often, and got worse each time, is not asked for again. */
const MOST_ASKINGS = 3;

/** A plan with the rule that judges it. */
interface Judgement {
  readonly record: ApprovalBasis;
  readonly rule: ApprovalRule;
  readonly needs: number;
  readonly card: PlanCard;
  /** Ids of user groups and people who may approve. */
  readonly audience: readonly string[];
}

/** The sections of the rules that decide about a plan: a change of them is a reason to ask anew. */
export const policyOf = (
  rules: Rules,
  rule: ApprovalRule,
  { command, pool }: Pick<ApprovalRequest, "command" | "pool">,
): ApprovalBasis["policy"] => ({
  approval: { ...rule, roles: [...rule.roles], unless: rule.unless && { ...rule.unless } },
  policy: [...(rulesIn(rules, pool).policy[command] ?? [])],
});

async function judge(steps: Steps, request: ApprovalRequest): Promise<Judgement> {
  const rules = await steps.runtime.rules();
  const plan = await request.judge();
  const rule = approvalRule(rules, request.command, request.pool);
  const { losses, blockers } = plan.record;
  return {
    record: { ...plan.record, policy: policyOf(rules, rule, request) },
    rule,
    needs: approvalsNeeded(rule, { pods: plan.pods, losses, blockers }),
    card: plan.card,
    audience: audienceOfRoles(rules, rule.roles),
  };
}

/** The question whether a plan may be carried out. @param now milliseconds since the epoch */
function questionOf(
  { pool, time }: ApprovalRequest,
  { record, rule, needs, card }: Judgement,
  { asking, worse, now }: { readonly asking: number; readonly worse: readonly string[]; readonly now: number },
): Approval {
  const { until: asked, latest } = time ?? { until: null, latest: null };
  const last = Math.min(asked ?? now + rule.minutes * MINUTE, latest ?? Number.POSITIVE_INFINITY);
  const until = new Date(last).toISOString();
  const { roles } = rule;
  const askedAt = new Date(now).toISOString();
  return {
    ...{ state: "open", asking, record, hash: judgedHash(record), needs, roles, pool, askedAt, until, card },
    votes: [],
    worse,
  };
}

/** Writes the question down; whoever votes from now on votes on this record. */
async function ask(
  { steps, start: { operation } }: Op,
  request: ApprovalRequest,
  judged: Judgement,
  { asking, worse }: Pick<Approval, "asking" | "worse">,
): Promise<Approval> {
  const approval = questionOf(request, judged, { asking, worse, now: steps.now() });
  const { hash, needs, until } = approval;
  await steps.ledger.changeOperation(operation, { status: "waiting", approval });
  await steps.audit.append({ operation }, `approval asked ${asking}`, {
    what: "asked",
    detail: { question: "approve the plan", hash, needs, until },
  });
  return approval;
}

/** Does not ask: the approvers are called, and review afterwards what was done. */
async function withoutAsking(
  { ctx, steps, start: { operation }, settings }: Op,
  request: ApprovalRequest,
  judged: Judgement,
  breakGlass: BreakGlass,
): Promise<ApprovalEnd> {
  const { pool } = request;
  const now = await step(ctx, "when the approval was not awaited", async () => steps.now());
  const question = questionOf(request, judged, { asking: 1, worse: [], now });
  const approval: Approval = { ...question, state: "review", breakGlass: breakGlass.reason };
  const { audience } = judged;
  await goOnUnapproved(ctx, steps, { operation, pool, breakGlass, settings, approval, audience });
  return { kind: "not awaited", record: judged.record };
}

/** The question of an earlier execution that still stands: votes on it count. */
const standingOf = (time: ApprovalTime | undefined): Approval | null => {
  const known = time?.known ?? null;
  return known?.state === "open" || known?.state === "approved" ? known : null;
};

/** A question that stands gets the time of its new slot. */
const renewed = (standing: Approval, { time }: ApprovalRequest): Approval => {
  const until = time?.until ?? null;
  return until === null || standing.state !== "open" ? standing : { ...standing, until: new Date(until).toISOString() };
};

/** A question, and whether it was put just now. */
interface Question {
  readonly approval: Approval;
  readonly audience: readonly string[];
  readonly isNew: boolean;
}

/** Changes for the worse since a question was put; none without one. */
const worseSince = (standing: Approval | null, plan: Judgement): readonly string[] =>
  standing ? compareJudged(standing.record, plan.record).worse : [];

/** The question that stands, or a new one where there is none or the plan got worse. */
async function questionFor(
  op: Op,
  request: ApprovalRequest,
  plan: Judgement,
  standing: Approval | null,
): Promise<Question> {
  const { audience } = plan;
  const worse = worseSince(standing, plan);
  if (standing && worse.length === 0) return { approval: renewed(standing, request), audience, isNew: false };
  const asking = (standing?.asking ?? 0) + 1;
  const approval = await step(op.ctx, `ask for approval ${asking}`, () => ask(op, request, plan, { asking, worse }));
  return { approval, audience, isNew: true };
}

/** Waits for the verdict on a question; one that was approved in advance has it. */
async function verdictOn(
  op: Op,
  request: ApprovalRequest,
  { approval, audience, isNew }: Question,
): Promise<VoteVerdict> {
  if (approval.state === "approved") {
    const by = approval.votes.filter(({ decision }) => decision === "approve").map(({ userId }) => userId);
    return { kind: "approved", by };
  }
  const { ctx, steps, start, settings } = op;
  const { operation } = start;
  const { time } = request;
  if (isNew || time?.isLater !== true) await callApprovers(op, approval, audience);
  return awaitVotes(ctx, steps, {
    ...{ operation, settings, approval, patienceMs: time?.patienceMs ?? null },
    call: approvalCall(approval, audience),
    callMark: `${operation} approval ${approval.asking}${isNew ? "" : " again"}`,
  });
}

/** The end of an approval that was given; it is used up at once where the work does not wait for a slot. */
async function givenEnd(
  op: Op,
  { time }: ApprovalRequest,
  { asking }: Approval,
  end: { readonly by: readonly string[]; readonly record: ApprovalBasis },
): Promise<ApprovalEnd> {
  if (!time) await useApproval(op, asking);
  return { kind: "approved", ...end, asking };
}

/**
 * Asks for the approvals that a plan needs, counts them, and judges the plan again when they were given: what got worse
 * meanwhile is asked for anew, what is the same or better goes on. So it is with an approval of an earlier execution.
 * @throws what judging throws: the plan may be refused by now; Refused when another execution has used the approval
 */
export async function approve(op: Op, request: ApprovalRequest): Promise<ApprovalEnd> {
  const { ctx, steps } = op;
  let plan = await step(ctx, "judge the plan", () => judge(steps, request));
  let standing = standingOf(request.time);
  for (let round = 1; ; round += 1) {
    if (plan.needs === 0) return { kind: "not needed", record: plan.record };
    if (request.breakGlass) return withoutAsking(op, request, plan, request.breakGlass);
    if (round > MOST_ASKINGS) return { kind: "worse", worse: worseSince(standing, plan) };
    const question = await questionFor(op, request, plan, standing);
    const { approval } = question;
    const verdict = await verdictOn(op, request, question);
    if (verdict.kind !== "approved") return verdict;
    plan = await step(ctx, `judge the plan again ${approval.asking}`, () => judge(steps, request));
    const { record } = plan;
    if (worseSince(approval, plan).length === 0) return givenEnd(op, request, approval, { by: verdict.by, record });
    standing = approval;
  }
}

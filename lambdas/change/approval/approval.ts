import { type ApprovalRule, approvalRule, approvalsNeeded, isDispensable } from "../../commands/approvals.ts";
import { audienceOfRoles } from "../../commands/policy.ts";
import { MINUTE, step } from "../../engine/durable.ts";
import { approvalCall, type NotApproved } from "../../messages/approval/approval.ts";
import type { Approval, ApprovalBasis, PlanCard } from "../../records/approval.ts";
import { requesterOf } from "../../records/origin.ts";
import type { Steps } from "../../steps/steps.ts";
import type { Op } from "../operation/op.ts";
import { callApprovers, useApproval } from "./approvers.ts";
import { type BreakGlass, goOnUnapproved } from "./break-glass.ts";
import { countIfKnown } from "./count.ts";
import { earlierAsJudged, validQuestion } from "./earlier.ts";
import { compareJudged, judgedHash, policyOf } from "./judged.ts";
import { awaitVotes, type VoteVerdict } from "./votes.ts";

/** A plan with its current effects. */
export interface ApprovalPlan {
  /** The judged record without the policy. */
  readonly record: Omit<ApprovalBasis, "policy">;
  /** Number of pods that would be evicted. */
  readonly pods: number;
  readonly card: PlanCard;
}

/** Times of an approval for work that waits for its window. */
export interface ApprovalTime {
  /** The approval of an earlier execution of the operation. */
  readonly known: Approval | null;
  /** The work begins later: people are called once, and the approval is used only when the work begins. */
  readonly isLater: boolean;
  /** Deadline of votes in milliseconds since the epoch; null for the rule's own. */
  readonly until: number | null;
  /** Latest deadline of votes in milliseconds since the epoch, even if the rule allows a later one. */
  readonly latest: number | null;
  /** Milliseconds for which this execution waits for votes; null to wait until their deadline. */
  readonly patienceMs: number | null;
}

/** A plan that may need an approval before an operation continues. */
export interface ApprovalRequest {
  /** The command's word, under which the configuration has its rule. */
  readonly command: string;
  /** Pool of the nodes; null for nodes that belong to none. */
  readonly pool: string | null;
  /** Plans by the current state; the body of a step, which runs before and after each question. */
  readonly judge: () => Promise<ApprovalPlan>;
  /** Set when the requester does not wait for the approval. */
  readonly breakGlass?: BreakGlass | null;
  /** Whole name of the only node, if the command can change it without an approval. */
  readonly node?: string;
  /** Set if all of its nodes are NotReady and of one pool: the command can change each of them without an approval. */
  readonly isOfNotReady?: boolean;
  /** Set if the work may wait for a window: then the caller uses the approval. */
  readonly time?: ApprovalTime;
  /** Does the plan no longer stand, so that the request ends without a decision? By default it stands. */
  readonly isOutdated?: () => Promise<boolean>;
}

/** End of the question. Its record is the newest plan, which may be carried out. */
export type ApprovalEnd =
  | { readonly kind: "not needed" | "not awaited"; readonly record: ApprovalBasis }
  | {
      readonly kind: "approved";
      readonly record: ApprovalBasis;
      readonly by: readonly string[];
      readonly asking: number;
    }
  /** This execution stops waiting; votes on the question stay valid. */
  | { readonly kind: "undecided"; readonly approval: Approval; readonly seen: number }
  | NotApproved;

/** Most questions about a plan that gets worse after each approval. */
const MOST_ASKINGS = 3;

/** A plan with the rule that judges it. */
interface Judgement {
  readonly record: ApprovalBasis;
  readonly rule: ApprovalRule;
  readonly needs: number;
  readonly card: PlanCard;
  /** Ids of user groups and people who may approve. */
  readonly audience: readonly string[];
  /** May some role act without the approval? */
  readonly isDispensable: boolean;
}

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
    isDispensable: isDispensable(rules, request.pool),
  };
}

/** Makes the question whether a plan may be carried out. @param now milliseconds since the epoch */
function questionOf(
  { pool, time, node, isOfNotReady }: ApprovalRequest,
  { record, rule, needs, card, isDispensable: may }: Judgement,
  { asking, worse, now }: { readonly asking: number; readonly worse: readonly string[]; readonly now: number },
): Approval {
  const { until: asked, latest } = time ?? { until: null, latest: null };
  const last = Math.min(asked ?? now + rule.minutes * MINUTE, latest ?? Number.POSITIVE_INFINITY);
  const until = new Date(last).toISOString();
  const { roles } = rule;
  const askedAt = new Date(now).toISOString();
  return {
    ...{ state: "open", asking, record, hash: judgedHash(record), votesIn: "door" },
    ...{ needs, roles, pool, askedAt, until, card, votes: [], worse },
    ...(node !== undefined && may ? { unapprovedNode: node } : {}),
    ...(isOfNotReady && may ? { isUnapprovedByNode: true } : {}),
  };
}

/** Records the question; all later votes are on this record. */
async function ask(
  { steps, start: { operation } }: Op,
  request: ApprovalRequest,
  judged: Judgement,
  { asking, worse }: Pick<Approval, "asking" | "worse">,
): Promise<Approval> {
  // A step that is repeated keeps the time of its question, because the audit has the deadline.
  const known = (await steps.ledger.operation(operation))?.approval;
  const now = known?.asking === asking && known.askedAt ? Date.parse(known.askedAt) : steps.now();
  const approval = questionOf(request, judged, { asking, worse, now });
  const { hash, needs, until } = approval;
  await steps.ledger.changeOperation(operation, { status: "waiting", approval });
  await steps.audit.append({ operation }, `approval asked ${asking}`, {
    what: "asked",
    detail: { question: "approve the plan", hash, needs, until },
  });
  return approval;
}

/** Continues without the approval; calls the approvers to review the change afterwards. */
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

/** A question, and whether this execution has just asked it. */
interface AskedQuestion {
  readonly approval: Approval;
  readonly audience: readonly string[];
  readonly isNew: boolean;
}

/** Lists what got worse since a question was asked. */
const worseSince = (earlier: Approval | null, plan: Judgement): readonly string[] =>
  earlier ? compareJudged(earlier.record, plan.record).worse : [];

/** Returns the earlier question if it is valid, or asks a new one if there is none or the plan got worse. */
async function questionFor(
  op: Op,
  request: ApprovalRequest,
  plan: Judgement,
  earlier: Approval | null,
): Promise<AskedQuestion> {
  const { audience, needs, rule } = plan;
  const worse = worseSince(earlier, plan);
  if (earlier && worse.length === 0) {
    const judged = { needs, roles: rule.roles, pool: request.pool };
    return { approval: earlierAsJudged(earlier, judged, request.time?.until ?? null), audience, isNew: false };
  }
  const asking = (earlier?.asking ?? 0) + 1;
  const approval = await step(op.ctx, `ask for approval ${asking}`, () => ask(op, request, plan, { asking, worse }));
  return { approval, audience, isNew: true };
}

/** Waits for the verdict on a question, unless the votes that an earlier execution counted are still valid. */
async function verdictOn(
  op: Op,
  request: ApprovalRequest,
  { approval, audience, isNew }: AskedQuestion,
): Promise<VoteVerdict> {
  const { ctx, steps, start, settings } = op;
  const { operation } = start;
  const { time } = request;
  const requester = requesterOf(start)?.userId ?? null;
  if (approval.state === "approved") {
    const again = () => countIfKnown(steps, { operation, approval, requester });
    const by = await step(ctx, `count the votes again ${approval.asking}`, again);
    if (by) return { kind: "approved", by };
  }
  if (isNew || time?.isLater !== true) await callApprovers(op, approval, audience);
  return awaitVotes(ctx, steps, {
    ...{ operation, settings, requester, patienceMs: time?.patienceMs ?? null },
    approval: { ...approval, state: "open", votes: [] },
    call: approvalCall(approval, audience, requester),
    callMark: `${operation} approval ${approval.asking}${isNew ? "" : " again"}`,
    ...(request.isOutdated ? { isOutdated: request.isOutdated } : {}),
  });
}

/** Ends a question that was approved; uses the approval immediately if the work does not wait for a window. */
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
 * Asks for the approvals that a plan needs, counts them, and judges the plan again: if it got worse it asks again, else
 * the plan may be carried out. An approval of an earlier execution is treated in the same way.
 * @throws the errors of `judge`, which may refuse the plan; Refused when another execution has used the approval
 */
export async function approve(op: Op, request: ApprovalRequest): Promise<ApprovalEnd> {
  const { ctx, steps } = op;
  let plan = await step(ctx, "judge the plan", () => judge(steps, request));
  let earlier = validQuestion(request.time?.known ?? null);
  for (let round = 1; ; round += 1) {
    if (plan.needs === 0) return { kind: "not needed", record: plan.record };
    if (request.breakGlass) return withoutAsking(op, request, plan, request.breakGlass);
    if (round > MOST_ASKINGS) return { kind: "worse", worse: worseSince(earlier, plan) };
    const question = await questionFor(op, request, plan, earlier);
    const { approval } = question;
    const verdict = await verdictOn(op, request, question);
    if (verdict.kind !== "approved") return verdict;
    plan = await step(ctx, `judge the plan again ${approval.asking}`, () => judge(steps, request));
    const { record } = plan;
    if (worseSince(approval, plan).length === 0) return givenEnd(op, request, approval, { by: verdict.by, record });
    earlier = approval;
  }
}

import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Approval, Judged, PlanCard } from "../../approval.ts";
import { type ApprovalRule, approvalRule, approvalsNeeded, rulesIn } from "../../commands/approvals.ts";
import { audienceOfRoles } from "../../commands/policy.ts";
import type { Rules } from "../../configuration.ts";
import { compareJudged, judgedHash } from "../../desired/judged.ts";
import { Refused } from "../../errors.ts";
import { approvalCall, approvalNotice, approvalUsed, type NotApproved } from "../../messages/operation/approval.ts";
import type { MessageSettings } from "../../messages/operation/links.ts";
import type { Steps } from "../../steps/steps.ts";
import { MINUTE, step } from "../engine/durable.ts";
import { escalate } from "../engine/escalate.ts";
import { type BreakGlass, goOnUnapproved } from "./break-glass.ts";
import { awaitVotes } from "./votes.ts";

/** Effects of a plan, as it is judged just now. */
export interface Plan {
  /** The judged record but for the policy that judges it. */
  readonly record: Omit<Judged, "policy">;
  /** Number of pods that would be evicted. */
  readonly pods: number;
  readonly card: PlanCard;
}

/** A plan that may need an approval before an operation goes on. */
export interface ApprovalRequest {
  readonly operation: string;
  /** The command's word, under which the configuration has its rule. */
  readonly command: string;
  /** Pool of the nodes; null for what is in none. */
  readonly pool: string | null;
  /** Judges what would be done now; the body of a step, run before each asking and after it. */
  readonly judge: () => Promise<Plan>;
  /** Set when the requester does not wait for the approval. */
  readonly breakGlass?: BreakGlass | null;
  readonly settings: MessageSettings;
}

/** End of the question. The record is the one that was judged last: it is what may be done. */
export type ApprovalEnd =
  | { readonly kind: "not needed" | "not awaited"; readonly record: Judged }
  | { readonly kind: "approved"; readonly record: Judged; readonly by: readonly string[] }
  | NotApproved;

/** A plan whose approval was asked for so often, and got worse each time, is not asked for again. */
const MOST_ASKINGS = 3;

/** A plan with the rule that judges it. */
interface Judgement {
  readonly record: Judged;
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
): Judged["policy"] => ({
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
  { pool }: ApprovalRequest,
  { record, rule, needs, card }: Judgement,
  { asking, worse, now }: { readonly asking: number; readonly worse: readonly string[]; readonly now: number },
): Approval {
  const until = new Date(now + rule.minutes * MINUTE).toISOString();
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
  steps: Steps,
  request: ApprovalRequest,
  judged: Judgement,
  asking: number,
  worse: readonly string[],
): Promise<Approval> {
  const { operation } = request;
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
  ctx: DurableContext,
  steps: Steps,
  request: ApprovalRequest,
  judged: Judgement,
  breakGlass: BreakGlass,
): Promise<ApprovalEnd> {
  const { operation, pool, settings } = request;
  const now = await step(ctx, "when the approval was not awaited", async () => steps.now());
  const question = questionOf(request, judged, { asking: 1, worse: [], now });
  const approval: Approval = { ...question, state: "review", breakGlass: breakGlass.reason };
  const { audience } = judged;
  await goOnUnapproved(ctx, steps, { operation, pool, breakGlass, settings, approval, audience });
  return { kind: "not awaited", record: judged.record };
}

/**
 * Asks for the approvals that a plan needs, counts them, and judges the plan again when they were given: what got worse
 * meanwhile is asked for anew, what is the same or better goes on.
 * @throws what judging throws: the plan may be refused by now; Refused when another execution has used the approval
 */
export async function approve(ctx: DurableContext, steps: Steps, request: ApprovalRequest): Promise<ApprovalEnd> {
  let plan = await step(ctx, "judge the plan", () => judge(steps, request));
  let worse: readonly string[] = [];
  for (let asking = 1; ; asking += 1) {
    if (plan.needs === 0) return { kind: "not needed", record: plan.record };
    if (request.breakGlass) return withoutAsking(ctx, steps, request, plan, request.breakGlass);
    if (asking > MOST_ASKINGS) return { kind: "worse", worse };
    const judged = plan;
    const because = worse;
    const approval = await step(ctx, `ask for approval ${asking}`, () => ask(steps, request, judged, asking, because));
    await callApprovers(ctx, steps, request, approval, plan.audience);
    const { operation, settings } = request;
    const verdict = await awaitVotes(ctx, steps, {
      operation,
      settings,
      approval,
      call: approvalCall(approval, plan.audience),
    });
    if (verdict.kind !== "approved") return verdict;
    const again = await step(ctx, `judge the plan again ${asking}`, () => judge(steps, request));
    const compared = compareJudged(plan.record, again.record);
    if (compared.order !== "worse") {
      await step(ctx, `use the approval ${asking}`, () => consume(ctx, steps, operation, asking));
      return { ...verdict, record: again.record };
    }
    plan = again;
    worse = compared.worse;
  }
}

/** An approval counts once, whatever starts the operation again. @throws Refused when another execution has used it */
async function consume(ctx: DurableContext, steps: Steps, operation: string, asking: number): Promise<void> {
  const { durableExecutionArn } = ctx.executionContext;
  if (!(await steps.ledger.consumeApproval(operation, asking, durableExecutionArn)))
    throw new Refused(approvalUsed(operation));
}

/** Past Slack, once for each asking. */
async function callApprovers(
  ctx: DurableContext,
  steps: Steps,
  { operation }: ApprovalRequest,
  { asking, until }: Approval,
  audience: readonly string[],
): Promise<void> {
  const record = await step(ctx, `who is called to approve ${asking}`, () => steps.ledger.operation(operation));
  if (record && audience.length > 0)
    await escalate(ctx, steps, `approve ${asking}`, approvalNotice({ id: operation, request: record.request }, until));
}

import { type ApprovalRule, approvalsNeeded, type PlanFacts } from "../../commands/approvals.ts";
import { nodeMatches } from "../../commands/node-matches.ts";
import { isRollout, type RolloutRequest } from "../../commands/request.ts";
import type { ApprovalBasis } from "../../records/approval.ts";
import { requesterOf } from "../../records/origin.ts";
import type { Execution } from "../operation/op.ts";
import { countAgain } from "./count.ts";
import { compareJudged, judgedHash } from "./judged.ts";

/** A node of a rollout. */
interface PartNode {
  readonly name: string;
  readonly instanceId: string;
  readonly pool: string | null;
}

/** Reads the request of a rollout as the front door accepted it; null for any other request. Belongs into a step. */
export async function acceptedRollout({ steps, start }: Execution): Promise<RolloutRequest | null> {
  const request = (await steps.ledger.accepted(start.operation))?.request;
  return request && isRollout(request) ? request : null;
}

/** Does the request that the front door accepted mean this node? Belongs into a step. */
export async function isMeant(execution: Execution, node: PartNode): Promise<boolean> {
  const { steps } = execution;
  const request = await acceptedRollout(execution);
  if (!request) return false;
  const { targets } = request;
  if (targets.kind === "all") return true;
  if (targets.kind === "pool") return targets.pool === node.pool;
  const { status } = (await steps.nodes.read(node.name)) ?? {};
  const named = { ...node, addresses: (status?.addresses ?? []).map(({ address }) => address) };
  return targets.nodes.some((typed) => nodeMatches(typed, [named]).kind === "one");
}

/**
 * Counts the votes on a rollout's plan once more, for one of its nodes: neither its record nor that of its operation is
 * believed. Belongs into a step.
 * @param plan of the node
 * @returns true if enough people approve, or the node's plan needs nobody's approval
 */
export async function isRolloutApproved(
  { steps, start }: Execution,
  rollout: ApprovalBasis,
  rule: ApprovalRule,
  { pool, ...plan }: PlanFacts & { readonly pool: string | null },
): Promise<boolean> {
  const needs = approvalsNeeded(rule, plan);
  if (needs === 0) return true;
  const { operation } = start;
  const approval = (await steps.ledger.operation(operation))?.approval;
  if (!approval || compareJudged(approval.record, rollout).worse.length > 0) return false;
  const asked = { ...approval, needs, roles: rule.roles, pool, hash: judgedHash(approval.record) };
  const requester = requesterOf(start)?.userId ?? null;
  return (await countAgain(steps, { operation, approval: asked, requester })) !== null;
}

import { hostOf } from "../../commands/node-matches.ts";
import type { PlanCard } from "../../records/approval.ts";
import type { Message } from "../../records/records.ts";
import type { NodePlan } from "../plan/plan.ts";
import { isHopelessPlan, planBlocks } from "../plan/plan-card.ts";
import { context, section } from "../slack/blocks.ts";
import { code, counted } from "../slack/text.ts";
import type { NodeEvent } from "./cordon.ts";
import { guardBlocks } from "./guard.ts";

/** Sums up a drain that emptied the node, for message and ledger. */
export const drainedSummary = (node: string, pods: number): string =>
  `${node} is drained: ${counted(pods, "pod")} evicted. It stays cordoned until {win} uncordon ${hostOf(node)}.`;

/** The Event of a drain that emptied the node. */
export const drainedEvent = (operation: string, pods: number): NodeEvent => ({
  type: "Normal",
  reason: "CasementDrained",
  message: `drained by ${operation}: ${counted(pods, "pod")} evicted`,
});

/** Sums up a drain whose Node or instance disappeared before the drain ended. */
export const goneSummary = (node: string): string => `${node} no longer exists: nothing is left to drain.`;

/** Sums up a drain that failed or was cancelled. @param left the node's state, as a clause */
export const notDrainedSummary = {
  cancelled: (left: string): string => `Cancelled: ${left}.`,
  failed: (left: string): string => `The drain failed: ${left}.`,
} as const;

/** Explains why the name typed after `--force` is not accepted. */
export const forceNeedsName = (node: string, typed: string): string =>
  `--force requires the node's name: ${code(hostOf(node))}, not ${code(typed)}.`;

/** Explains why a node is not emptied that got worse after its plan was approved, such as while it waited for its slot. */
export const worseSinceApproved = (node: string, worse: readonly string[]): string =>
  `${node} got worse since its plan was approved (${worse.join("; ")})`;

/** The plan of a drain, for the message that asks for its approval. */
export const drainPlanCard = (plan: NodePlan): PlanCard => ({
  ...(isHopelessPlan(plan) ? { isHopeless: true } : {}),
  blocks: [
    section(`*Plan*: ${code(plan.node)} is drained and stays cordoned.`),
    ...guardBlocks(plan),
    ...planBlocks(plan),
  ],
});

/** The dry run of a drain: its plan, shown only to the requester. */
export const drainDryRun = (plan: NodePlan, typed: string): Message => ({
  text: `Dry run: drain ${plan.node}`,
  blocks: [
    section(`*Dry run: nothing was changed.* Plan to drain ${code(plan.node)}:`),
    ...guardBlocks(plan),
    ...planBlocks(plan),
    context(`To apply: ${typed}`),
  ],
});

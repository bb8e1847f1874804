import { POOL_LABEL } from "../../cluster/node-keys.ts";
import { hostOf, isNamed } from "../../commands/node-matches.ts";
import type { Request } from "../../commands/request.ts";
import { typedAgain } from "../../commands/typed-again.ts";
import { CONNECTION_SECONDS } from "../../configuration/configuration.ts";
import { Refused, UserError } from "../../errors.ts";
import { typeThis } from "../../messages/command/syntax.ts";
import { drainRefused, isForceable } from "../../messages/node/drain.ts";
import { forceNeedsName } from "../../messages/node/drained.ts";
import type { AwayNode, NodePlan } from "../../messages/plan/plan.ts";
import { awayReason, isReady } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { DrainOptions } from "../../steps/drain/filters.ts";
import { mostAway } from "../../steps/ledger/slot-rules.ts";
import { isAgentSilent } from "../node/agent.ts";
import { type ChosenNode, judgeNode } from "../node/choose.ts";
import type { Op } from "../operation/op.ts";

/** A request to empty one node. */
export type EmptyingRequest = Extract<Request, { command: "drain" | "reboot"; node: string }>;

/** Is it a request to empty one node? */
export const isEmptying = (request: Request): request is EmptyingRequest =>
  (request.command === "drain" || request.command === "reboot") && "node" in request;

/** A node to empty, the options of the drain, and its effects. */
export interface PlannedEmptying {
  readonly chosen: ChosenNode;
  readonly options: DrainOptions;
  readonly plan: NodePlan;
  readonly isReady: boolean;
  /** The command to type for the plan, which accepts its losses, in a code span; null where the failure's message names it. */
  readonly typed: string | null;
}

/**
 * Seconds after the grace of a pod from which on a reboot may end it: on a NotReady node, whose kubelet reports no end,
 * and where a person decided so.
 */
export const OVERDUE_SECONDS = 60;

/** Accepts losses only if the requester typed the node's name. Budgets and grace periods are always kept. */
const optionsOf = (isForced: boolean, isRecovered: boolean, recreating: readonly string[]): DrainOptions => ({
  recreating,
  force: isForced,
  deleteEmptyDir: isForced,
  graceSeconds: null,
  skipAfterSeconds: isRecovered ? OVERDUE_SECONDS : 0,
});

/** A node with its pool. */
type PooledNode = Pick<ChosenNode, "name" | "pool">;

/** Lists the other nodes of a pool that are out of service. */
const awayInPool = (nodes: readonly Node[], { name, pool }: PooledNode): AwayNode[] =>
  nodes
    .filter(({ metadata }) => metadata?.name !== name && metadata?.labels?.[POOL_LABEL] === pool)
    .flatMap((node): AwayNode[] => {
      const why = awayReason(node);
      return why === null ? [] : [{ node: node.metadata?.name ?? "", why }];
    });

/**
 * Lists the other nodes of the node's pool that are out of service, and tells whether they take all slots, so that the
 * work waits until one of them is back. A node that is itself out of service needs no slot.
 */
export function slotsSeen(
  nodes: readonly Node[],
  { node, chosen }: { readonly node: Node; readonly chosen: PooledNode },
  maxUnavailable: number | string,
): Pick<NodePlan, "away" | "maxUnavailable" | "waitsForSlot"> {
  const away = awayInPool(nodes, chosen);
  const size = nodes.filter(({ metadata }) => metadata?.labels?.[POOL_LABEL] === chosen.pool).length;
  const isServing = isReady(node) && node.spec?.unschedulable !== true;
  const waits = isServing && away.length >= mostAway(maxUnavailable, size);
  return { away, maxUnavailable, ...(waits ? { waitsForSlot: true } : {}) };
}

/** Does the reboot go through EC2, and why? A node of a rollout goes the way of the rollout's plan. */
async function throughEc2Of(
  { steps, start: { part }, request }: Op<EmptyingRequest>,
  { instanceId }: ChosenNode,
): Promise<NodePlan["throughEc2"] | null> {
  if (request.command !== "reboot" || (part && !part.throughEc2)) return null;
  if (request.ec2) return "asked";
  return (await isAgentSilent(steps, instanceId)) ? "silent" : null;
}

/**
 * Judges the node and plans how to empty it; changes nothing.
 * @throws UserError for a name that does not match; Refused when the node may not be drained
 */
export async function planEmptying(op: Op<EmptyingRequest>): Promise<PlannedEmptying> {
  const { command, node: named, force } = op.request;
  const { chosen, node, nodes, others, unread, configuration } = await judgeNode(op, command, named);
  if (force !== undefined && !isNamed(chosen.name, force)) throw new UserError(forceNeedsName(chosen.name, force));
  const options = optionsOf(
    force !== undefined,
    command === "reboot" && !isReady(node),
    configuration.cluster.recreatingOwners,
  );
  const { pool } = chosen;
  const { maxUnavailable = 1, connectionSeconds = CONNECTION_SECONDS } = configuration.pools[pool ?? ""] ?? {};
  const plan = await op.steps.plan.of({
    node,
    nodes,
    pool,
    options,
    ...slotsSeen(nodes, { node, chosen }, maxUnavailable),
    connectionSeconds,
    mostMinutes: configuration.deadlines[command].evict,
    others,
    unread,
  });
  const throughEc2 = await throughEc2Of(op, chosen);
  const needsForce = force !== undefined || plan.refusals.some(isForceable);
  const accepted = needsForce ? { force: hostOf(chosen.name) } : {};
  const typed = typeThis(command, ...typedAgain({ ...op.request, node: chosen.name }, accepted));
  return {
    ...{ chosen, options, typed, isReady: isReady(node) },
    plan: { ...plan, ...(throughEc2 ? { throughEc2 } : {}) },
  };
}

/** @throws Refused that names the pods whose loss the options do not allow; with one such pod, nothing is evicted */
export function checkLosses({ plan, typed }: PlannedEmptying): void {
  if (plan.refusals.length > 0) throw new Refused(drainRefused(plan.refusals, typed), { code: "losses-not-allowed" });
}

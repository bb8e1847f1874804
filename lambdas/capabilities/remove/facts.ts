import { blockerClasses } from "../../change/emptying/blocker-classes.ts";
import { lossClasses } from "../../change/emptying/loss-classes.ts";
import { slotsSeen } from "../../change/emptying/plan-emptying.ts";
import { approvalRule, approvalsNeeded } from "../../commands/approvals.ts";
import { CONNECTION_SECONDS, type Configuration, type Rules } from "../../configuration/configuration.ts";
import type { RemovalSummary } from "../../messages/remove/dialog.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { DrainOptions } from "../../steps/drain/filters.ts";
import { poolNodes } from "../../steps/ledger/slot-rules.ts";
import type { Steps } from "../../steps/steps.ts";

/** Losses that the dialog has shown are accepted; budgets are respected all the same, and pods have their own grace. */
export const ACCEPTED: DrainOptions = { force: true, deleteEmptyDir: true, graceSeconds: null, skipAfterSeconds: 0 };

/** A node that is to be removed, and what decides about it. */
export interface RemovalSubject {
  readonly node: Node;
  /** All nodes of the cluster. */
  readonly nodes: readonly Node[];
  readonly pool: string | null;
  readonly configuration: Configuration;
}

type Moves = Pick<RemovalSummary, "pods" | "outlook">;

/** Counts the nodes of the node's pool that are or were in service; null without a pool. */
export async function poolSizeOf(
  steps: Steps,
  { nodes, pool, configuration: { cluster } }: RemovalSubject,
): Promise<number | null> {
  return pool === null ? null : poolNodes(nodes, await steps.instances.ofCluster(cluster.id), pool).length;
}

/** Reads the pods that the removal moves, and its effects. */
export async function movesOf(
  steps: Steps,
  { node, nodes, pool, configuration: { cluster, deadlines, pools } }: RemovalSubject,
): Promise<Moves> {
  const { connectionSeconds = CONNECTION_SECONDS } = pools[pool ?? ""] ?? {};
  const options = { ...ACCEPTED, recreating: cluster.recreatingOwners };
  const { pods, ...outlook } = await steps.plan.outlook({ node, nodes, options, connectionSeconds });
  return { pods, outlook: { ...outlook, mostMinutes: deadlines.remove.evict } };
}

/** Finds the nodes that take slots of the pool. */
export function slotsOf({ node, nodes, pool, configuration: { pools } }: RemovalSubject): RemovalSummary["slots"] {
  const { maxUnavailable = 1 } = pools[pool ?? ""] ?? {};
  const chosen = { name: node.metadata?.name ?? "", pool };
  return { pool, ...slotsSeen(nodes, { node, chosen }, maxUnavailable) };
}

/** Says who must approve a removal; null if nobody must. */
export function removalApproval(
  rules: Rules,
  pool: string | null,
  { pods, outlook }: Moves,
): NonNullable<RemovalSummary["approval"]> | null {
  const rule = approvalRule(rules, "remove", pool);
  const blockers = outlook ? blockerClasses(outlook) : [];
  const needs = approvalsNeeded(rule, { pods: pods.length, losses: lossClasses(pods), blockers });
  return needs === 0 ? null : { needs, roles: rule.roles };
}

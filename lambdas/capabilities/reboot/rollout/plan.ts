import { blockerClasses } from "../../../change/emptying/blocker-classes.ts";
import { lossClasses, lossMarks } from "../../../change/emptying/loss-classes.ts";
import { checkLosses, type PlannedEmptying, planEmptying } from "../../../change/emptying/plan-emptying.ts";
import { findNode } from "../../../change/node/find-node.ts";
import type { Op } from "../../../change/operation/op.ts";
import { isForced, type RolloutRequest } from "../../../commands/request.ts";
import { typedAgain } from "../../../commands/typed-again.ts";
import type { Configuration } from "../../../configuration/configuration.ts";
import { atMost } from "../../../engine/chunks.ts";
import { Refused, UserError } from "../../../errors.ts";
import { typeThis } from "../../../messages/command/syntax.ts";
import { drainRefused, isForceable } from "../../../messages/node/drain.ts";
import { poolWithoutNodes } from "../../../messages/operation/dry-runs.ts";
import { lacksProfile } from "../../../messages/plan/instance-lines.ts";
import { losesSomething } from "../../../messages/plan/moved-pods.ts";
import type { NodePlan } from "../../../messages/plan/plan.ts";
import { lossesByWorkload, type WorkloadLoss } from "../../../messages/plan/workload-losses.ts";
import { instanceIdOf, isReady, isWindows } from "../../../steps/cluster/node-facts.ts";
import type { Node } from "../../../steps/cluster/nodes.ts";
import { mostAway, poolNodes } from "../../../steps/ledger/slot-rules.ts";
import type { Steps } from "../../../steps/steps.ts";
import { MOST_IN_ROLLOUT } from "../capability.ts";
import { NOTHING_EVICTED, planRestart } from "../plan-restart.ts";
import { forceNeedsPool, noneDue, noneLeft, severalPools, tooManyInRollout, tooManyLosses } from "./refusals.ts";
import type { PlannedNode, RolloutPlan } from "./rollout-plan.ts";

/** Outcome of planning one node: the effects on it, or the reason to leave it out. */
export type PlanResult =
  | PlannedNode
  | {
      readonly name: string;
      readonly leftOut: string;
      /** Set if the losses on it are the reason. */
      readonly lost?: readonly WorkloadLoss[];
      readonly pool?: string | null;
    };

/** NotReady nodes come first: their reboot takes nothing out of service. */
const byNeed = (nodes: readonly Node[]): string[] =>
  [...nodes.filter((node) => !isReady(node)), ...nodes.filter(isReady)].map(({ metadata }) => metadata?.name ?? "");

async function nodesOf({ steps, settings }: Op, targets: RolloutRequest["targets"]): Promise<readonly Node[]> {
  const nodes = await steps.nodes.all();
  if (targets.kind === "all") return nodes.filter(isWindows).sort(byName);
  if (targets.kind === "nodes") return [...new Set(targets.nodes.map((typed) => findNode(typed, nodes)))];
  const { configuration } = await steps.runtime.read(settings.runtimeVersion);
  const machines = await steps.instances.ofCluster(configuration.cluster.id);
  const uids = new Set(poolNodes(nodes, machines, targets.pool).map(({ uid }) => uid));
  return nodes.filter((node) => uids.has(node.metadata?.uid ?? "") && isWindows(node)).sort(byName);
}

const byName = (one: Node, other: Node): number => ((one.metadata?.name ?? "") < (other.metadata?.name ?? "") ? -1 : 1);

/**
 * Finds the requested nodes, in the order in which they are begun. Call inside a step.
 * @returns their names
 * @throws UserError for a name that matches no node or several, and for a pool without nodes
 */
export async function chooseNodes(op: Op<RolloutRequest>): Promise<readonly string[]> {
  const { command, targets } = op.request;
  const names = byNeed(await nodesOf(op, targets));
  if (names.length === 0)
    throw new UserError(
      targets.kind === "pool" ? poolWithoutNodes(targets.pool) : noneDue(command, null, { unseen: [] }),
    );
  return names;
}

/**
 * Checks the name that was typed behind `--force` of several nodes.
 * @param pool of the nodes; null for nodes of no pool, or of several
 * @throws UserError if it is not the pool's
 */
export function checkForce(request: RolloutRequest, pool: string | null): void {
  const force = "force" in request ? request.force : undefined;
  if (force !== undefined && force !== pool) throw new UserError(forceNeedsPool(pool, force));
}

/** Losses by workload to which one approval is bound: its record is part of several items and results of steps. */
const MOST_LOSSES = 1_000;

/** @throws UserError if more is lost than one approval can list */
export function checkMarks(marks: readonly string[]): void {
  if (marks.length > MOST_LOSSES) throw new UserError(tooManyLosses(marks.length, MOST_LOSSES));
}

/** @throws UserError if one rollout cannot have that many nodes */
export function checkSize(names: readonly string[]): void {
  if (names.length > MOST_IN_ROLLOUT) throw new UserError(tooManyInRollout(names.length, MOST_IN_ROLLOUT));
}

/** The fields that only some nodes have. */
function trouble({
  blockers,
  lone,
  away,
  waitsForSlot,
}: Pick<NodePlan, "blockers" | "lone" | "away" | "waitsForSlot">): Pick<
  PlannedNode,
  "forever" | "lone" | "away" | "waitsForSlot"
> {
  const forever = blockers.filter(({ isForever }) => isForever).flatMap(({ budgets }) => budgets);
  return {
    ...(forever.length > 0 ? { forever } : {}),
    ...(lone ? { lone } : {}),
    ...(away.length > 0 ? { away } : {}),
    ...(waitsForSlot ? { waitsForSlot } : {}),
  };
}

/** The losses on a node that the request does not accept but could; null if it is to be planned or refused otherwise. */
function lossesOn({ plan: { refusals, pods } }: PlannedEmptying): readonly WorkloadLoss[] | null {
  if (refusals.length === 0 || !refusals.every(isForceable)) return null;
  const lost = new Set(refusals.map(({ pod }) => pod));
  return lossesByWorkload(pods.filter(({ namespace, name }) => lost.has(`${namespace}/${name}`)));
}

/** Can the node's reboot not be proven? EC2 is asked only about a machine whose agent is silent. */
async function isBare(steps: Steps, { plan, chosen }: PlannedEmptying): Promise<boolean> {
  const machine = plan.throughEc2 && (await steps.instances.describe(chosen.instanceId));
  return machine !== undefined && lacksProfile({ ...plan, instance: machine });
}

async function planReboot(op: Op<RolloutRequest>, name: string): Promise<PlanResult> {
  const force = isForced(op.request) ? { force: name } : {};
  const planned = await planEmptying({ ...op, request: { command: "reboot", node: name, dryRun: false, ...force } });
  const lost = lossesOn(planned);
  const { chosen, plan, isReady: isServing } = planned;
  if (lost) return { name, leftOut: drainRefused(plan.refusals), lost, pool: chosen.pool };
  checkLosses(planned);
  const { uid, instanceId, bootId, pool } = chosen;
  return {
    ...{ name, uid, instanceId, bootId, pool, pods: plan.pods.length, minutes: plan.minutes },
    isAway: !isServing,
    throughEc2: plan.throughEc2 !== undefined,
    ...((await isBare(op.steps, planned)) ? { lacksProfile: true } : {}),
    losses: lossClasses(plan.pods),
    ...(plan.pods.some(losesSomething) ? { lost: lossesByWorkload(plan.pods), lossMarks: lossMarks(plan.pods) } : {}),
    blockers: blockerClasses(plan),
    budgets: plan.blockers.flatMap(({ budgets }) => budgets),
    ...trouble(plan),
  };
}

async function planRestartOf(op: Op<RolloutRequest>, name: string): Promise<PlannedNode> {
  const request = { command: "restart", node: name, dryRun: false } as const;
  const { chosen, plan, isReady: isServing } = await planRestart({ ...op, request });
  const { uid, instanceId, bootId, pool } = chosen;
  return {
    ...{ name, uid, instanceId, bootId, pool, pods: 0, minutes: 0, isAway: !isServing, throughEc2: false },
    ...{ ...NOTHING_EVICTED, budgets: [] },
    ...trouble({ ...plan, blockers: [] }),
  };
}

async function planNode(op: Op<RolloutRequest>, name: string): Promise<PlanResult> {
  try {
    return await (op.request.command === "restart" ? planRestartOf : planReboot)(op, name);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { name, leftOut: error.message };
  }
}

/** Nodes planned at one time: a plan tries the evictions of its node, of which the API server takes few at once. */
const PLANNED_TOGETHER = 5;

/**
 * Plans some nodes of a rollout. What they share is read once. Call inside a step.
 * @throws UserError for a node that no longer exists
 */
export async function planNodes(op: Op<RolloutRequest>, names: readonly string[]): Promise<readonly PlanResult[]> {
  const lists = op.steps.together([]);
  const wanted = new Set(names);
  const nodes = (await lists.nodes.all()).filter(({ metadata }) => wanted.has(metadata?.name ?? ""));
  const steps = lists.together(nodes.flatMap((node) => instanceIdOf(node) ?? []));
  return atMost(PLANNED_TOGETHER, names, (name) => planNode({ ...op, steps }, name));
}

/**
 * Computes from the newest configuration how many nodes of these pools may be out of service together. Call inside a
 * step.
 * @param max the requester's limit; null for as many as the pool allows
 */
export async function mostAtOnce(steps: Steps, pools: readonly (string | null)[], max: number | null): Promise<number> {
  const { configuration } = await steps.runtime.read(null);
  const [nodes, machines] = await Promise.all([steps.nodes.all(), steps.instances.ofCluster(configuration.cluster.id)]);
  const most = pools.map((pool) => mostAway(boundOf(configuration, pool), poolNodes(nodes, machines, pool).length));
  // With several pools, each pool's slots limit its own nodes.
  return Math.min(max ?? Number.MAX_SAFE_INTEGER, sum(most));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

/** The configuration's limit on a pool's unavailable nodes. */
export const boundOf = ({ pools }: Configuration, pool: string | null): number | string =>
  pools[pool ?? ""]?.maxUnavailable ?? 1;

/** The command that also reboots nodes that are left out for their losses; null without such nodes of one pool. */
function forcedOf(planned: readonly PlanResult[], request: RolloutRequest): string | null {
  const pools = new Set(planned.flatMap((one) => ("lost" in one && "leftOut" in one ? [one.pool ?? null] : [])));
  const [pool = null, ...more] = pools;
  return pool === null || more.length > 0 ? null : typeThis(request.command, ...typedAgain(request, { force: pool }));
}

/**
 * Joins the plans of all nodes; those that wait for a reboot may be of several pools.
 * @throws UserError for nodes of several pools; Refused when no node is left
 */
export function wholePlan(
  planned: readonly PlanResult[],
  most: number,
  request: RolloutRequest,
): Omit<RolloutPlan, "max" | "canary"> {
  const { command } = request;
  const nodes = planned.flatMap((one) => ("leftOut" in one ? [] : [one]));
  const leftOut = planned.flatMap((one) => {
    if (!("leftOut" in one)) return [];
    return [{ name: one.name, why: one.leftOut, ...(one.lost ? { lost: one.lost } : {}) }];
  });
  const forced = forcedOf(planned, request);
  const [first] = nodes;
  if (!first) throw new Refused(noneLeft(command, leftOut, forced));
  const pools = new Set(nodes.map(({ pool }) => pool));
  if (pools.size > 1 && !request.due) throw new UserError(severalPools([...pools]));
  return {
    ...{ command, pool: first.pool, nodes, leftOut, most },
    ...(pools.size > 1 ? { pools: [...pools] } : {}),
    ...(isForced(request) ? { isForced: true } : {}),
    ...(forced === null ? {} : { forced }),
  };
}

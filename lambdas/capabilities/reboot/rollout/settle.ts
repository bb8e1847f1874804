import { markNodes } from "../../../change/emptying/soft-taint.ts";
import type { RolloutSeen } from "../../../change/operation/rollout-view.ts";
import { rolloutCommand } from "../../../commands/request.ts";
import type { Rollout, WorkloadReadiness } from "../../../records/rollout.ts";
import { lessReady, readinessBefore } from "../../../steps/plan/readiness.ts";
import type { Steps } from "../../../steps/steps.ts";
import { type LessToShow, settlingWords } from "./settling-message.ts";

/** The longest time that pods of the rollout's pools get to be ready again, in milliseconds; 0 for none. */
async function settleMsOf(steps: Steps, { operation, rollout }: RolloutSeen): Promise<number> {
  if (rolloutCommand(operation.request) === "restart") return 0;
  const { pools } = (await steps.runtime.read(null)).configuration;
  const seconds = (rollout.pools ?? [rollout.pool]).map((pool) => pools[pool ?? ""]?.settleSeconds ?? 0);
  return Math.max(0, ...seconds) * 1_000;
}

/** A node whose work has ended, with the readiness before it. */
interface EndedNode {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
  readonly before: readonly WorkloadReadiness[];
}

const endedNodes = ({ rollout, nodes }: RolloutSeen): EndedNode[] =>
  rollout.nodes.flatMap(({ name }, at) => {
    const [before, endedAt] = [rollout.readyBefore?.[name], nodes[at]?.endedAt];
    return before && endedAt ? [{ name, endedAt: Date.parse(endedAt), before }] : [];
  });

const without = (all: Rollout["readyBefore"] = {}, names: readonly string[]): Rollout["readyBefore"] =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name)));

/** Sorts ended nodes into those whose workloads are as ready as before, or whose time is over, and the others' workloads. */
async function judge(steps: Steps, ended: readonly EndedNode[], settleMs: number) {
  const pods = ended.length > 0 ? await steps.nodes.pods() : [];
  const settled: string[] = [];
  const less: LessToShow[] = [];
  for (const { name, endedAt, before } of ended) {
    const until = endedAt + settleMs;
    const missing = steps.now() < until ? lessReady(before, pods) : [];
    if (missing.length === 0) settled.push(name);
    less.push(...missing.map((one) => ({ ...one, until })));
  }
  return { settled, less };
}

/** Shows in the message of the rollout what it waits for. */
async function show(steps: Steps, { operation: { id, rollout } }: RolloutSeen, waitsFor: string | null): Promise<void> {
  if (rollout && (rollout.waitsFor ?? null) !== waitsFor)
    await steps.ledger.changeOperation(id, { rollout: { ...rollout, waitsFor } });
}

/** Does the rollout mark nodes? A restart moves no pod, so that it spares none a second move. */
const isMarking = ({ operation }: RolloutSeen): boolean => rolloutCommand(operation.request) !== "restart";

/** Nodes in service that wait for their turn while the rollout works. */
function waitingNodes({ operation, rollout, nodes }: RolloutSeen): string[] {
  const { paused, closedAt } = operation.rollout ?? {};
  if (operation.cancelledBy !== null || operation.endedAt !== null || paused || closedAt) return [];
  return rollout.nodes.flatMap(({ uid, isAway }, at) => (nodes[at]?.status === "queued" && !isAway ? [uid] : []));
}

/**
 * Keeps evicted pods away from nodes that wait for their own turn, where the scheduler has others. Call inside a step.
 * @param waiting UIDs of these nodes; none at the end of the rollout
 */
export async function spareWaiting(steps: Steps, seen: RolloutSeen, waiting = waitingNodes(seen)): Promise<void> {
  if (isMarking(seen)) await markNodes(steps, seen.operation.id, new Set(waiting));
}

/**
 * Checks that the workloads whose pods earlier nodes of a rollout evicted are as ready as before, or that their time to
 * become so is over. Call inside a step.
 * @returns false while the next node is not to be begun; the message then says why
 */
export async function areSettled(steps: Steps, seen: RolloutSeen): Promise<boolean> {
  const ended = endedNodes(seen);
  const { settled, less } = await judge(steps, ended, await settleMsOf(steps, seen));
  if (settled.length > 0)
    await steps.rollouts.change(seen.operation.id, { readyBefore: without(seen.rollout.readyBefore, settled) });
  await show(steps, seen, less.length > 0 ? settlingWords(less) : null);
  return less.length === 0;
}

/** Keeps how ready the workloads are whose pods the next nodes evict, if their pool gives them time. Call inside a step. */
export async function keepReadiness(steps: Steps, seen: RolloutSeen, indexes: readonly number[]): Promise<void> {
  if (indexes.length === 0 || (await settleMsOf(steps, seen)) === 0) return;
  const pods = await steps.nodes.pods();
  const next = seen.rollout.nodes.filter(({ index }) => indexes.includes(index));
  const kept = Object.fromEntries(next.map(({ name }) => [name, readinessBefore(pods, name)]));
  const { readyBefore } = (await steps.rollouts.read(seen.operation.id)) ?? {};
  await steps.rollouts.change(seen.operation.id, { readyBefore: { ...readyBefore, ...kept } });
}

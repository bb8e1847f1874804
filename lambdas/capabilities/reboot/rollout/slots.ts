import type { RolloutSeen } from "../../../change/operation/rollout-view.ts";
import { pausedSummary } from "../../../messages/rollout/rollout.ts";
import type { TakenSlots } from "../../../records/steering.ts";
import { isBusy } from "../../../steps/client-errors.ts";
import { mostAway, poolNodes } from "../../../steps/ledger/slot-rules.ts";
import type { Steps } from "../../../steps/steps.ts";
import { boundOf } from "./plan.ts";
import { stopOfPools } from "./stops.ts";

/**
 * Finds the nodes that keep a rollout from beginning another one: they are NotReady or cordoned, no operation works on
 * them, and they take all slots of their pool. Call inside a step.
 * @returns the first such pool; null if a node that is left can be begun, or waits only for another operation
 */
export async function slotsTaken(steps: Steps, { rollout, nodes }: RolloutSeen): Promise<TakenSlots | null> {
  const { configuration } = await steps.runtime.read(null);
  const [all, machines] = await Promise.all([steps.nodes.all(), steps.instances.ofCluster(configuration.cluster.id)]);
  const left = new Set(
    rollout.nodes.flatMap(({ uid }, at) => (/^(?:queued|cancelled)$/.test(nodes[at]?.status ?? "") ? [uid] : [])),
  );
  const found: (TakenSlots | null)[] = [];
  for (const pool of rollout.pools ?? [rollout.pool]) {
    const members = poolNodes(all, machines, pool);
    const waiting = members.filter(({ uid }) => left.has(uid));
    const held = await steps.slots.held(pool);
    const away = members.filter((node) => node.isAway && !held.some(({ uid }) => uid === node.uid));
    const most = Math.max(mostAway(boundOf(configuration, pool), members.length), rollout.unavailable ?? 0);
    const isFree = away.length < most || waiting.some(({ isAway }) => isAway);
    if (waiting.length > 0) found.push(isFree ? null : { pool, most, away: away.map(({ name }) => name) });
  }
  return found.includes(null) ? null : (found[0] ?? null);
}

/** Goes on with what was known while a service is busy. */
const orBusy =
  <T>(known: T) =>
  (error: unknown): T => {
    if (!isBusy(error)) throw error;
    return known;
  };

/**
 * Shows in a paused rollout which nodes take all slots now, and which freeze or hold stops it. If a service is busy, the
 * next poll does it. Call inside a step.
 */
export async function noteSlots(steps: Steps, seen: RolloutSeen): Promise<void> {
  const { operation, nodes } = seen;
  const paused = operation.rollout?.paused;
  if (!operation.rollout || !paused) return;
  const taken = await slotsTaken(steps, seen).catch(orBusy(paused.taken));
  const stop = await stopOfPools(steps, seen).catch(orBusy(paused.stop ?? null));
  const state = { ...paused, taken, ...(stop || paused.stop !== undefined ? { stop } : {}) };
  const summary = pausedSummary(state, nodes);
  if (summary === operation.summary) return;
  await steps.ledger.changeOperation(operation.id, {
    summary,
    rollout: { ...operation.rollout, paused: state },
  });
}

import type { RolloutSeen } from "../../../change/operation/rollout-view.ts";
import type { Moves } from "../../../records/rollout-moves.ts";
import type { Steps } from "../../../steps/steps.ts";
import type { Stop } from "../../../time/stops.ts";

/**
 * Finds the freeze or hold that keeps a rollout from beginning any node. Call inside a step.
 * @returns null if a pool of the rollout is free: a node of another pool goes back to the queue when its turn comes
 */
export async function stopOfPools(steps: Steps, { rollout }: Pick<RolloutSeen, "rollout">): Promise<Stop | null> {
  const found: (Stop | null)[] = [];
  for (const pool of rollout.pools ?? [rollout.pool]) found.push(await steps.stops.over(null, pool));
  return found.includes(null) ? null : (found[0] ?? null);
}

/** Finds the freeze or hold that covers a rollout's next moves: a node that is begun under it fails at once. */
export const stopOfMoves = async (steps: Steps, seen: RolloutSeen, { start, pause }: Moves): Promise<Stop | null> =>
  start.length > 0 || pause?.kind === "stopped" ? stopOfPools(steps, seen) : null;

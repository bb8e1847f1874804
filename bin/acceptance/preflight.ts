import { accounts } from "../../lambdas/cluster/accounts.ts";
import { examined, outcomeOf } from "../connect/connect.ts";
import { StartError } from "../start-error.ts";
import type { Scene } from "./scene.ts";

/** Number of accounts whose credentials the doctor tries. */
const ALL = accounts.length;

/**
 * Refuses to begin if a run could not succeed: the doctor found a serious problem, or the pool is full.
 * @throws StartError that names the remedy
 */
export async function preflight(scene: Scene, pool: string): Promise<void> {
  const { place, instances, say } = scene;
  say(`Checking ${place.cluster} as npm run doctor does, by its ${ALL} accounts …`);
  const { text, code } = outcomeOf(await examined(place, true), place);
  say(text.trim());
  if (code !== 0) throw new StartError("the doctor found a serious problem: fix it first, then run this again");
  const { maximum = 0 } = place.poolFacts[pool] ?? {};
  const present = await instances.ofPool(place.cluster, pool);
  if (present.length >= maximum)
    throw new StartError(
      `the pool ${pool} has ${present.length} of at most ${maximum} instances: choose another pool, or raise pools.${pool}.maximum`,
    );
}

import type { Configuration } from "../../configuration/configuration.ts";
import { type RebootDue, rebootDue } from "../../machine/reboot-due.ts";
import { instanceIdOf } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Steps } from "../../steps/steps.ts";

/**
 * Judges by the last observation of the reboot watch whether a node waits for a reboot; undefined if the watch skips
 * its pool.
 */
export type DueOf = (node: Node, pool: string | null) => RebootDue | undefined;

/** Reads the observations of the reboot watch. @throws the error of a busy service */
export async function seenReboots(steps: Steps, { pools }: Pick<Configuration, "pools">): Promise<DueOf> {
  const seen = await steps.machines.seen.all();
  return (node, pool) => {
    const own = pools[pool ?? ""];
    if (own?.rebootDue === false) return undefined;
    return rebootDue(seen.get(instanceIdOf(node) ?? ""), node.metadata?.uid ?? "", steps.now());
  };
}

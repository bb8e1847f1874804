import type { Configuration } from "../../configuration/configuration.ts";
import { type RebootDue, rebootDue } from "../../machine/seen-machine.ts";
import { instanceIdOf } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Steps } from "../../steps/steps.ts";

/** Says whether a node waits for a reboot, by the last scheduled look; undefined where its pool is not looked at. */
export type DueOf = (node: Node, pool: string | null) => RebootDue | undefined;

/** Reads what the scheduled looks have seen. @throws a busy service's error */
export async function seenReboots(steps: Steps, { pools }: Pick<Configuration, "pools">): Promise<DueOf> {
  const seen = await steps.machines.seen.all();
  return (node, pool) => {
    const own = pools[pool ?? ""];
    if (own?.rebootDue === false) return undefined;
    return rebootDue(seen.get(instanceIdOf(node) ?? ""), node.metadata?.uid ?? "", steps.now());
  };
}

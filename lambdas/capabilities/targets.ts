import type { Targets } from "./command.ts";

/** Maximum number of nodes that a title names; of more it shows only the number. */
const MOST_NAMED = 3;

/** Words for the nodes of a command, not escaped: "pool web". */
export function inWords(targets: Targets): string {
  if (targets.kind === "pool") return `pool ${targets.pool}`;
  return targets.nodes.length > MOST_NAMED ? `${targets.nodes.length} nodes` : targets.nodes.join(", ");
}

import type { Targets } from "./command.ts";

/** Nodes named in a title; more are counted. */
const MOST_NAMED = 3;

/** Words for the nodes that a command is about, not escaped: "pool web". */
export function inWords(targets: Targets): string {
  if (targets.kind === "pool") return `pool ${targets.pool}`;
  return targets.nodes.length > MOST_NAMED ? `${targets.nodes.length} nodes` : targets.nodes.join(", ");
}

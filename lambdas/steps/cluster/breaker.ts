import type { V1Node } from "@kubernetes/client-node";
import { startingTaint } from "../../cluster/node-keys.ts";
import { isReady, isWindows } from "./node-facts.ts";

/** The number of the cluster's Windows nodes, and of those that are NotReady. */
export interface ReadinessCount {
  readonly notReady: number;
  readonly all: number;
}

/** Least number of NotReady nodes that stops changes: a single one is ordinary, however small the cluster is. */
const FEWEST = 2;

const isStarting = ({ spec }: V1Node): boolean => (spec?.taints ?? []).some(({ key }) => key === startingTaint.key);

/**
 * Judges whether too many Windows nodes are NotReady to disturb a Ready one. Nodes that are still starting are ignored,
 * because they were never in service.
 * @param nodes every Node of the cluster
 * @param most share of nodes that may be NotReady, "30%"
 * @returns null while Ready nodes may be disturbed
 */
export function tooManyNotReady(nodes: readonly V1Node[], most: string): ReadinessCount | null {
  const counted = nodes.filter((node) => isWindows(node) && !isStarting(node));
  const notReady = counted.filter((node) => !isReady(node)).length;
  const isTooMany = notReady >= FEWEST && notReady * 100 > counted.length * Number.parseInt(most, 10);
  return isTooMany ? { notReady, all: counted.length } : null;
}

import type { V1Node } from "@kubernetes/client-node";
import { isTooMany } from "../../health/fleet-trouble.ts";
import { isReady, isStarting, isWindows } from "./node-facts.ts";

/** The number of the cluster's Windows nodes, and of those that are NotReady. */
export interface ReadinessCount {
  readonly notReady: number;
  readonly all: number;
}

/** Is it a Windows node that was put in service? A node that is still starting never was. */
export const isInService = (node: V1Node): boolean => isWindows(node) && !isStarting(node);

/**
 * Judges whether too many Windows nodes in service are NotReady to disturb a Ready one.
 * @param nodes every Node of the cluster
 * @param most share of nodes that may be NotReady, "30%"
 * @returns null while Ready nodes may be disturbed
 */
export function tooManyNotReady(nodes: readonly V1Node[], most: string): ReadinessCount | null {
  const counted = nodes.filter(isInService);
  const notReady = counted.filter((node) => !isReady(node)).length;
  return isTooMany(notReady, counted.length, most) ? { notReady, all: counted.length } : null;
}

import type { V1Node } from "@kubernetes/client-node";
import { startingTaint } from "../../desired/node-keys.ts";
import { isReady, isWindows } from "./node-facts.ts";

/** Windows nodes of the cluster, and how many of them are NotReady. */
export interface Unready {
  readonly notReady: number;
  readonly all: number;
}

/** One node that is NotReady is everyday life, whatever part of a small cluster it is. */
const FEWEST = 2;

const isStarting = ({ spec }: V1Node): boolean => (spec?.taints ?? []).some(({ key }) => key === startingTaint.key);

/**
 * Judges whether so many Windows nodes are NotReady that nothing may disturb a Ready one. A node that starts counts for
 * nothing: it was never in service.
 * @param nodes every Node of the cluster
 * @param most the part that may be NotReady, "30%"
 * @returns null while Ready nodes may be disturbed
 */
export function tooManyNotReady(nodes: readonly V1Node[], most: string): Unready | null {
  const counted = nodes.filter((node) => isWindows(node) && !isStarting(node));
  const notReady = counted.filter((node) => !isReady(node)).length;
  const isTooMany = notReady >= FEWEST && notReady * 100 > counted.length * Number.parseInt(most, 10);
  return isTooMany ? { notReady, all: counted.length } : null;
}

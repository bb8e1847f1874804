import { StageFailed } from "../../engine/durable.ts";
import { stopperText } from "../../messages/stops/stop.ts";
import type { EmptyingTask } from "./emptying-task.ts";

/**
 * Finds the reason why work on a node must not go on with its next change: a freeze or a hold that came meanwhile.
 * @returns null when it may go on
 */
export async function stopOf({ steps, pool, node, lease }: EmptyingTask): Promise<string | null> {
  const seen = node === null ? undefined : await steps.nodes.read(node.name);
  const stop = await steps.stops.over(seen?.metadata?.uid === node?.uid ? (seen ?? null) : null, pool);
  return stop && stopperText(stop, node?.name ?? lease?.instanceId ?? "");
}

/** @throws StageFailed that names the freeze or the hold that came meanwhile */
export async function checkGoesOn(task: EmptyingTask): Promise<void> {
  const stopped = await stopOf(task);
  if (stopped !== null) throw new StageFailed("frozen-or-held", stopped);
}

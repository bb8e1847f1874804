import { StageFailed } from "../../engine/durable.ts";
import { stopperText } from "../../messages/stops/stop.ts";
import type { EmptyingTask } from "./emptying-task.ts";

/**
 * Finds the freeze or hold, set since the work began, that forbids its next change of the node.
 * @returns its description; null if the work may continue
 */
export async function stopOf({ steps, pool, node, lease }: EmptyingTask): Promise<string | null> {
  const seen = node === null ? undefined : await steps.nodes.read(node.name);
  const stop = await steps.stops.over(seen?.metadata?.uid === node?.uid ? (seen ?? null) : null, pool);
  return stop && stopperText(stop, node?.name ?? lease?.instanceId ?? "");
}

/** @throws StageFailed that names a freeze or hold which was set since the work began */
export async function checkGoesOn(task: EmptyingTask): Promise<void> {
  const stopped = await stopOf(task);
  if (stopped !== null) throw new StageFailed("frozen-or-held", stopped);
}

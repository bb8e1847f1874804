import { timestamp } from "../model/object.ts";
import type { Condition, Pod } from "../model/shapes.ts";
import type { Cluster } from "./controller.ts";
import { pods } from "./nodes.ts";

/**
 * Writes on a pod why it is about to be deleted: condition DisruptionTarget (k8s pkg/controller/tainteviction and
 * podgc). Returns the stored pod.
 */
export function markTarget(
  { objects, simulation }: Cluster,
  pod: Pod,
  why: Pick<Condition, "reason" | "message">,
  phase = pod.status?.phase,
): Pod {
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== "DisruptionTarget");
  const lastTransitionTime = timestamp(simulation.clock.now());
  const condition: Condition = { type: "DisruptionTarget", status: "True", ...why, lastTransitionTime };
  const status = { ...pod.status, ...(phase ? { phase } : {}), conditions: [...others, condition] };
  return objects.replace<Pod>(pods, { ...pod, status });
}

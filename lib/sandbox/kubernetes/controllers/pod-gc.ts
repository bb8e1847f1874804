import type { Pod } from "../model/shapes.ts";
import type { Cluster, Controller } from "./controller.ts";
import { keyOf } from "./controller.ts";
import { nodes, pods, podsOn } from "./nodes.ts";

/** Milliseconds for which a node must be gone before its pods are deleted (k8s pkg/controller/podgc quarantineTime). */
const QUARANTINE = 40_000;

/** Force-deletes pods that are bound to a node which no longer exists. */
export function podCollector(cluster: Cluster): Controller {
  const { simulation, objects, registry } = cluster;
  const missedSince = new Map<string, number>();
  return {
    name: "pod-gc",
    type: pods,
    concerns: ({ type, kind, object }) =>
      type === nodes && kind === "DELETED" ? podsOn(cluster, object.metadata.name).map(keyOf) : [],
    reconcile: ({ namespace, name }) => {
      const pod = objects.get<Pod>(pods, namespace, name);
      const node = pod?.spec.nodeName;
      if (!pod || !node) return undefined;
      if (objects.get(nodes, undefined, node)) {
        missedSince.delete(node);
        return undefined;
      }
      const now = simulation.clock.now();
      const since = missedSince.get(node) ?? now;
      missedSince.set(node, since);
      if (now < since + QUARANTINE) return since + QUARANTINE;
      registry.remove({ type: pods, namespace, name }, { gracePeriodSeconds: 0 });
      return undefined;
    },
  };
}

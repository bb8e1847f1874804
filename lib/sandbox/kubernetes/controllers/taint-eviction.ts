import type { Node, Pod, Taint } from "../model/shapes.ts";
import type { Cluster, Controller } from "./controller.ts";
import { keyOf } from "./controller.ts";
import { nodes, pods, podsOn, tolerationsOf } from "./nodes.ts";
import { markTarget } from "./target-condition.ts";

/** Computes the time at which a taint evicts the pod: now (0), later, or never (undefined). */
function leavesAt(pod: Pod, taint: Taint): number | undefined {
  const tolerated = tolerationsOf(pod.spec.tolerations, taint);
  if (tolerated.length === 0) return 0;
  const limits = tolerated.flatMap(({ tolerationSeconds }) =>
    tolerationSeconds === undefined ? [] : [tolerationSeconds],
  );
  if (limits.length < tolerated.length && limits.length === 0) return undefined;
  return Date.parse(taint.timeAdded ?? pod.metadata.creationTimestamp) + Math.max(0, Math.min(...limits)) * 1000;
}

/**
 * Evicts pods from nodes with NoExecute taints once they no longer tolerate them (k8s pkg/controller/tainteviction).
 */
export function taintEviction(cluster: Cluster): Controller {
  const { simulation, objects, registry, record } = cluster;
  const evict = (pod: Pod): void => {
    record({
      component: "taint-eviction-controller",
      about: pod,
      type: "Normal",
      reason: "TaintManagerEviction",
      message: `Marking for deletion Pod ${pod.metadata.namespace}/${pod.metadata.name}`,
    });
    const why = { reason: "DeletionByTaintManager", message: "Taint manager: deleting due to NoExecute taint" };
    markTarget(cluster, pod, why);
    registry.remove({ type: pods, namespace: pod.metadata.namespace, name: pod.metadata.name });
  };
  return {
    name: "taint-eviction",
    type: pods,
    concerns: ({ type, object }) => (type === nodes ? podsOn(cluster, object.metadata.name).map(keyOf) : []),
    reconcile: ({ namespace, name }) => {
      const pod = objects.get<Pod>(pods, namespace, name);
      if (!pod || pod.metadata.deletionTimestamp) return undefined;
      const node = objects.get<Node>(nodes, undefined, pod.spec.nodeName ?? "");
      const taints = (node?.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
      const due = Math.min(...taints.map((taint) => leavesAt(pod, taint) ?? Number.POSITIVE_INFINITY));
      if (due === Number.POSITIVE_INFINITY) return undefined;
      if (simulation.clock.now() < due) return due;
      evict(pod);
      return undefined;
    },
  };
}

import { isFinished, isTrue, type Node, type Pod } from "../model/shapes.ts";
import type { Cluster, Controller } from "./controller.ts";
import { keyOf } from "./controller.ts";
import { nodes, OUT_OF_SERVICE, pods, podsOn } from "./nodes.ts";
import { markTarget } from "./target-condition.ts";

// k8s pkg/controller/podgc/gc_controller.go

/** Interval of the collector's rounds (gcCheckPeriod). */
const ROUND = 20_000;

/**
 * Milliseconds for which a node must be missing after the round that noticed (quarantineTime): pods were deleted 41 and
 * 59 s after their node.
 */
const QUARANTINE = 40_000;

const nextRound = (now: number): number => Math.ceil(now / ROUND) * ROUND;

/** A node that is not ready and that a person has declared out of service. */
const isOutOfService = ({ spec, status }: Node): boolean =>
  !isTrue(status?.conditions, "Ready") && (spec.taints ?? []).some(({ key }) => key === OUT_OF_SERVICE);

/**
 * Force-deletes pods whose node no longer exists, and terminating pods of a node that is out of service. A terminating
 * pod of any other silent node stays for ever.
 */
export function podCollector(cluster: Cluster): Controller {
  const { simulation, objects, registry } = cluster;
  /** Times of the round in which a node's pods, or a terminating pod, are due; by the node's name or the pod's uid. */
  const dueAt = new Map<string, number>();

  const forceDelete = (pod: Pod): void => {
    const { namespace, name } = pod.metadata;
    registry.remove({ type: pods, namespace, name }, { gracePeriodSeconds: 0 });
  };

  /** Waits for a round; calls `end` in it. Returns the round's time while it is still to come. */
  const inRound = (key: string, first: number, end: () => void): number | undefined => {
    const due = dueAt.get(key) ?? first;
    dueAt.set(key, due);
    if (simulation.clock.now() < due) return due;
    end();
    return undefined;
  };

  const endOrphan = (pod: Pod): void => {
    const why = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };
    forceDelete(markTarget(cluster, pod, why, isFinished(pod) ? undefined : "Failed"));
  };

  const endTerminating = (pod: Pod): void => {
    dueAt.delete(pod.metadata.uid);
    if (!isFinished(pod)) objects.replace<Pod>(pods, { ...pod, status: { ...pod.status, phase: "Failed" } });
    forceDelete(pod);
  };

  return {
    name: "pod-gc",
    type: pods,
    concerns: ({ type, object }) => (type === nodes ? podsOn(cluster, object.metadata.name).map(keyOf) : []),
    reconcile: ({ namespace, name }) => {
      const pod = objects.get<Pod>(pods, namespace, name);
      const on = pod?.spec.nodeName;
      if (!pod || !on) return undefined;
      const now = simulation.clock.now();
      const node = objects.get<Node>(nodes, undefined, on);
      if (!node) return inRound(on, nextRound(now) + QUARANTINE, () => endOrphan(pod));
      dueAt.delete(on);
      if (!pod.metadata.deletionTimestamp || !isOutOfService(node)) {
        dueAt.delete(pod.metadata.uid);
        return undefined;
      }
      return inRound(pod.metadata.uid, nextRound(now), () => endTerminating(pod));
    },
  };
}

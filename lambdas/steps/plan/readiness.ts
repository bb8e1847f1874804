import type { V1Pod } from "@kubernetes/client-node";
import type { WorkloadReadiness } from "../../records/rollout.ts";
import { controllerOf, isPodReady, isTerminating, podsToEvict } from "../drain/pods.ts";

const ownerUid = (pod: V1Pod): string | undefined => controllerOf(pod)?.uid;

const isServing = (pod: V1Pod): boolean => isPodReady(pod) && !isTerminating(pod);

/**
 * Counts, for each workload with a pod that a drain of the node evicts, its ready pods on all nodes.
 * @param pods of the cluster
 */
export function readinessBefore(pods: readonly V1Pod[], node: string): WorkloadReadiness[] {
  const leaving = podsToEvict(pods.filter(({ spec }) => spec?.nodeName === node));
  const first = new Map(leaving.map((pod) => [ownerUid(pod), pod]));
  return [...first].flatMap(([uid, pod]) => {
    const owner = controllerOf(pod);
    const ready = pods.filter((one) => ownerUid(one) === uid && isServing(one)).length;
    if (uid === undefined || !owner || ready === 0) return [];
    return [{ uid, workload: `${pod.metadata?.namespace}/${owner.kind} ${owner.name}`, ready }];
  });
}

/** A workload with fewer ready pods than before, and how many it has now. */
export interface LessReady extends WorkloadReadiness {
  readonly now: number;
}

/**
 * Lists the workloads with fewer ready pods than before. One that has no pod any more may have been deleted, or its owner cannot
 * make pods, as while a webhook or a quota refuses them.
 */
export const lessReady = (before: readonly WorkloadReadiness[], pods: readonly V1Pod[]): LessReady[] =>
  before.flatMap((one) => {
    const now = pods.filter((pod) => ownerUid(pod) === one.uid && isServing(pod)).length;
    return now < one.ready ? [{ ...one, now }] : [];
  });

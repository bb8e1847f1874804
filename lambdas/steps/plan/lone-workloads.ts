import type { V1Pod, V1PodDisruptionBudget } from "@kubernetes/client-node";
import type { LoneWorkload } from "../../messages/plan/plan.ts";
import { budgetsOf } from "../drain/budgets.ts";
import { controllerOf, isFinished } from "../drain/pods.ts";

/**
 * Finds the workloads of several pods that all run on one node and that no budget guards: the drain evicts their pods
 * together. A workload of one pod is down for a moment wherever it runs.
 * @param leaving the pods that leave the node
 * @param all the pods of the cluster
 */
export function loneWorkloads(
  leaving: readonly V1Pod[],
  all: readonly V1Pod[],
  budgets: readonly V1PodDisruptionBudget[],
): LoneWorkload[] {
  const count = (pods: readonly V1Pod[], uid: string): number =>
    pods.filter((pod) => !isFinished(pod) && controllerOf(pod)?.uid === uid).length;
  const unguarded = leaving.filter((pod) => budgetsOf(pod, budgets).length === 0);
  const groups = Map.groupBy(unguarded, (pod) => controllerOf(pod)?.uid);
  return [...groups].flatMap(([uid, pods]) => {
    const [pod] = pods;
    const owner = pod && controllerOf(pod);
    if (uid === undefined || !owner || pods.length < 2 || count(all, uid) > pods.length) return [];
    return [{ owner: `${pod.metadata?.namespace}/${owner.kind} ${owner.name}`, pods: pods.length }];
  });
}

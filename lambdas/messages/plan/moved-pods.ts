import { sign } from "../slack/signs.ts";
import { code, counted, plain } from "../slack/text.ts";

/** A pod that leaves a node. */
export interface MovedPod {
  readonly namespace: string;
  readonly name: string;
  /** "ReplicaSet web-7d4b9"; null if nothing recreates the pod. */
  readonly owner: string | null;
  /** Set if the owner may not create another pod: a step of a workflow, the job of a runner. */
  readonly isUncertain?: true;
  /** Data that is lost with the pod or the machine: "emptyDir cache", "hostPath C:\\data". */
  readonly localData: readonly string[];
}

/** Line of one evicted pod, with its losses. */
export const podLine = ({ namespace, name, owner, isUncertain, localData }: MovedPod): string => {
  const uncertain = isUncertain ? `, ${sign.warning} may not be recreated` : "";
  const origin = owner ? `${plain(owner, 80)}${uncertain}` : `${sign.warning} not recreated`;
  const data = localData.length > 0 ? ` · ${sign.warning} loses ${plain(localData.join(", "), 150)}` : "";
  return `• ${code(`${namespace}/${name}`)} (${origin})${data}`;
};

/** Sorts pods: those with losses come first. */
export const byLoss = (pods: readonly MovedPod[]): MovedPod[] =>
  [...pods].sort((one, other) => Number(losesSomething(other)) - Number(losesSomething(one)));

const losesData = (pod: MovedPod): boolean => pod.localData.length > 0;

/** Is it certain that the pod's owner creates another one? */
export const isRecreated = ({ owner, isUncertain }: MovedPod): boolean => owner !== null && !isUncertain;

/** Does the eviction lose the pod or its data? */
export const losesSomething = (pod: MovedPod): boolean => !isRecreated(pod) || losesData(pod);

/**
 * Losses of an eviction, without a full stop: "2 pods lose local data, 1 pod is not recreated"; empty when there are
 * none.
 */
export function lossesOf(pods: readonly MovedPod[]): string {
  const losing = pods.filter(losesData).length;
  const ending = pods.filter(({ owner }) => owner === null).length;
  const uncertain = pods.filter(({ isUncertain }) => isUncertain).length;
  return [
    ...(losing > 0 ? [`${counted(losing, "pod")} ${losing === 1 ? "loses" : "lose"} local data`] : []),
    ...(ending > 0 ? [`${counted(ending, "pod")} ${ending === 1 ? "is" : "are"} not recreated`] : []),
    ...(uncertain > 0 ? [`${counted(uncertain, "pod")} may not be recreated`] : []),
  ].join(", ");
}

/** Line for a node without pods to evict. */
export const noPodsToMove = "No pods to evict.";

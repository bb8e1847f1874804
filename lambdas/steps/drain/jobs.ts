import type { V1Pod } from "@kubernetes/client-node";
import { counted } from "../../messages/slack/text.ts";
import { controllerOf, groupOf, isFinished, isTerminating } from "./pods.ts";

/** The fields of a Job that decide whether it creates another pod in place of an evicted one. */
export interface Job {
  readonly metadata?: { readonly uid?: string };
  readonly spec?: {
    readonly backoffLimit?: number;
    readonly backoffLimitPerIndex?: number;
    readonly completions?: number;
    readonly suspend?: boolean;
    readonly podFailurePolicy?: { readonly rules?: readonly FailureRule[] };
  };
  readonly status?: {
    readonly failed?: number;
    readonly succeeded?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** A rule of a podFailurePolicy. */
interface FailureRule {
  readonly action: string;
  readonly onExitCodes?: { readonly operator?: string };
  readonly onPodConditions?: readonly { readonly type: string; readonly status?: string }[];
}

/** State of a pod's Job; "recreates" for one that was read a moment ago and creates another pod. */
export type JobState = Job | "absent" | "recreates" | { readonly unreadable: string };

/** Builds the key of a pod's Job, its namespace and name; undefined for a pod of any other owner. */
export function jobKey(pod: V1Pod): string | undefined {
  const owner = controllerOf(pod);
  return owner?.kind === "Job" && groupOf(owner.apiVersion) === "batch"
    ? `${pod.metadata?.namespace}/${owner.name}`
    : undefined;
}

/** Is it a Job's pod that still works? One that is terminating has failed in its Job's eyes already. */
export const isAtWork = (pod: V1Pod): boolean => jobKey(pod) !== undefined && !isFinished(pod) && !isTerminating(pod);

/** Counts the pods of each Job that still work, by `jobKey`: the Job takes each eviction for a failure. */
export function workingPods(pods: readonly V1Pod[]): ReadonlyMap<string, number> {
  const groups = Map.groupBy(pods.filter(isAtWork), (pod) => jobKey(pod) ?? "");
  return new Map([...groups].map(([key, own]) => [key, own.length]));
}

const ENDS: ReadonlySet<string> = new Set(["Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"]);

/**
 * Does the rule decide on an evicted pod? Its condition is DisruptionTarget. The exit code of a container that is ended
 * is not known before, but a list of codes that are excepted seldom names it.
 */
const decides = ({ onPodConditions = [], onExitCodes }: FailureRule): boolean =>
  onPodConditions.some(({ type, status = "True" }) => type === "DisruptionTarget" && status === "True") ||
  onExitCodes?.operator === "NotIn";

/** Failures of the pod's index before this one (k8s pkg/controller/job getIndexFailureCount). */
const failuresOfIndex = ({ metadata }: V1Pod): number =>
  Number(metadata?.annotations?.["batch.kubernetes.io/job-index-failure-count"] ?? 0);

/** Retries of a Job that does not say (API reference, JobSpec); one that counts by index has no limit for all. */
const limitOf = ({ spec: { backoffLimit, backoffLimitPerIndex } = {} }: Job): number =>
  backoffLimit ?? (backoffLimitPerIndex === undefined ? 6 : Number.POSITIVE_INFINITY);

/** An eviction is a failure of the pod (k8s pkg/controller/job isPodFailed, `failed > backoffLimit`). */
function noRetry(job: Job, pod: V1Pod, leaving: number): string | undefined {
  const { backoffLimitPerIndex } = job.spec ?? {};
  if (backoffLimitPerIndex !== undefined && failuresOfIndex(pod) >= backoffLimitPerIndex)
    return `backoffLimitPerIndex ${backoffLimitPerIndex}, no retry left`;
  const limit = limitOf(job);
  const left = limit - (job.status?.failed ?? 0);
  if (left >= leaving) return undefined;
  if (left <= 0) return `backoffLimit ${limit}, no retry left`;
  return `backoffLimit ${limit}, ${left === 1 ? "1 retry" : `${left} retries`} left for ${counted(leaving, "pod")}`;
}

/** The action of the podFailurePolicy on an evicted pod; undefined if it has none for evictions. */
const actionOf = ({ spec }: Job): string | undefined => spec?.podFailurePolicy?.rules?.find(decides)?.action;

/** The reason why a Job creates no more pods at all. */
function isOver({ spec = {}, status = {} }: Job): string | undefined {
  if ((status.conditions ?? []).some((one) => ENDS.has(one.type) && one.status === "True")) return "ended";
  if (spec.suspend) return "suspended";
  const isDone = spec.completions === undefined && (status.succeeded ?? 0) > 0;
  return isDone ? "no pod is replaced after the first success" : undefined;
}

/**
 * Finds the reason why a Job creates no other pod in place of one that is evicted.
 * @param leaving the number of the Job's pods that are evicted with it, itself included
 * @returns the reason, in a few words; undefined if the Job creates another pod, or if that is not known
 */
export function noOtherPod(state: JobState, pod: V1Pod, leaving: number): string | undefined {
  if (state === "recreates" || (typeof state === "object" && "unreadable" in state)) return undefined;
  if (state === "absent" || state.metadata?.uid !== controllerOf(pod)?.uid) return "deleted";
  const action = actionOf(state);
  const over = isOver(state);
  if (over !== undefined || action === "Ignore") return over;
  return action === "FailJob" || action === "FailIndex" ? `podFailurePolicy ${action}` : noRetry(state, pod, leaving);
}

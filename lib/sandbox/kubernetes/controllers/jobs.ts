import { timestamp } from "../model/object.ts";
import { known } from "../model/resources.ts";
import { type Condition, isTrue, type Pod, type Workload } from "../model/shapes.ts";
import type { Cluster, Controller } from "./controller.ts";
import { pods } from "./nodes.ts";
import {
  activeWorkload,
  createPod,
  deletePod,
  isActive,
  isReady,
  ownedOf,
  ownerKey,
  podOf,
  report,
} from "./workloads.ts";

const jobs = known("jobs", "batch");

/** Rule of a podFailurePolicy; rules on exit codes are not modelled. */
interface FailureRule {
  action: "FailJob" | "FailIndex" | "Ignore" | "Count";
  onPodConditions?: { type: string; status?: string }[];
}

interface Job extends Workload {
  spec: Workload["spec"] & {
    completions?: number;
    parallelism?: number;
    backoffLimit?: number;
    suspend?: boolean;
    podFailurePolicy?: { rules: FailureRule[] };
  };
  status?: {
    startTime?: string;
    succeeded?: number;
    failed?: number;
    conditions?: Condition[];
  };
}

/** Retries of a Job that does not say (API reference, JobSpec). */
const BACKOFF_LIMIT = 6;

/** Builds a job's pod; its name and labels are those of k8s pkg/controller/job. */
function podFor(job: Job): ReturnType<typeof podOf> {
  const { name, uid } = job.metadata;
  const labels = { "batch.kubernetes.io/job-name": name, "batch.kubernetes.io/controller-uid": uid, "job-name": name };
  const pod = podOf(job, { generateName: `${name}-` });
  return { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...labels } } };
}

const hasSucceeded = ({ status }: Pod): boolean => status?.phase === "Succeeded";

/** A pod that was deleted before it succeeded has failed (k8s pkg/controller/job isPodFailed). */
const hasFailed = ({ status, metadata }: Pod): boolean =>
  status?.phase === "Failed" || (metadata.deletionTimestamp !== undefined && status?.phase !== "Succeeded");

/** The number of successes that a Job wants: one if it says neither that nor how many pods run (API defaults). */
const completionsOf = ({ spec: { completions, parallelism } }: Job): number | undefined =>
  completions ?? (parallelism === undefined ? 1 : undefined);

/** Finds the action of the first rule that a failed pod's conditions match (matchPodFailurePolicy). */
function actionOn({ spec }: Job, pod: Pod): FailureRule["action"] {
  const matches = ({ onPodConditions = [] }: FailureRule): boolean =>
    onPodConditions.some(({ type, status = "True" }) =>
      (pod.status?.conditions ?? []).some((one) => one.type === type && one.status === status),
    );
  return spec.podFailurePolicy?.rules.find(matches)?.action ?? "Count";
}

/**
 * Judges a Job by its pods that failed since the last time.
 * @returns the number of failures, and the reason of the condition with which the Job has failed, if it has
 */
function failuresOf(job: Job, fresh: readonly Pod[]) {
  const { backoffLimit = BACKOFF_LIMIT, suspend } = job.spec;
  // Pods that end because the Job is suspended are no failures.
  const counted = suspend ? [] : fresh.map((pod) => actionOn(job, pod)).filter((action) => action !== "Ignore");
  const count = (job.status?.failed ?? 0) + counted.length;
  if (counted.includes("FailJob")) return { count, why: "PodFailurePolicy" };
  return { count, why: count > backoffLimit ? "BackoffLimitExceeded" : null };
}

const hasEnded = ({ status }: Job): boolean => ["Complete", "Failed"].some((type) => isTrue(status?.conditions, type));

/**
 * Runs a Job's pods until enough have succeeded. A pod that fails or is deleted is replaced at once, and its work begins
 * anew, until the Job has no retry left; then its other pods end too (k8s pkg/controller/job syncJob). The delay between
 * retries, indexes, exit codes and deadlines are not modelled.
 */
export function jobKeeper(cluster: Cluster): Controller {
  const { simulation } = cluster;
  const conditionsOf = (types: readonly string[], reason: string): Condition[] => {
    const since = { lastTransitionTime: timestamp(simulation.clock.now()) };
    return types.map((type) => ({ type, status: "True", reason, ...since }));
  };
  const endAll = (job: Job, active: readonly Pod[]): void => {
    for (const pod of active) deletePod(cluster, job, pod);
  };
  /** Pods of a Job without a number of completions go on after the first success, and are not replaced (manageJob). */
  const wantedOf = (job: Job, succeeded: number, active: number): number => {
    const { parallelism = 1 } = job.spec;
    const completions = completionsOf(job);
    if (completions === undefined) return succeeded > 0 ? active : parallelism;
    return Math.min(parallelism, completions - succeeded);
  };
  const endOf = (job: Job, why: string | null, succeeded: number, active: number): Condition[] => {
    if (why !== null) return conditionsOf(["FailureTarget", "Failed"], why);
    const completions = completionsOf(job);
    const isDone = completions === undefined ? succeeded > 0 && active === 0 : succeeded >= completions;
    return isDone ? conditionsOf(["SuccessCriteriaMet", "Complete"], "CompletionsReached") : [];
  };
  /** Failed pods that the status of their Job contains, by the Job's uid; a real controller takes their finalizer. */
  const counted = new Map<string, ReadonlySet<string>>();
  /** Finds the pods that failed since the last time; after a restart of the simulator, the status contains those that exist. */
  const freshlyFailed = ({ metadata: { uid }, status }: Job, own: readonly Pod[]): Pod[] => {
    const failed = own.filter(hasFailed);
    const known = counted.get(uid) ?? (status?.failed === undefined ? new Set() : undefined);
    counted.set(uid, new Set(failed.map(({ metadata }) => metadata.uid)));
    return known ? failed.filter(({ metadata }) => !known.has(metadata.uid)) : [];
  };
  return {
    name: "jobs",
    type: jobs,
    concerns: ownerKey("Job", pods),
    reconcile: (key) => {
      const job = activeWorkload(cluster, jobs, key) as Job | undefined;
      if (!job || hasEnded(job)) return undefined;
      const own = (): Pod[] => ownedOf<Pod>(cluster, pods, job);
      const before = own();
      const active = before.filter(isActive);
      const succeeded = before.filter(hasSucceeded).length;
      const { count, why } = failuresOf(job, freshlyFailed(job, before));
      const isStopped = why !== null || job.spec.suspend === true;
      if (isStopped) endAll(job, active);
      const wanted = isStopped ? 0 : wantedOf(job, succeeded, active.length);
      for (let at = active.length; at < wanted; at += 1) createPod(cluster, job, podFor(job));
      report(cluster, jobs, job, {
        startTime: job.status?.startTime ?? timestamp(simulation.clock.now()),
        active: own().filter(isActive).length,
        ready: own().filter(isReady).length,
        succeeded,
        failed: count,
        conditions: endOf(job, why, succeeded, active.length),
      });
      return undefined;
    },
  };
}

import type { V1Pod } from "@kubernetes/client-node";
import type { DrainRefusal } from "../../messages/node/drain.ts";
import { isAtWork, type JobState, jobKey, noOtherPod, workingPods } from "./jobs.ts";
import {
  controllerOf,
  daemonSetOf,
  emptyDirsOf,
  isFinished,
  isMirror,
  isProbe,
  isTerminating,
  overdueMs,
  podName,
  uncertainOwner,
} from "./pods.ts";

// Decisions and their order follow kubectl 1.36's pkg/drain/filters.go; unlike kubectl, every remark is kept.

/** Options of a drain, which a person chooses before it begins. */
export interface DrainOptions {
  /** Also evicts pods that nothing recreates, and pods whose DaemonSet is gone. It never overrides a budget. */
  readonly force: boolean;
  /** Also evicts pods with emptyDir volumes, whose data is lost. */
  readonly deleteEmptyDir: boolean;
  /** Grace period of each pod in seconds; null or a negative number for the pod's own. */
  readonly graceSeconds: number | null;
  /**
   * Seconds after the end of a terminating pod's grace period from which on the drain does not wait for it; 0 waits for
   * every pod.
   */
  readonly skipAfterSeconds: number;
  /** The only pods that `skipAfterSeconds` means, as "shop/web-0"; without it, it means every pod. */
  readonly skips?: readonly string[];
  /** Kinds of owners that create another pod in place of an evicted one, beside Kubernetes' own. */
  readonly recreating?: readonly string[];
}

/** Did a person decide that the drain no longer waits for pods whose containers do not end? */
export const hasSkipped = ({ skips = [] }: Pick<DrainOptions, "skips">): boolean => skips.length > 0;

/** State of a DaemonSet in the cluster; an error other than 404 is never taken for its absence. */
export type DaemonSetState = "exists" | "absent" | { readonly unreadable: string };

/** States of the owners of pods that decide on their own whether an evicted pod comes back. */
export interface OwnerStates {
  /** By `daemonSetKey`. */
  readonly daemonSets: ReadonlyMap<string, DaemonSetState>;
  /** By `jobKey`. */
  readonly jobs: ReadonlyMap<string, JobState>;
}

/** A remark on one pod. */
export interface Remark {
  /** "shop/web-0" */
  readonly pod: string;
  readonly reason: DrainRefusal["reason"];
  /** The owner, the volumes, or the API server's words; empty if there is nothing to name. */
  readonly detail: string;
}

/** The pods of a node, sorted by what the drain does with them. */
export interface SortedPods {
  readonly evict: readonly V1Pod[];
  /** Pods that the drain neither evicts nor waits for. */
  readonly stay: readonly V1Pod[];
  /** Losses that the options allow, and pods that stay; every remark, not only the last one about each pod. */
  readonly warnings: readonly Remark[];
  /** Losses that the options do not allow; if there is one, the drain evicts no pod. */
  readonly refusals: readonly Remark[];
}

/** Result of one filter; `stay` ends the judgement of the pod. */
interface Verdict {
  readonly stay?: true;
  readonly warning?: Omit<Remark, "pod">;
  readonly refusal?: Omit<Remark, "pod">;
}

/** Facts that the filters need besides the pod. */
interface Given extends OwnerStates {
  readonly options: DrainOptions;
  readonly now: number;
  /** Number of the pods of each Job that leave together, by `jobKey`. */
  readonly working: ReadonlyMap<string, number>;
}

/** The key of a pod's DaemonSet in `daemonSets`: its namespace and name. */
export const daemonSetKey = (pod: V1Pod): string | undefined => {
  const name = daemonSetOf(pod);
  return name === undefined ? undefined : `${pod.metadata?.namespace}/${name}`;
};

const pass: Verdict = {};

/**
 * A pod whose containers have ended and that was deleted has nothing left to lose or to wait for; its finalizer keeps the
 * object until its owner removes it.
 */
function keptByFinalizer(pod: V1Pod): Verdict {
  const finalizers = pod.metadata?.finalizers ?? [];
  if (!isFinished(pod) || !isTerminating(pod) || finalizers.length === 0) return pass;
  return { stay: true, warning: { reason: "kept-by-finalizer", detail: finalizers.join(", ") } };
}

function tooLongTerminating(pod: V1Pod, { options, now }: Given): Verdict {
  const { skipAfterSeconds: limit, skips } = options;
  if (skips && !skips.includes(podName(pod))) return pass;
  const seconds = Math.floor(overdueMs(pod, now) / 1_000);
  return limit > 0 && isTerminating(pod) && seconds > limit ? { stay: true } : pass;
}

function ofDaemonSet(pod: V1Pod, { options, daemonSets }: Given): Verdict {
  const key = daemonSetKey(pod);
  if (key === undefined || isFinished(pod)) return pass;
  const state = daemonSets.get(key) ?? { unreadable: "it was not looked up" };
  if (state === "exists") return { stay: true, warning: { reason: "daemonset-managed", detail: key } };
  if (state !== "absent") return { refusal: { reason: "daemonset-unreadable", detail: `${key}: ${state.unreadable}` } };
  const remark = { reason: "daemonset-orphaned", detail: key } as const;
  return options.force ? { warning: remark } : { refusal: remark };
}

/** Casement's own probes end without an eviction. They are in its own namespace, where nobody else creates pods. */
const probe = (pod: V1Pod): Verdict => (isProbe(pod) ? { stay: true } : pass);

const mirror = (pod: V1Pod): Verdict => (isMirror(pod) ? { stay: true } : pass);

function localData(pod: V1Pod, { options }: Given): Verdict {
  const volumes = emptyDirsOf(pod);
  if (volumes.length === 0 || isFinished(pod)) return pass;
  const remark = { reason: "empty-dir", detail: volumes.join(", ") } as const;
  return options.deleteEmptyDir ? { warning: remark } : { refusal: remark };
}

function unmanaged(pod: V1Pod, { options }: Given): Verdict {
  if (controllerOf(pod) || isFinished(pod)) return pass;
  const remark = { reason: "unmanaged", detail: "" } as const;
  return options.force ? { warning: remark } : { refusal: remark };
}

/** kubectl takes any controller for one that recreates its pods; the work of a workflow or of a runner would be lost. */
function ofUncertainOwner(pod: V1Pod, { options }: Given): Verdict {
  const owner = uncertainOwner(pod, options.recreating);
  if (owner === undefined) return pass;
  const remark = { reason: "uncertain-owner", detail: owner } as const;
  return options.force ? { warning: remark } : { refusal: remark };
}

/** A Job counts each evicted pod as a failure, and has only so many retries. */
function ofJob(pod: V1Pod, { options, jobs, working }: Given): Verdict {
  const key = jobKey(pod);
  const state = key === undefined ? undefined : jobs.get(key);
  if (key === undefined || state === undefined || !isAtWork(pod)) return pass;
  if (typeof state === "object" && "unreadable" in state)
    return { warning: { reason: "job-unreadable", detail: `${key}: ${state.unreadable}` } };
  const why = noOtherPod(state, pod, working.get(key) ?? 1);
  if (why === undefined) return pass;
  const remark = { reason: "uncertain-owner", detail: `Job/${controllerOf(pod)?.name}: ${why}` } as const;
  return options.force ? { warning: remark } : { refusal: remark };
}

/**
 * Filters in kubectl's order, after those for pods that only a finalizer keeps and for Casement's own probes. The first that returns `stay` ends the
 * judgement.
 */
const filters = [
  keptByFinalizer,
  tooLongTerminating,
  probe,
  ofDaemonSet,
  mirror,
  localData,
  unmanaged,
  ofUncertainOwner,
  ofJob,
] as const;

function verdictsOn(pod: V1Pod, given: Given): Verdict[] {
  const verdicts: Verdict[] = [];
  for (const filter of filters) {
    const verdict = filter(pod, given);
    verdicts.push(verdict);
    if (verdict.stay) break;
  }
  return verdicts;
}

/**
 * Sorts the pods of a node into those that are evicted, those that stay, and those that stop the drain.
 * @param owners states of their DaemonSets and Jobs; a pod whose Job is not among them is taken to be recreated
 * @param now milliseconds since the epoch
 */
export function judgePods(pods: readonly V1Pod[], options: DrainOptions, owners: OwnerStates, now: number): SortedPods {
  const given = { options, ...owners, now, working: workingPods(pods) };
  const judged = pods.map((pod) => ({ pod, verdicts: verdictsOn(pod, given) }));
  const remarks = (kind: "warning" | "refusal"): Remark[] =>
    judged.flatMap(({ pod, verdicts }) =>
      verdicts.flatMap((verdict) => (verdict[kind] ? [{ pod: podName(pod), ...verdict[kind] }] : [])),
    );
  const stays = (verdicts: readonly Verdict[]): boolean => verdicts.some(({ stay }) => stay === true);
  return {
    evict: judged.filter(({ verdicts }) => !stays(verdicts)).map(({ pod }) => pod),
    stay: judged.filter(({ verdicts }) => stays(verdicts)).map(({ pod }) => pod),
    warnings: remarks("warning"),
    refusals: remarks("refusal"),
  };
}

/**
 * The grace period of an eviction; without the field, the pod's own applies.
 * @returns "refused" for 0 without force. With force, 0 becomes one second, so that no two pods of one name run at the
 * same time (as in Karpenter)
 */
export function graceOf({ graceSeconds, force }: DrainOptions): { readonly gracePeriodSeconds?: number } | "refused" {
  if (graceSeconds === null || graceSeconds < 0) return {};
  if (graceSeconds === 0 && !force) return "refused";
  return { gracePeriodSeconds: Math.max(1, graceSeconds) };
}

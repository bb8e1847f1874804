import type { V1Node, V1Pod, V1PodDisruptionBudget } from "@kubernetes/client-node";
import type { EmptyingOutlook, NodePlan } from "../../messages/plan/plan.ts";
import { counted } from "../../messages/slack/text.ts";
import { movedPods } from "../cluster/node-facts.ts";
import { type StepContext, timestamp } from "../context.ts";
import { drainReads, type PodsSeen } from "../drain/drain-reads.ts";
import type { DrainOptions, Remark } from "../drain/filters.ts";
import { daemonSetOf, expendableDirsOf, isFinished, isMirror, isTerminating, podName } from "../drain/pods.ts";
import { preflight } from "../drain/preflight.ts";
import { newDrain } from "../drain/schedule.ts";
import { clusterState } from "./cluster-state.ts";
import { loneWorkloads } from "./lone-workloads.ts";
import { blockersOf, longJobsOf, minutesFor, unreadHoldsOf } from "./obstacles.ts";
import { placementsOf, recreatedOf } from "./placement.ts";
import { releaseOf } from "./release.ts";

/** The node to plan for, and the facts that its operation knows. */
export interface PlanSubject
  extends Pick<NodePlan, "pool" | "away" | "maxUnavailable" | "waitsForSlot" | "others" | "mostMinutes"> {
  readonly node: V1Node;
  /** All nodes of the cluster. */
  readonly nodes: readonly V1Node[];
  readonly options: DrainOptions;
  /** Seconds for connections to close before the first eviction. */
  readonly connectionSeconds: number;
  /** Names of other facts that could not be read. */
  readonly unread: readonly string[];
}

/** The node to empty, and how. */
type OutlookSubject = Pick<PlanSubject, "node" | "nodes" | "options" | "connectionSeconds">;

const detailsOf = (remarks: readonly Remark[], reason: Remark["reason"]): Remark[] =>
  remarks.filter((remark) => remark.reason === reason);

/** Names the Jobs that could not be read: their pods are taken to be recreated. */
function unreadJobs({ warnings }: PodsSeen): string[] {
  const unread = detailsOf(warnings, "job-unreadable");
  const [first] = unread;
  return first
    ? [`the ${unread.length === 1 ? "Job" : "Jobs"} of ${counted(unread.length, "pod")} (${first.detail})`]
    : [];
}

/** Names the pods whose owners may not create others, or are gone, whether the options allow that or not. */
function uncertainIn({ warnings, refusals }: PodsSeen): ReadonlySet<string> {
  const all = [...warnings, ...refusals];
  const uncertain = [...detailsOf(all, "uncertain-owner"), ...detailsOf(all, "daemonset-orphaned")];
  return new Set(uncertain.map(({ pod }) => pod));
}

/** Pods that stay because they end by themselves, or do not end: kubectl shows them as Terminating. */
const isEnding = (pod: V1Pod): boolean => isTerminating(pod) && daemonSetOf(pod) === undefined && !isMirror(pod);

const expendableIn = (leaving: readonly V1Pod[]): string[] =>
  leaving.flatMap((pod) => {
    const volumes = expendableDirsOf(pod);
    return volumes.length > 0 ? [`${podName(pod)} (${volumes.join(", ")})`] : [];
  });

/** Forecasts the effect of emptying a node. */
export const plan = (context: StepContext) => {
  const reads = drainReads(context);
  const stateOfCluster = clusterState(context);
  const evictions = preflight(context);

  /** Lists the obstacles to the evictions now. */
  const holdingUp = async (evict: readonly V1Pod[], budgets: readonly V1PodDisruptionBudget[] | null) => {
    const { answers, untried } = await evictions.try(evict);
    const unreadHolds = unreadHoldsOf(evict);
    return {
      blockers: blockersOf(evict, budgets ?? [], answers),
      longJobs: longJobsOf(evict, context.now()),
      ...(unreadHolds.length > 0 ? { unreadHolds } : {}),
      untried,
    };
  };

  /**
   * Reads pods, budgets and free resources, tries each eviction as a dry run, and forecasts the effect of emptying a node;
   * changes nothing.
   * @throws a busy server's error, because a plan with missing facts is of no use
   */
  const outlook = async ({ node, nodes, options, connectionSeconds }: OutlookSubject): Promise<EmptyingOutlook> => {
    const seen = await reads.pods(node.metadata?.name ?? "", options, newDrain);
    const { evict, stay, refusals } = seen;
    const leaving = evict.filter((pod) => !isFinished(pod));
    const { cluster, unread } = await stateOfCluster(leaving, nodes);
    const budgets = await reads.budgets();
    const lone = budgets === null ? [] : loneWorkloads(leaving, cluster.pods, budgets);
    const expendable = expendableIn(leaving);
    const pods = movedPods(evict, uncertainIn(seen));
    const terminating = stay.filter(isEnding).map(podName);
    return {
      ...(lone.length > 0 ? { lone } : {}),
      ...(expendable.length > 0 ? { expendable } : {}),
      ...(terminating.length > 0 ? { terminating } : {}),
      ...(await holdingUp(evict, budgets)),
      release: releaseOf(node),
      pods,
      staying: stay.length - terminating.length,
      refusals,
      placements: placementsOf(recreatedOf(leaving, pods), node, cluster),
      unread: [...unreadJobs(seen), ...unread, ...(budgets === null ? ["disruption budgets"] : [])],
      minutes: minutesFor(leaving, budgets ?? [], connectionSeconds),
      at: timestamp(context),
    };
  };

  return {
    outlook,

    /**
     * Forecasts a drain of the node as `outlook` does, and adds the facts that its operation knows.
     * @throws a busy server's error
     */
    of: async ({ node, nodes, options, connectionSeconds, unread, ...known }: PlanSubject): Promise<NodePlan> => {
      const seen = await outlook({ node, nodes, options, connectionSeconds });
      return { ...known, ...seen, node: node.metadata?.name ?? "", unread: [...unread, ...seen.unread] };
    },
  };
};

import type { V1Node, V1Pod, V1PodDisruptionBudget } from "@kubernetes/client-node";
import type { EvictionObstacles, NodePlan } from "../../messages/plan/plan.ts";
import { movedPods } from "../cluster/node-facts.ts";
import { type StepContext, timestamp } from "../context.ts";
import type { DrainOptions } from "../drain/filters.ts";
import { looking } from "../drain/look.ts";
import { expendableDirsOf, isFinished, podName } from "../drain/pods.ts";
import { preflight } from "../drain/preflight.ts";
import { newDrain } from "../drain/schedule.ts";
import { clusterState } from "./cluster-state.ts";
import { loneWorkloads } from "./lone-workloads.ts";
import { blockersOf, longJobsOf, minutesFor } from "./obstacles.ts";
import { placementsOf } from "./placement.ts";
import { releaseOf } from "./release.ts";

/** The node to plan for, and the facts that its operation knows. */
export interface PlanSubject extends Pick<NodePlan, "pool" | "away" | "maxUnavailable" | "others" | "mostMinutes"> {
  readonly node: V1Node;
  /** All nodes of the cluster. */
  readonly nodes: readonly V1Node[];
  readonly options: DrainOptions;
  /** Seconds for connections to close before the first eviction. */
  readonly connectionSeconds: number;
  /** Names of other facts that could not be read. */
  readonly unread: readonly string[];
}

/** Forecasts the effect of emptying a node. */
export const plan = (context: StepContext) => {
  const look = looking(context);
  const stateOfCluster = clusterState(context);
  const evictions = preflight(context);

  /** Lists the obstacles to the evictions now. */
  const holdingUp = async (evict: readonly V1Pod[], budgets: readonly V1PodDisruptionBudget[] | null) => {
    const { answers, untried } = await evictions.try(evict);
    return { blockers: blockersOf(evict, budgets ?? [], answers), longJobs: longJobsOf(evict, context.now()), untried };
  };

  return {
    /**
     * Tries each eviction as a dry run and lists the obstacles to emptying a node; changes nothing.
     * @throws a busy server's error
     */
    blocking: async (node: string, options: DrainOptions): Promise<EvictionObstacles> => {
      const { evict } = await look.pods(node, options, newDrain);
      return holdingUp(evict, await look.budgets());
    },

    /**
     * Reads pods, budgets and free resources, tries each eviction as a dry run, and forecasts a drain of the node;
     * changes nothing.
     * @throws a busy server's error, because a plan with missing facts is of no use
     */
    of: async ({
      node,
      nodes,
      options,
      connectionSeconds,
      unread: before,
      ...known
    }: PlanSubject): Promise<NodePlan> => {
      const { evict, stay, refusals } = await look.pods(node.metadata?.name ?? "", options, newDrain);
      const leaving = evict.filter((pod) => !isFinished(pod));
      const { cluster, unread } = await stateOfCluster(leaving, nodes);
      const budgets = await look.budgets();
      const lone = budgets === null ? [] : loneWorkloads(leaving, cluster.pods, budgets);
      const expendable = leaving.flatMap((pod) => {
        const volumes = expendableDirsOf(pod);
        return volumes.length > 0 ? [`${podName(pod)} (${volumes.join(", ")})`] : [];
      });
      return {
        ...known,
        ...(lone.length > 0 ? { lone } : {}),
        ...(expendable.length > 0 ? { expendable } : {}),
        ...(await holdingUp(evict, budgets)),
        node: node.metadata?.name ?? "",
        release: releaseOf(node),
        pods: movedPods(evict, options.recreating),
        staying: stay.length,
        refusals,
        placements: placementsOf(leaving, node, cluster),
        unread: [...before, ...unread, ...(budgets === null ? ["disruption budgets"] : [])],
        minutes: minutesFor(leaving, budgets ?? [], connectionSeconds),
        at: timestamp(context),
      };
    },
  };
};

import { hostNames } from "../../../commands/node-matches.ts";
import type { RolloutCommand } from "../../../commands/request.ts";
import type { AwayNode, LoneWorkload } from "../../../messages/plan/plan.ts";
import type { WorkloadLoss } from "../../../messages/plan/workload-losses.ts";

/** A node of a rollout, with the effects on it. */
export interface PlannedNode {
  readonly name: string;
  readonly uid: string;
  readonly instanceId: string;
  /** `status.nodeInfo.bootID`; null if the kubelet reports none. */
  readonly bootId: string | null;
  readonly pool: string | null;
  /** Reasons why its Windows waits for a reboot, in words; left out unless the request has `--due`. */
  readonly due?: string;
  /** The node is NotReady, so its reboot takes nothing out of service. */
  readonly isAway: boolean;
  /** The agent is silent, so EC2 reboots the machine. */
  readonly throughEc2: boolean;
  /** Set if EC2 reboots the machine, and its agent stays silent for want of an instance profile. */
  readonly lacksProfile?: true;
  /** Number of pods that would be evicted. */
  readonly pods: number;
  /** Expected minutes of its drain. */
  readonly minutes: number;
  /** Classes of losses. */
  readonly losses: readonly string[];
  /** Marks of its workloads' losses; missing if there are none, and in plans of the last release. */
  readonly lossMarks?: readonly string[];
  /** Losses by workload; missing if there are none. */
  readonly lost?: readonly WorkloadLoss[];
  /** Classes of obstacles to its evictions now. */
  readonly blockers: readonly string[];
  /** Disruption budgets that block now, by name. */
  readonly budgets: readonly string[];
  /** Disruption budgets that never allow an eviction, by name; missing if there are none. */
  readonly forever?: readonly string[];
  /** Workloads that are wholly on the node, and that no budget guards; missing if there are none. */
  readonly lone?: readonly LoneWorkload[];
  /** Other nodes of its pool that are out of service; missing if there are none. */
  readonly away?: readonly AwayNode[];
  /** Set if those take all slots of the pool. */
  readonly waitsForSlot?: true;
}

/** A node that was requested, but is not rebooted. */
export interface LeftOut {
  readonly name: string;
  /** Reason in words. */
  readonly why: string;
  /** Losses that keep it out, and that `--force` accepts; missing if it is left out for another reason. */
  readonly lost?: readonly WorkloadLoss[];
}

/** Plan that is shown before a rollout. */
export interface RolloutPlan {
  /** Work on each node. */
  readonly command: RolloutCommand;
  /** The pool, or the first of several. */
  readonly pool: string | null;
  /** All pools of its nodes, if there are several. */
  readonly pools?: readonly (string | null)[];
  /** Nodes are chosen because their Windows waits for a reboot. */
  readonly due?: true;
  /** In the order in which they are begun. */
  readonly nodes: readonly PlannedNode[];
  readonly leftOut: readonly LeftOut[];
  /** Most nodes that are out of service at a time. */
  readonly most: number;
  /** The option `--max`; null to use only the pool's own limit. */
  readonly max: number | null;
  readonly canary: boolean;
  /** The losses are accepted. */
  readonly isForced?: true;
  /** The command that also reboots nodes that are left out for their losses, in a code span; missing if there are none. */
  readonly forced?: string;
}

/** Left-out nodes with the names by which the same message calls them. @param short shortens a node's name */
export const leftOutBy = (leftOut: readonly LeftOut[], short: (name: string) => string): LeftOut[] =>
  leftOut.map((one) => ({ ...one, name: short(one.name), why: one.why.replaceAll(one.name, short(one.name)) }));

/** The plan with the host names of its nodes, which fit a phone. */
export function withHostNames(plan: RolloutPlan): RolloutPlan {
  const { nodes, leftOut } = plan;
  const awayFrom = ({ away = [] }: PlannedNode): readonly AwayNode[] => away;
  const named = [...nodes, ...leftOut].map(({ name }) => name);
  const short = hostNames([...named, ...nodes.flatMap(awayFrom).map(({ node }) => node)]);
  return {
    ...plan,
    nodes: nodes.map((node) => ({
      ...node,
      name: short(node.name),
      away: awayFrom(node).map((one) => ({ ...one, node: short(one.node) })),
    })),
    leftOut: leftOutBy(leftOut, short),
  };
}

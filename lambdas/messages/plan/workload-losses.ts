import { code, counted, plain, some } from "../slack/text.ts";
import { losesSomething, type MovedPod } from "./moved-pods.ts";

/** Pods of one workload that a drain of their node loses, or whose data it loses. */
export interface WorkloadLoss {
  /** "shop/ReplicaSet reports-5d9f"; "shop/debug" for a pod that nothing recreates. */
  readonly workload: string;
  /** The loss, as a clause: "loses emptyDir scratch". */
  readonly what: string;
  readonly pods: number;
}

/** The losses on one node. */
export interface NodeLosses {
  readonly name: string;
  readonly lost?: readonly WorkloadLoss[];
}

/** Workloads that a list names; the rest is counted. */
const MOST_WORKLOADS = 20;

/** Nodes that a workload's line names; the rest is counted. */
const MOST_NODES = 5;

const workloadOf = ({ namespace, name, owner }: MovedPod): string => `${namespace}/${owner ?? name}`;

const lossOf = ({ owner, isUncertain, localData }: MovedPod): string =>
  [
    ...(owner === null ? ["is not recreated"] : []),
    ...(isUncertain ? ["may not be recreated"] : []),
    ...(localData.length > 0 ? [`loses ${localData.join(", ")}`] : []),
  ].join(" and ");

/** Groups the pods of a node that lose something by their workload and their loss. */
export function lossesByWorkload(pods: readonly MovedPod[]): WorkloadLoss[] {
  const groups = Map.groupBy(pods.filter(losesSomething), (pod) => JSON.stringify([workloadOf(pod), lossOf(pod)]));
  return [...groups.values()].flatMap(([first, ...rest]) =>
    first ? [{ workload: workloadOf(first), what: lossOf(first), pods: 1 + rest.length }] : [],
  );
}

/** Describes the losses on several nodes, one line for each workload and loss, those of most pods first. */
export function lossLines(nodes: readonly NodeLosses[]): string[] {
  const all = nodes.flatMap(({ name, lost = [] }) => lost.map((loss) => ({ ...loss, node: name })));
  const groups = [...Map.groupBy(all, ({ workload, what }) => JSON.stringify([workload, what])).values()];
  const lines = groups.flatMap((losses) => {
    const [first] = losses;
    if (!first) return [];
    const pods = losses.reduce((sum, one) => sum + one.pods, 0);
    const on = some(
      losses.map(({ node }) => code(node)),
      MOST_NODES,
    );
    return [{ pods, line: `${code(first.workload)} ${plain(first.what, 150)} (${counted(pods, "pod")} on ${on})` }];
  });
  const sorted = lines.sort((one, other) => other.pods - one.pods).map(({ line }) => line);
  const rest = sorted.length - MOST_WORKLOADS;
  return rest > 0 ? [...sorted.slice(0, MOST_WORKLOADS), `${rest} more workloads`] : sorted;
}

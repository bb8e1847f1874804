import type { V1Pod, V1PodDisruptionBudget } from "@kubernetes/client-node";
import type { Blocker, LongJob } from "../../messages/plan/plan.ts";
import { type BudgetBlock, claimOf } from "../drain/budgets.ts";
import { holdOn, podName } from "../drain/pods.ts";

const budgetsIn = (block: BudgetBlock): readonly string[] =>
  block.kind === "several" ? block.budgets : [block.budget];

/** The block in the words of the API server, which answers the eviction with them. */
function words(block: BudgetBlock): string {
  if (block.kind === "used-up")
    return block.wantsAlwaysAllow
      ? `needs ${block.needs} healthy pods and has ${block.has}; with unhealthyPodEvictionPolicy AlwaysAllow it would let them go`
      : `needs ${block.needs} healthy pods and has ${block.has} currently`;
  if (block.kind === "uncomputable") return `cannot be computed: ${block.why}`;
  return block.kind === "processing" ? "is still being processed by the server" : "several budgets select the pod";
}

const isForever = (block: BudgetBlock): boolean =>
  block.kind === "several" || block.kind === "uncomputable" || (block.kind === "used-up" && block.isForever);

/**
 * Budgets that allow no eviction of these pods now, each with the pods that it holds. A budget that allows one after the
 * other holds none: the drain waits for its turn.
 */
export function blockersOf(pods: readonly V1Pod[], budgets: readonly V1PodDisruptionBudget[]): Blocker[] {
  const blocked = pods.flatMap((pod) => {
    const claim = claimOf(pod, budgets);
    return claim.kind === "blocked" ? [{ pod: podName(pod), block: claim.block }] : [];
  });
  const groups = Map.groupBy(blocked, ({ block }) => JSON.stringify([block.kind, budgetsIn(block)]));
  return [...groups.values()].flatMap(([first, ...rest]) =>
    first
      ? [
          {
            budgets: budgetsIn(first.block),
            pods: [first, ...rest].map(({ pod }) => pod),
            why: words(first.block),
            isForever: isForever(first.block),
          },
        ]
      : [],
  );
}

/** Pods whose owners ask that they are not interrupted. */
export const longJobsOf = (pods: readonly V1Pod[]): LongJob[] =>
  pods.flatMap((pod) => {
    const annotation = holdOn(pod);
    const startedAt = pod.status?.startTime;
    if (annotation === undefined) return [];
    return [{ pod: podName(pod), annotation, startedAt: startedAt ? new Date(startedAt).toISOString() : null }];
  });

/** Seconds that a pod has for its end where it does not say (Kubernetes' default). */
const GRACE = 30;

/** Pods that leave at the same time at most. */
const AT_ONCE = 10;

/** Minutes that the eviction of these pods should take, if budgets and long jobs hold nothing up; one at least. */
export function minutesFor(pods: readonly V1Pod[]): number {
  const graces = pods.map(({ spec }) => spec?.terminationGracePeriodSeconds ?? GRACE);
  const longest = Math.max(0, ...graces);
  const inTurn = graces.reduce((sum, each) => sum + each, 0) / AT_ONCE;
  return Math.max(1, Math.ceil(Math.max(longest, inTurn) / 60));
}

import type { V1Pod, V1PodDisruptionBudget } from "@kubernetes/client-node";
import { selects } from "../cluster/label-selector.ts";
import { isFinished, isPodReady, isTerminating } from "./pods.ts";

// The pods that a budget guards, and the evictions that it allows, follow k8s
// pkg/registry/core/pod/storage/eviction.go.

/** Reason why a pod must not be evicted now. */
export type BudgetBlock =
  /** The budget's disruptions are used up. `isForever`: all its pods are healthy, and it needs each of them. */
  | {
      readonly kind: "used-up";
      readonly budget: string;
      readonly needs: number;
      readonly has: number;
      readonly isForever: boolean;
      /** None of the budget's pods is healthy, and its policy protects unready pods; AlwaysAllow would let them go. */
      readonly wantsAlwaysAllow: boolean;
    }
  /** The budget's controller has not processed it yet. */
  | { readonly kind: "processing"; readonly budget: string }
  /** The budget's controller cannot compute it: the owner of its pods has no scale. */
  | { readonly kind: "uncomputable"; readonly budget: string; readonly why: string }
  /** Several budgets guard the pod; the API server then refuses every eviction. */
  | { readonly kind: "several"; readonly budgets: readonly string[] };

/** Effect of a pod's eviction on its budget. */
export type BudgetClaim =
  | { readonly kind: "free" }
  | { readonly kind: "counted"; readonly budget: string; readonly allowed: number; readonly block: BudgetBlock }
  | { readonly kind: "blocked"; readonly block: BudgetBlock };

/** A budget's name in messages: "shop/web". */
export const budgetName = ({ metadata }: V1PodDisruptionBudget): string => `${metadata?.namespace}/${metadata?.name}`;

/** The budgets that guard a pod. */
export const budgetsOf = (
  { metadata }: V1Pod,
  budgets: readonly V1PodDisruptionBudget[],
): readonly V1PodDisruptionBudget[] =>
  budgets.filter(
    (budget) => budget.metadata?.namespace === metadata?.namespace && selects(budget.spec?.selector, metadata?.labels),
  );

/** May the pod be evicted regardless of its budgets (canIgnorePDB)? */
const isBudgetIgnored = (pod: V1Pod): boolean =>
  isFinished(pod) || pod.status?.phase === "Pending" || isTerminating(pod);

/** May this unready pod be evicted without using up a disruption? */
function isFreeUnready(pod: V1Pod, { spec, status }: V1PodDisruptionBudget): boolean {
  if (isPodReady(pod)) return false;
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

const failureOf = ({ status }: V1PodDisruptionBudget): string | undefined =>
  status?.conditions?.find(({ type, reason }) => type === "DisruptionAllowed" && reason === "SyncFailed")?.message;

const isStale = ({ metadata, status }: V1PodDisruptionBudget): boolean =>
  (status?.observedGeneration ?? 0) < (metadata?.generation ?? 1);

function usedUp(budget: V1PodDisruptionBudget): BudgetBlock {
  const { currentHealthy: has = 0, desiredHealthy: needs = 0, expectedPods = 0 } = budget.status ?? {};
  return {
    kind: "used-up",
    budget: budgetName(budget),
    needs,
    has,
    isForever: expectedPods > 0 && has >= expectedPods && needs >= expectedPods,
    wantsAlwaysAllow: has === 0 && expectedPods > 0 && budget.spec?.unhealthyPodEvictionPolicy !== "AlwaysAllow",
  };
}

/**
 * Computes what the eviction of a pod takes from its budget, as the API server does.
 * @param budgets all budgets of the cluster, or of the pod's namespace
 */
export function claimOf(pod: V1Pod, budgets: readonly V1PodDisruptionBudget[]): BudgetClaim {
  if (isBudgetIgnored(pod)) return { kind: "free" };
  const [budget, ...more] = budgetsOf(pod, budgets);
  if (!budget) return { kind: "free" };
  if (more.length > 0)
    return { kind: "blocked", block: { kind: "several", budgets: [budget, ...more].map(budgetName) } };
  if (isFreeUnready(pod, budget)) return { kind: "free" };
  const why = failureOf(budget);
  if (why !== undefined) return { kind: "blocked", block: { kind: "uncomputable", budget: budgetName(budget), why } };
  if (isStale(budget)) return { kind: "blocked", block: { kind: "processing", budget: budgetName(budget) } };
  const allowed = budget.status?.disruptionsAllowed ?? 0;
  const block = usedUp(budget);
  return allowed > 0 ? { kind: "counted", budget: budgetName(budget), allowed, block } : { kind: "blocked", block };
}

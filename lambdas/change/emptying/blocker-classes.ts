import type { EvictionObstacles } from "../../messages/plan/plan.ts";

/** A budget that blocks now and may give way: the drain waits for it. */
export const PASSING = "a disruption budget";

/**
 * Classes of what holds the drain up now: a budget that gives way is better, one that comes is worse. A budget that never allows
 * an eviction is of both classes of budgets, so that it is better once it only blocks for now.
 */
export const blockerClasses = ({ blockers, longJobs }: EvictionObstacles): string[] => [
  ...(blockers.some(({ budgets }) => budgets.length === 0) ? ["the API server's refusal of an eviction"] : []),
  ...(blockers.some(({ budgets }) => budgets.length > 0) ? [PASSING] : []),
  ...(blockers.some(({ isForever }) => isForever) ? ["a disruption budget that never allows an eviction"] : []),
  ...(longJobs.length > 0 ? ["a pod that must not be interrupted"] : []),
];

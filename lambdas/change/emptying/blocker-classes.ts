import type { EvictionObstacles } from "../../messages/plan/plan.ts";

/** A budget that blocks now and may give way: the drain waits for it. */
export const PASSING = "a disruption budget";

/**
 * Lists the classes of obstacles that block the drain now. A new class makes a plan worse, a missing one better. A
 * budget that never allows an eviction is in both classes of budgets, so that the plan gets better once it only blocks
 * for now.
 */
export const blockerClasses = ({ blockers, longJobs }: EvictionObstacles): string[] => [
  ...(blockers.some(({ budgets }) => budgets.length === 0) ? ["the API server's refusal of an eviction"] : []),
  ...(blockers.some(({ budgets }) => budgets.length > 0) ? [PASSING] : []),
  ...(blockers.some(({ isForever }) => isForever) ? ["a disruption budget that never allows an eviction"] : []),
  ...(longJobs.length > 0 ? ["a pod that must not be interrupted"] : []),
];

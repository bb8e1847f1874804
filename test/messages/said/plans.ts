import type { NodePlan } from "../../../lambdas/messages/plan/plan.ts";

/** A plan of a node on which nothing is in the way, with what a test cares for. */
export const nodePlan = (fields: Partial<NodePlan> = {}): NodePlan => ({
  node: "win-1",
  pool: "web",
  release: "Windows Server 2022",
  pods: [],
  staying: 0,
  refusals: [],
  blockers: [],
  longJobs: [],
  placements: [],
  away: [],
  maxUnavailable: 1,
  others: [],
  untried: null,
  unread: [],
  minutes: 12,
  mostMinutes: 15,
  at: "2026-11-21T14:10:00.000Z",
  ...fields,
});

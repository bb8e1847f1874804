import type { V1Pod, V1PodDisruptionBudget } from "@kubernetes/client-node";
import type { DrainRefusal, HoldUp } from "../../messages/node/drain.ts";
import type { StepContext } from "../context.ts";
import { type Meaning, meaningOf } from "./answers.ts";
import { budgetName, claimOf } from "./budgets.ts";
import type { DrainOptions } from "./filters.ts";
import { looking } from "./look.ts";
import { isTerminating, podName, uidOf } from "./pods.ts";
import { holdUpsOf } from "./report.ts";
import { AT_ONCE, hear, newDrain, nextRound } from "./schedule.ts";

/** A budget and the pods of the node that it guards: it lets go only so many at a time. */
export interface BudgetPlan {
  readonly budget: string;
  readonly allowed: number;
  /** Pods of the node that each need one disruption of it. */
  readonly pods: readonly string[];
}

/** Verdicts on a drain that has not begun: nothing was changed for them, and no budget was used. */
export interface Preflight {
  /** Pods that would be evicted. */
  readonly evict: readonly string[];
  readonly warnings: readonly DrainRefusal[];
  /** With one of them nothing would be evicted. */
  readonly refusals: readonly DrainRefusal[];
  /** Pods that could not leave now, and why. */
  readonly holdUps: readonly HoldUp[];
  /** Budgets whose pods leave one after another; a dry run judges each pod alone, so that it sees none of this. */
  readonly budgets: readonly BudgetPlan[];
}

/** Groups the pods that cost a disruption by their budget. */
function plansOf(pods: readonly V1Pod[], budgets: readonly V1PodDisruptionBudget[]): BudgetPlan[] {
  const guarded = pods.map((pod) => ({ pod: podName(pod), claim: claimOf(pod, budgets) }));
  return budgets.flatMap((budget) => {
    const name = budgetName(budget);
    const own = guarded.filter(({ claim }) =>
      claim.kind === "counted"
        ? claim.budget === name
        : claim.kind === "blocked" && "budget" in claim.block && claim.block.budget === name,
    );
    if (own.length === 0) return [];
    return [{ budget: name, allowed: budget.status?.disruptionsAllowed ?? 0, pods: own.map(({ pod }) => pod) }];
  });
}

/** Judging a drain before a person approves it. */
export const preflight = (context: StepContext) => {
  const { core } = context.clients.kubernetes;
  const look = looking(context);

  /** Sends the eviction as a dry run, by the query: webhooks do not see one in the body (`request.dryRun` is false then). */
  const tryOut = async ({ metadata }: V1Pod): Promise<Meaning> => {
    const { name = "", namespace = "" } = metadata ?? {};
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } };
    try {
      await core.createNamespacedPodEviction({ name, namespace, dryRun: "All", body });
      return { kind: "accepted" };
    } catch (error) {
      return meaningOf(error);
    }
  };

  return {
    /**
     * Judges each pod of a node and each of their budgets; changes nothing.
     * @throws a busy server's error
     */
    judge: async (node: string, options: DrainOptions): Promise<Preflight> => {
      const { evict, warnings, refusals } = await look.pods(node, options, newDrain);
      const budgets = await look.budgets();
      const queue = evict.filter((pod) => !isTerminating(pod));
      let state = newDrain;
      for (let from = 0; from < queue.length; from += AT_ONCE) {
        const some = queue.slice(from, from + AT_ONCE);
        const answers = await Promise.all(some.map(tryOut));
        for (const [index, pod] of some.entries()) {
          const meaning = answers[index];
          // What the lists say of a budget is more than the server's refusal, which names no other budget.
          const isKnown = budgets !== null && claimOf(pod, budgets).kind === "blocked";
          if (meaning && !isKnown) state = hear(state, { uid: uidOf(pod), budget: null, meaning }, context.now(), 0);
        }
      }
      const { waiting } = nextRound({
        node,
        pods: evict,
        budgets,
        state: { ...state, overload: null },
        now: context.now(),
      });
      const holdUps = holdUpsOf(waiting, budgets, context.now()).filter(({ kind }) => kind !== "turn");
      return { evict: evict.map(podName), warnings, refusals, holdUps, budgets: plansOf(queue, budgets ?? []) };
    },
  };
};

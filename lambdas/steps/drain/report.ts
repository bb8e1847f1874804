import type { V1Pod, V1PodDisruptionBudget } from "@kubernetes/client-node";
import type { HoldUp } from "../../messages/node/drain.ts";
import { type BudgetBlock, budgetName, budgetsOf } from "./budgets.ts";
import { claimNamesOf, isTerminating, podName } from "./pods.ts";
import type { EvictionRefusal, PodWait, WaitingPod } from "./schedule.ts";

type Cause = HoldUp extends infer H ? (H extends HoldUp ? Omit<H, "pod"> : never) : never;

function causeOfBlock(block: BudgetBlock, terminatingOf: (budget: string) => readonly string[]): Cause {
  if (block.kind === "used-up") return { ...block, kind: "budget", terminating: terminatingOf(block.budget) };
  return block.kind === "several" ? { kind: "several-budgets", budgets: block.budgets } : block;
}

function causeOfRefusal({ kind, by, words }: EvictionRefusal): Cause {
  if (kind === "namespace-ends") return { kind: "namespace" };
  if (kind === "several-budgets") return { kind: "several-budgets", budgets: [] };
  if (kind === "refused") return { kind: "refused", by: by ?? "request", why: words };
  return kind === "budget" ? { kind: "budget-says", why: words } : { kind: "unanswered", why: words };
}

function causeOf(why: PodWait, now: number, terminatingOf: (budget: string) => readonly string[]): Cause {
  switch (why.kind) {
    case "budget":
      return causeOfBlock(why.block, terminatingOf);
    case "refused":
      return causeOfRefusal(why.refusal);
    case "held":
      return { kind: "held", annotation: why.annotation, runningMs: why.since === null ? null : now - why.since };
    case "terminating":
      return why;
    case "overload":
      return { kind: "unanswered", why: why.words };
    default:
      return { kind: "turn" };
  }
}

/** Names what a pod that does not end keeps with it: its finalizers and the claims of its volumes. */
function keptWith(pod: V1Pod): Pick<Extract<HoldUp, { readonly kind: "terminating" }>, "finalizers" | "claims"> {
  const { finalizers = [] } = pod.metadata ?? {};
  const claims = claimNamesOf(pod);
  return { ...(finalizers.length > 0 ? { finalizers } : {}), ...(claims.length > 0 ? { claims } : {}) };
}

/**
 * Names the obstacle of each pod that is still on the node, for messages.
 * @param budgets the budgets of the cluster; null if they may not be read
 * @param now milliseconds since the epoch
 */
export function holdUpsOf(
  waiting: readonly WaitingPod[],
  budgets: readonly V1PodDisruptionBudget[] | null,
  now: number,
): HoldUp[] {
  const ending = waiting.filter(({ pod }) => isTerminating(pod)).map(({ pod }) => pod);
  const terminatingOf = (name: string): string[] =>
    ending.filter((pod) => budgetsOf(pod, budgets ?? []).some((budget) => budgetName(budget) === name)).map(podName);
  return waiting.map(
    ({ pod, why }) =>
      ({
        pod: podName(pod),
        ...causeOf(why, now, terminatingOf),
        ...(why.kind === "terminating" ? keptWith(pod) : {}),
      }) as HoldUp,
  );
}

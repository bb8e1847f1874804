import { isDeepStrictEqual } from "node:util";
import { timestamp } from "../model/object.ts";
import { known } from "../model/resources.ts";
import { type Budget, type Condition, conditionOf, isTrue, type Pod } from "../model/shapes.ts";
import { matchesSelector } from "../request/selectors.ts";
import { expectationOf } from "./budget-scale.ts";
import { clientLimit } from "./client-limit.ts";
import type { Cluster, Controller } from "./controller.ts";
import { keyOf } from "./controller.ts";
import { pods } from "./nodes.ts";

// k8s pkg/controller/disruption/disruption.go

const budgets = known("poddisruptionbudgets", "policy");

/** Time after which an eviction without a deletion is no longer counted (DeletionTimeout). */
const UNCONFIRMED = 2 * 60_000;

/** Time after which a budget that cannot be computed is tried again (the real wait doubles up to 1,000 s; assumed). */
const FAILED_AGAIN = 5 * 60_000;

const COMPONENT = "controllermanager";

function allowance(budget: Budget, allowed: number, now: string): Condition {
  const status = allowed > 0 ? "True" : "False";
  const before = conditionOf(budget.status?.conditions, "DisruptionAllowed");
  const since = before?.status === status ? before.lastTransitionTime : now;
  return {
    type: "DisruptionAllowed",
    status,
    reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
    message: "",
    observedGeneration: budget.metadata.generation ?? 1,
    ...(since ? { lastTransitionTime: since } : {}),
  };
}

/**
 * Marks a budget that cannot be computed: nothing is allowed, and the status keeps the generation that it was computed
 * for, if any (failSafe).
 */
function failed(budget: Budget, message: string, now: string): Budget {
  const before = conditionOf(budget.status?.conditions, "DisruptionAllowed");
  const since = before?.status === "False" ? before.lastTransitionTime : now;
  const condition: Condition = {
    type: "DisruptionAllowed",
    status: "False",
    reason: "SyncFailed",
    message,
    ...(since ? { lastTransitionTime: since } : {}),
    ...(budget.status?.observedGeneration ? { observedGeneration: budget.status.observedGeneration } : {}),
  };
  const counts = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  return { ...budget, status: { ...counts, ...budget.status, disruptionsAllowed: 0, conditions: [condition] } };
}

/** Writes a selector of labels as Go prints it. */
const printed = ({ spec }: Budget): string => {
  const labels = Object.entries(spec.selector?.matchLabels ?? {}).map(([key, value]) => `${key}: ${value},`);
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{},}`;
};

const unmanagedPods = (budget: Budget): string =>
  `Pods selected by this PodDisruptionBudget (selector: ${printed(budget)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;

/**
 * Lists the allowed evictions whose pods are not terminating yet; one that is overdue is told and forgotten
 * (buildDisruptedPodMap; the event names the namespace twice).
 */
function unconfirmed(
  { simulation, record }: Cluster,
  budget: Budget,
  matching: readonly Pod[],
): Record<string, string> {
  const disrupted = budget.status?.disruptedPods ?? {};
  const waiting = matching.filter(({ metadata }) => !metadata.deletionTimestamp && metadata.name in disrupted);
  const isOverdue = ({ metadata }: Pod): boolean =>
    simulation.clock.now() >= Date.parse(disrupted[metadata.name] ?? "") + UNCONFIRMED;
  const space = budget.metadata.namespace ?? "";
  const message = `Pod was expected by PDB ${space}/${space} to be deleted but it wasn't`;
  for (const pod of waiting.filter(isOverdue))
    record({ component: COMPONENT, about: pod, type: "Warning", reason: "NotDeleted", message });
  const left = waiting.filter((pod) => !isOverdue(pod));
  return Object.fromEntries(left.map(({ metadata }) => [metadata.name, disrupted[metadata.name] ?? ""]));
}

const healthyOf = (matching: readonly Pod[], disruptedPods: Record<string, string>): number =>
  matching.filter(
    ({ metadata, status }) =>
      !metadata.deletionTimestamp && !(metadata.name in disruptedPods) && isTrue(status?.conditions, "Ready"),
  ).length;

/** Computes a budget's status from its pods and their controllers. */
function computed(cluster: Cluster, budget: Budget, matching: readonly Pod[]): Budget {
  const { simulation, objects, record } = cluster;
  const warn = (reason: string, message: string): void =>
    record({ component: COMPONENT, about: budget, type: "Warning", reason, message });
  const expectation = expectationOf(objects, budget, matching);
  const now = timestamp(simulation.clock.now());
  if ("failure" in expectation) {
    const why = `Failed to calculate the number of expected pods: ${expectation.failure}`;
    warn("CalculateExpectedPodCountFailed", why);
    return failed(budget, expectation.failure, now);
  }
  const { expected, desired, unmanaged } = expectation;
  if (unmanaged.length > 0) warn("UnmanagedPods", unmanagedPods(budget));
  const disruptedPods = unconfirmed(cluster, budget, matching);
  const healthy = healthyOf(matching, disruptedPods);
  const allowed = expected > 0 ? Math.max(0, healthy - desired) : 0;
  return {
    ...budget,
    status: {
      observedGeneration: budget.metadata.generation ?? 1,
      disruptionsAllowed: allowed,
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: expected,
      ...(Object.keys(disruptedPods).length > 0 ? { disruptedPods } : {}),
      conditions: [allowance(budget, allowed, now)],
    },
  };
}

/** Computes the allowed disruptions of each budget from the number of healthy pods; each status that changes is a request. */
export function disruption(cluster: Cluster): Controller {
  const { simulation, objects } = cluster;
  const limit = clientLimit(simulation.clock);
  return {
    name: "disruption",
    type: budgets,
    concerns: ({ type, object }) =>
      type === pods
        ? objects
            .list<Budget>(budgets, object.metadata.namespace)
            .filter(({ spec }) => matchesSelector(spec.selector, object.metadata.labels))
            .map(keyOf)
        : [],
    reconcile: ({ namespace, name }) => {
      const budget = objects.get<Budget>(budgets, namespace, name);
      if (!budget) return undefined;
      if (limit.freeAt() > simulation.clock.now()) return limit.freeAt();
      const matching = objects
        .list<Pod>(pods, namespace)
        .filter(({ metadata }) => matchesSelector(budget.spec.selector, metadata.labels));
      const next = computed(cluster, budget, matching);
      if (!isDeepStrictEqual(next.status, budget.status)) limit.take();
      const { status } = objects.replace(budgets, next);
      if (conditionOf(status?.conditions, "DisruptionAllowed")?.reason === "SyncFailed")
        return simulation.clock.now() + FAILED_AGAIN;
      const waits = Object.values(status?.disruptedPods ?? {}).map((since) => Date.parse(since) + UNCONFIRMED);
      return waits.length > 0 ? Math.min(...waits) : undefined;
    },
  };
}

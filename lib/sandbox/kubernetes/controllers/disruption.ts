import { controllerOf, timestamp } from "../model/object.ts";
import { known, resourceTypes } from "../model/resources.ts";
import {
  type Budget,
  type Condition,
  conditionOf,
  isFinished,
  isTrue,
  type Pod,
  type Workload,
} from "../model/shapes.ts";
import { matchesSelector } from "../request/selectors.ts";
import type { Objects } from "../store/objects.ts";
import type { Cluster, Controller } from "./controller.ts";
import { keyOf } from "./controller.ts";
import { pods } from "./nodes.ts";

// k8s pkg/controller/disruption/disruption.go

const budgets = known("poddisruptionbudgets", "policy");

/** Time after which an eviction without a deletion is no longer counted (DeletionTimeout). */
const UNCONFIRMED = 2 * 60_000;

/** Reads a number of pods, or a share of `total` rounded up. */
const amountOf = (value: number | string, total: number): number =>
  typeof value === "string" && value.endsWith("%")
    ? Math.ceil((Number.parseFloat(value) / 100) * total)
    : Number(value);

/** Counts the pods that should exist, and those that must be healthy. */
function expectation(budget: Budget, present: number, scale: number): { expected: number; desired: number } {
  const { minAvailable, maxUnavailable } = budget.spec;
  if (maxUnavailable !== undefined) {
    return { expected: scale, desired: Math.max(0, scale - amountOf(maxUnavailable, scale)) };
  }
  const expected = typeof minAvailable === "string" ? scale : present;
  return { expected, desired: minAvailable === undefined ? 0 : amountOf(minAvailable, expected) };
}

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
 * Sums the scales of these pods' controllers (getExpectedScale); a pod without one adds nothing. Undefined when a pod's
 * controller has no scale: such a budget is never computed.
 */
function scaleOf(objects: Objects, matching: readonly Pod[]): number | undefined {
  const wanted = new Map<string, number>();
  for (const pod of matching) {
    const owner = controllerOf(pod);
    if (!owner) continue;
    const type = resourceTypes.find(({ kind, apiVersion }) => kind === owner.kind && apiVersion === owner.apiVersion);
    if (!type?.subresources.includes("scale")) return undefined;
    const workload = objects.get<Workload>(type, pod.metadata.namespace, owner.name);
    wanted.set(owner.uid, Number(workload?.spec.replicas ?? 0));
  }
  return [...wanted.values()].reduce((sum, one) => sum + one, 0);
}

/** Does the budget need the scale of the pods' controllers? A plain minAvailable counts pods instead. */
const needsScale = ({ spec }: Budget): boolean =>
  spec.maxUnavailable !== undefined || typeof spec.minAvailable === "string";

/** Marks a budget that cannot be computed: only the condition in its status changes (failSafe). */
const failed = (budget: Budget, now: string): Budget => ({
  ...budget,
  status: {
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    ...budget.status,
    conditions: [
      {
        type: "DisruptionAllowed",
        status: "False",
        reason: "SyncFailed",
        message: "found no controller ref for pod or a controller without a scale",
        lastTransitionTime: conditionOf(budget.status?.conditions, "DisruptionAllowed")?.lastTransitionTime ?? now,
      },
    ],
  },
});

/** Computes the allowed disruptions of each budget from the number of healthy pods. */
export function disruption({ simulation, objects }: Cluster): Controller {
  /** Lists the allowed evictions whose pods are not terminating yet. */
  const unconfirmed = (budget: Budget, matching: readonly Pod[]): Record<string, string> =>
    Object.fromEntries(
      Object.entries(budget.status?.disruptedPods ?? {}).filter(
        ([name, since]) =>
          matching.some(({ metadata }) => metadata.name === name && !metadata.deletionTimestamp) &&
          simulation.clock.now() < Date.parse(since) + UNCONFIRMED,
      ),
    );

  const statusOf = (budget: Budget): Budget["status"] => {
    const matching = objects
      .list<Pod>(pods, budget.metadata.namespace)
      .filter(({ metadata }) => matchesSelector(budget.spec.selector, metadata.labels));
    const present = matching.filter((pod) => !isFinished(pod));
    const disruptedPods = unconfirmed(budget, present);
    const healthy = present.filter(
      ({ metadata, status }) =>
        !metadata.deletionTimestamp && !(metadata.name in disruptedPods) && isTrue(status?.conditions, "Ready"),
    );
    const scale = needsScale(budget) ? scaleOf(objects, present) : 0;
    if (scale === undefined) return undefined;
    const { expected, desired } = expectation(budget, present.length, scale);
    const allowed = expected > 0 ? Math.max(0, healthy.length - desired) : 0;
    return {
      observedGeneration: budget.metadata.generation ?? 1,
      disruptionsAllowed: allowed,
      currentHealthy: healthy.length,
      desiredHealthy: desired,
      expectedPods: expected,
      ...(Object.keys(disruptedPods).length > 0 ? { disruptedPods } : {}),
      conditions: [allowance(budget, allowed, timestamp(simulation.clock.now()))],
    };
  };

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
      const status = statusOf(budget);
      if (!status) {
        objects.replace(budgets, failed(budget, timestamp(simulation.clock.now())));
        return undefined;
      }
      objects.replace(budgets, { ...budget, status });
      const waits = Object.values(status.disruptedPods ?? {}).map((since) => Date.parse(since) + UNCONFIRMED);
      return waits.length > 0 ? Math.min(...waits) : undefined;
    },
  };
}

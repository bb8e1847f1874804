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
import type { Controller, Plane } from "./controller.ts";
import { keyOf } from "./controller.ts";
import { pods } from "./nodes.ts";

// k8s pkg/controller/disruption/disruption.go

const budgets = known("poddisruptionbudgets", "policy");

/** After this an eviction that was not followed by a deletion no longer counts (DeletionTimeout). */
const UNCONFIRMED = 2 * 60_000;

/** A number of pods, or a share of `total` rounded up. */
const amountOf = (value: number | string, total: number): number =>
  typeof value === "string" && value.endsWith("%")
    ? Math.ceil((Number.parseFloat(value) / 100) * total)
    : Number(value);

/** How many pods there should be, how many of them healthy. */
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

/** The sum of what the controllers of these pods want; a pod without one counts for itself. */
function scaleOf(objects: Objects, matching: readonly Pod[]): number {
  const wanted = new Map<string, number>();
  for (const pod of matching) {
    const owner = controllerOf(pod);
    const type =
      owner && resourceTypes.find(({ kind, apiVersion }) => kind === owner.kind && apiVersion === owner.apiVersion);
    const workload = owner && type ? objects.get<Workload>(type, pod.metadata.namespace, owner.name) : undefined;
    wanted.set(owner?.uid ?? pod.metadata.uid, Number(workload?.spec.replicas ?? 1));
  }
  return [...wanted.values()].reduce((sum, one) => sum + one, 0);
}

/** Computes how many pods each budget lets go, from how many are ready. */
export function disruption({ foundation, objects }: Plane): Controller {
  /** Evictions that were allowed but whose pods are not going yet. */
  const unconfirmed = (budget: Budget, matching: readonly Pod[]): Record<string, string> =>
    Object.fromEntries(
      Object.entries(budget.status?.disruptedPods ?? {}).filter(
        ([name, since]) =>
          matching.some(({ metadata }) => metadata.name === name && !metadata.deletionTimestamp) &&
          foundation.clock.now() < Date.parse(since) + UNCONFIRMED,
      ),
    );

  const statusOf = (budget: Budget): NonNullable<Budget["status"]> => {
    const matching = objects
      .list<Pod>(pods, budget.metadata.namespace)
      .filter(({ metadata }) => matchesSelector(budget.spec.selector, metadata.labels));
    const present = matching.filter((pod) => !isFinished(pod));
    const disruptedPods = unconfirmed(budget, present);
    const healthy = present.filter(
      ({ metadata, status }) =>
        !metadata.deletionTimestamp && !(metadata.name in disruptedPods) && isTrue(status?.conditions, "Ready"),
    );
    const { expected, desired } = expectation(budget, present.length, scaleOf(objects, present));
    const allowed = expected > 0 ? Math.max(0, healthy.length - desired) : 0;
    return {
      observedGeneration: budget.metadata.generation ?? 1,
      disruptionsAllowed: allowed,
      currentHealthy: healthy.length,
      desiredHealthy: desired,
      expectedPods: expected,
      ...(Object.keys(disruptedPods).length > 0 ? { disruptedPods } : {}),
      conditions: [allowance(budget, allowed, timestamp(foundation.clock.now()))],
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
      objects.replace(budgets, { ...budget, status });
      const waits = Object.values(status.disruptedPods ?? {}).map((since) => Date.parse(since) + UNCONFIRMED);
      return waits.length > 0 ? Math.min(...waits) : undefined;
    },
  };
}

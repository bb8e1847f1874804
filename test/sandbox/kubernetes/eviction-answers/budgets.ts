import {
  dry,
  evicted,
  exhausted,
  notFound,
  otherUid,
  otherVersion,
  processing,
  type Row,
  refused,
  twoBudgets,
  wrongUid,
} from "./row.ts";

const needsOne = { minAvailable: 1 };
const needsTwo = { minAvailable: 2 };
const none = { disruptionsAllowed: 0, why: "InsufficientPods" };
const one = { disruptionsAllowed: 1, why: "SufficientPods" };
const three = [{}, { name: "q" }, { name: "r" }] as const;

/** Budgets that allow nothing. */
const blocking: readonly Row[] = [
  {
    situation: "a budget with nothing left",
    budgets: [needsOne],
    answer: exhausted(1, 1),
    pod: "untouched",
    budget: { ...none, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
  },
  { situation: "nothing left, dry run", budgets: [needsOne], asked: { query: "?dryRun=All" }, answer: exhausted(1, 1) },
  {
    situation: "nothing left, a grace of 0",
    budgets: [needsOne],
    asked: { options: { gracePeriodSeconds: 0 } },
    answer: exhausted(1, 1),
    pod: "untouched",
  },
  {
    situation: "nothing left, policy/v1beta1",
    budgets: [needsOne],
    asked: { body: { apiVersion: "policy/v1beta1", kind: "Eviction", metadata: { name: "p" } } },
    answer: exhausted(1, 1),
  },
  {
    situation: "nothing left, another uid",
    budgets: [needsOne],
    asked: { options: wrongUid },
    answer: exhausted(1, 1),
  },
  ...(["succeeded", "failed"] as const).map(
    (is): Row => ({
      situation: `nothing left, a pod that has ${is}`,
      pods: [{ is }, { name: "q" }, { name: "r", is: "succeeded" }],
      budgets: [needsOne],
      answer: evicted,
      pod: "gone",
      budget: { ...none, currentHealthy: 1, desiredHealthy: 1, expectedPods: 2 },
    }),
  ),
  {
    situation: "nothing left, a pod that no node has",
    pods: [{ is: "unscheduled" }, { name: "q" }],
    budgets: [needsOne],
    answer: evicted,
    pod: "gone",
  },
  {
    situation: "nothing left, a terminating pod",
    pods: [{ is: "terminating" }, { name: "q", is: "succeeded" }, { name: "r", is: "failed" }],
    budgets: [needsOne],
    answer: evicted,
    pod: { grace: 30 },
    budget: { ...none, currentHealthy: 0, desiredHealthy: 1, expectedPods: 3 },
  },
  {
    situation: "maxUnavailable over a pod without a controller",
    budgets: [{ maxUnavailable: 1 }],
    answer: exhausted(0, 1),
    budget: { ...none, currentHealthy: 1, desiredHealthy: 0, expectedPods: 0 },
  },
  {
    situation: "a budget that was just made",
    budgets: [needsOne],
    atOnce: true,
    asked: { options: dry },
    answer: processing(),
    pod: "untouched",
  },
  {
    situation: "maxUnavailable over a pod whose owner's kind the server does not know",
    pods: [
      {
        metadata: {
          ownerReferences: [{ apiVersion: "custom/v1", kind: "ReplicaSet", name: "x", uid: "u", controller: true }],
        },
      },
    ],
    budgets: [{ maxUnavailable: 1 }],
    answer: processing(),
    pod: "untouched",
    budget: { observedGeneration: undefined, disruptionsAllowed: 0, why: "SyncFailed" },
  },
];

/** Budgets that allow something. */
const allowing: readonly Row[] = [
  {
    situation: "one left, dry run in the body",
    pods: three,
    budgets: [needsTwo],
    asked: { options: dry },
    answer: evicted,
    pod: "untouched",
    budget: { ...one, currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 },
  },
  {
    situation: "one left, another uid",
    pods: three,
    budgets: [needsTwo],
    asked: { options: wrongUid },
    answer: otherUid,
    pod: "untouched",
    budget: { ...none, currentHealthy: 2, desiredHealthy: 2, expectedPods: 3, disruptedPods: ["p"] },
  },
  {
    situation: "one left, another version",
    budgets: [{ minAvailable: 0 }],
    asked: { options: { preconditions: { resourceVersion: "1" } } },
    answer: otherVersion,
    budget: { ...none, currentHealthy: 0, desiredHealthy: 0, expectedPods: 1, disruptedPods: ["p"] },
  },
  {
    situation: "one left, another uid, dry run",
    pods: [{}, { name: "q" }],
    budgets: [needsOne],
    asked: { options: { ...wrongUid, ...dry } },
    answer: otherUid,
    budget: { ...one, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 },
  },
  {
    situation: "one left",
    pods: three,
    budgets: [needsTwo],
    answer: evicted,
    pod: { grace: 30 },
    budget: { ...none, currentHealthy: 2, desiredHealthy: 2, expectedPods: 3, disruptedPods: [] },
  },
  {
    situation: "one left, the right uid",
    budgets: [{ minAvailable: 0 }],
    asked: { options: { preconditions: { uid: "{uid}" } } },
    answer: evicted,
    pod: { grace: 30 },
    budget: { ...none, currentHealthy: 0, desiredHealthy: 0, expectedPods: 1 },
  },
  {
    situation: "one left, a pod that is not there",
    budgets: [{ minAvailable: 0 }],
    asked: { name: "nope" },
    answer: notFound("nope"),
    budget: { ...one, currentHealthy: 1, expectedPods: 1 },
  },
  { situation: "a budget for all pods", budgets: [{ ...needsOne, selector: {} }], answer: exhausted(1, 1) },
  {
    situation: "a budget without a selector",
    budgets: [{ ...needsOne, selector: undefined }],
    asked: { options: dry },
    answer: evicted,
  },
  {
    situation: "a budget with 2,001 evictions that its controller has not confirmed",
    atOnce: true,
    before: async ({ api }) => {
      const since = "2026-11-21T12:00:00Z";
      const status = {
        observedGeneration: 1,
        disruptionsAllowed: 1,
        currentHealthy: 1,
        desiredHealthy: 0,
        expectedPods: 1,
        disruptedPods: Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`gone-${index}`, since])),
      };
      const spec = { minAvailable: 0, selector: { matchLabels: { app: "web" } } };
      const metadata = { name: "k", namespace: "default" };
      api.create({ apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata, spec, status } as never);
    },
    answer: refused(
      403,
      "Forbidden",
      'poddisruptionbudget.policy "k" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller',
      { name: "k", group: "policy", kind: "poddisruptionbudget" },
    ),
  },
];

/** Two budgets for one pod. */
const two: readonly Row[] = [
  {
    situation: "two budgets that would both allow it",
    budgets: [{ minAvailable: 0 }, { minAvailable: 0 }],
    answer: twoBudgets,
    pod: "untouched",
    budget: { disruptionsAllowed: 1 },
  },
  {
    situation: "two budgets, dry run",
    budgets: [needsOne, needsOne],
    asked: { options: dry },
    answer: twoBudgets,
    pod: "untouched",
  },
  {
    situation: "two budgets, an unready pod",
    pods: [{ is: "unready" }],
    budgets: [needsOne, needsOne],
    answer: twoBudgets,
    pod: "untouched",
  },
  {
    situation: "two budgets, a pod that has not started",
    pods: [{ is: "pending" }],
    budgets: [needsOne, needsOne],
    answer: evicted,
    pod: { grace: 30 },
  },
];

const broken = [{ is: "unready" }, { name: "q" }, { name: "r", is: "unready" }] as const;
const always = { unhealthyPodEvictionPolicy: "AlwaysAllow" };

/** Pods that are not ready. */
const unready: readonly Row[] = [
  {
    situation: "an unready pod where enough others are healthy",
    pods: [{ is: "unready" }, { name: "q" }],
    budgets: [needsOne],
    answer: evicted,
    pod: { grace: 30 },
    budget: { ...none, currentHealthy: 1, desiredHealthy: 1 },
  },
  {
    situation: "an unready pod of a budget that needs none",
    pods: [{ is: "unready" }],
    budgets: [{ minAvailable: 0 }],
    answer: exhausted(0, 0),
    pod: "untouched",
  },
  {
    situation: "an unready pod, IfHealthyBudget, too few healthy",
    pods: broken,
    budgets: [{ ...needsTwo, unhealthyPodEvictionPolicy: "IfHealthyBudget" }],
    answer: exhausted(2, 1),
    pod: "untouched",
    budget: { ...none, currentHealthy: 1, desiredHealthy: 2, expectedPods: 3 },
  },
  {
    situation: "a ready pod, IfHealthyBudget, too few healthy",
    pods: [{}, { name: "q", is: "unready" }, { name: "r", is: "unready" }],
    budgets: [{ ...needsTwo, unhealthyPodEvictionPolicy: "IfHealthyBudget" }],
    answer: exhausted(2, 1),
    pod: "untouched",
  },
  {
    situation: "an unready pod, AlwaysAllow, too few healthy",
    pods: broken,
    budgets: [{ ...needsTwo, ...always }],
    answer: evicted,
    pod: { grace: 30 },
    budget: { ...none, currentHealthy: 1, desiredHealthy: 2, expectedPods: 3 },
  },
  {
    situation: "a ready pod, AlwaysAllow, too few healthy",
    pods: [{}, { name: "q", is: "unready" }, { name: "r", is: "unready" }],
    budgets: [{ ...needsTwo, ...always }],
    answer: exhausted(2, 1),
    pod: "untouched",
  },
  {
    situation: "an unready pod, AlwaysAllow, another version",
    pods: [{ is: "unready" }, { name: "q" }],
    budgets: [{ ...needsOne, ...always }],
    asked: { options: { preconditions: { resourceVersion: "1" } } },
    answer: evicted,
    pod: { grace: 30 },
  },
  {
    situation: "an unready pod, AlwaysAllow, the right uid",
    pods: [{ is: "unready" }, { name: "q" }],
    budgets: [{ ...needsOne, ...always }],
    asked: { options: { preconditions: { uid: "{uid}" } } },
    answer: evicted,
    pod: { grace: 30 },
  },
  {
    situation: "an unready pod where enough others are healthy, another uid",
    pods: [{ is: "unready" }, { name: "q" }],
    budgets: [needsOne],
    asked: { options: wrongUid },
    answer: processing(),
    pod: "untouched",
    budget: { ...none, currentHealthy: 1, desiredHealthy: 1, expectedPods: 2 },
  },
];

export const budgets: readonly Row[] = [...blocking, ...allowing, ...two, ...unready];

import type { V1Pod, V1PodDisruptionBudget } from "@kubernetes/client-node";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AnswerMeaning } from "../../lambdas/steps/drain/answers.ts";
import { budgetName, budgetsOf } from "../../lambdas/steps/drain/budgets.ts";
import { onlyOf } from "../../lambdas/steps/drain/drain-reads.ts";
import { podName, uidOf } from "../../lambdas/steps/drain/pods.ts";
import { type DrainState, newDrain, nextRound, pauseMs, recordAnswers } from "../../lambdas/steps/drain/schedule.ts";
import { at, budgetNamed, NODE, NOON, owner, podNamed } from "./objects.ts";

const round = (
  pods: readonly V1Pod[],
  budgets: readonly V1PodDisruptionBudget[] = [],
  state: DrainState = newDrain,
  now = NOON,
) => nextRound({ node: NODE, pods, budgets, state, now });
const asked = (...given: Parameters<typeof round>) => round(...given).ask.map(({ pod }) => pod.metadata?.name);
const whyOf = (pod: V1Pod, ...given: Parameters<typeof round>) =>
  round(...given).waiting.find((waiting) => uidOf(waiting.pod) === uidOf(pod))?.why;
const budgetSays: AnswerMeaning = { kind: "budget", words: "needs 2 and has 2", retryAfterMs: null };
const tooBusy = (retryAfterMs: number | null): AnswerMeaning => ({ kind: "overload", words: "too many", retryAfterMs });

test("DR-17 a budget is asked for as many pods as it allows, one at a time where it allows one", () => {
  const pods = ["a", "b", "c", "d"].map((name) => podNamed(name));
  const free = podNamed("free", { metadata: { namespace: "shop", name: "free", uid: "free", labels: { app: "x" } } });
  expect(asked([...pods, free], [budgetNamed("web")])).toEqual(["a", "free"]);
  expect(asked(pods, [budgetNamed("web", { disruptionsAllowed: 3 })])).toEqual(["a", "b", "c"]);
  expect(asked(pods, [budgetNamed("web", { disruptionsAllowed: 0 })])).toEqual([]);
  const turn = { kind: "turn", budget: "shop/web" };
  expect(pods.map((pod) => whyOf(pod, pods, [budgetNamed("web")]))).toEqual([undefined, turn, turn, turn]);
});

test("DR-11 a pod of another node is never asked", () => {
  expect(asked([podNamed("moved", { spec: { nodeName: "win-2" } }), podNamed("here")])).toEqual(["here"]);
});

test("DR-13 a refused eviction waits 5 s, then 10 s, 20 s and 30 s, a fifth shorter or longer, and as long as the server asks", () => {
  const pauses = (jitter: number) => [1, 2, 3, 4, 9].map((attempts) => pauseMs(attempts, jitter, null));
  expect(pauses(0.5)).toEqual([5_000, 10_000, 20_000, 30_000, 30_000]);
  expect(pauses(0)).toEqual([4_000, 8_000, 16_000, 24_000, 24_000]);
  expect(pauses(1)).toEqual([6_000, 12_000, 24_000, 30_000, 30_000]);
  expect(pauseMs(1, 0.5, 10_000)).toBe(10_000);
});

test("DR-13 a budget that refused one pod rests for all of its pods, and others go on", () => {
  const [one, other] = [podNamed("a"), podNamed("b")];
  const state = recordAnswers(newDrain, { uid: uidOf(one), budget: "shop/web", meaning: budgetSays }, NOON, 0.5);
  expect(asked([one, other, podNamed("c", { metadata: { namespace: "bank" } })], [budgetNamed("web")], state)).toEqual([
    "c",
  ]);
  const turn = { kind: "turn", budget: "shop/web" };
  expect(whyOf(other, [one, other], [budgetNamed("web", { disruptionsAllowed: 2 })], state)).toEqual(turn);
  expect(asked([one, other], [budgetNamed("web")], state, NOON + 5_000)).toEqual(["b"]);
});

test("DR-13 an overload holds every eviction back, and counts once however many hear it", () => {
  const pods = ["a", "b", "c"].map((name) => podNamed(name));
  const hearAll = (state: DrainState, now: number) =>
    pods.reduce(
      (heard, pod) => recordAnswers(heard, { uid: uidOf(pod), budget: null, meaning: tooBusy(1_000) }, now, 0.5),
      state,
    );
  const first = hearAll(newDrain, NOON);
  expect(first.overload).toMatchObject({ attempts: 1, until: NOON + 5_000 });
  expect(asked(pods, [], first, NOON + 4_999)).toEqual([]);
  expect(whyOf(pods[0] as V1Pod, pods, [], first, NOON + 4_999)).toEqual({ kind: "overload", words: "too many" });
  expect(asked(pods, [], first, NOON + 5_000)).toHaveLength(3);
  expect(hearAll(first, NOON + 5_000).overload).toMatchObject({ attempts: 2, until: NOON + 15_000 });
  const [pod] = pods;
  const over = recordAnswers(
    first,
    { uid: uidOf(pod as V1Pod), budget: null, meaning: { kind: "accepted" } },
    NOON + 5_000,
    0,
  );
  expect(over.overload).toBeNull();
});

describe("DR-18", () => {
  const critical = podNamed("dns", { spec: { nodeName: NODE, priorityClassName: "system-cluster-critical" } });

  test("critical pods leave after all others", () => {
    expect(asked([critical, podNamed("web-1")])).toEqual(["web-1"]);
    expect(whyOf(critical, [critical, podNamed("web-1")])).toEqual({ kind: "tier" });
    expect(asked([critical])).toEqual(["dns"]);
  });

  test("pods leave tier by tier: ordinary, of a DaemonSet, critical, critical of a DaemonSet", () => {
    const priorityClassName = "system-node-critical";
    const ofDaemonSet = (name: string, spec: object = {}) => {
      const metadata = { namespace: "shop", name, uid: `uid-${name}`, ownerReferences: [owner("DaemonSet", name)] };
      return podNamed(name, { metadata, spec: { nodeName: NODE, ...spec } });
    };
    const tiers = [podNamed("web-1"), ofDaemonSet("exporter"), critical, ofDaemonSet("proxy", { priorityClassName })];
    const left = tiers.map((_pod, gone) => asked(tiers.slice(gone).reverse()));
    expect(left).toEqual([["web-1"], ["exporter"], ["dns"], ["proxy"]]);
  });

  test("an ordinary pod past the end of its grace holds no critical one back; one within it does", () => {
    const ending = (seconds: number) => podNamed("slow", { metadata: { deletionTimestamp: at(seconds) } });
    expect(asked([critical, ending(-1)])).toEqual(["dns"]);
    expect(asked([critical, ending(20)])).toEqual([]);
  });
});

test("DR-22 a pod that is over its grace for more than a minute is stuck", () => {
  const ending = (seconds: number) => podNamed("slow", { metadata: { deletionTimestamp: at(seconds) } });
  expect(whyOf(ending(-60), [ending(-60)])).toMatchObject({ kind: "terminating", isStuck: false });
  expect(whyOf(ending(-61), [ending(-61)])).toMatchObject({ kind: "terminating", overMs: 61_000, isStuck: true });
});

test.each([
  ["casement.dev/do-not-disrupt", "true"],
  ["karpenter.sh/do-not-disrupt", "true"],
  ["cluster-autoscaler.kubernetes.io/safe-to-evict", "false"],
])("A6 the annotation %s=%s holds a pod until it ends", (key, value) => {
  const metadata = { namespace: "shop", name: "job", uid: "job", annotations: { [key]: value } };
  const running = podNamed("job", { metadata, status: { phase: "Running", startTime: at(-3_600) } });
  expect(asked([running])).toEqual([]);
  expect(whyOf(running, [running])).toEqual({ kind: "held", annotation: key, since: NOON - 3_600_000 });
  expect(asked([podNamed("job", { metadata, status: { phase: "Succeeded" } })])).toEqual(["job"]);
});

test("DR-26 what is known of a pod is kept by its UID: a namesake is another pod", () => {
  const [before, after] = ["one", "two"].map((uid) => podNamed("web-0", { metadata: { name: "web-0", uid } }));
  const meaning: AnswerMeaning = { kind: "refused", by: "policy", words: "not now" };
  const state = recordAnswers(newDrain, { uid: "one", budget: null, meaning }, NOON, 0.5);
  expect(asked([before as V1Pod], [], state)).toEqual([]);
  expect(asked([after as V1Pod], [], state)).toEqual(["web-0"]);
  expect(onlyOf(state, [after as V1Pod]).refused).toEqual({});
});

test("DR-16 in a namespace that is being deleted a pod is asked again after five seconds, however often", () => {
  const meaning: AnswerMeaning = { kind: "namespace-ends", words: "terminated" };
  let state = newDrain;
  for (let time = 1; time <= 4; time += 1) state = recordAnswers(state, { uid: "a", budget: null, meaning }, NOON, 0.5);
  expect(state.refused.a).toMatchObject({ attempts: 4, nextAt: NOON + 5_000 });
});

test("where budgets may not be read, the server alone judges", () => {
  const { ask } = nextRound({
    node: NODE,
    pods: [podNamed("a"), podNamed("b")],
    budgets: null,
    state: newDrain,
    now: NOON,
  });
  expect(ask.map(({ budget }) => budget)).toEqual([null, null]);
});

/** Pods of two namespaces and three apps, some of which are unready, terminating, held, critical or elsewhere. */
const anyPod = fc.record({
  app: fc.constantFrom("web", "api", "none"),
  isHere: fc.boolean(),
  isReady: fc.boolean(),
  isTerminating: fc.boolean(),
  isHeld: fc.boolean(),
  isCritical: fc.boolean(),
});
type AnyPod = typeof anyPod extends fc.Arbitrary<infer T> ? T : never;
const podOf = (given: AnyPod, index: number): V1Pod =>
  podNamed(`p${index}`, {
    metadata: {
      namespace: "shop",
      name: `p${index}`,
      uid: `p${index}`,
      labels: { app: given.app },
      ...(given.isTerminating ? { deletionTimestamp: at(10) } : {}),
      annotations: given.isHeld ? { "casement.dev/do-not-disrupt": "true" } : {},
    },
    spec: { nodeName: given.isHere ? NODE : "win-2", priority: given.isCritical ? 2_000_000_000 : 0 },
    status: { phase: "Running", conditions: [{ type: "Ready", status: given.isReady ? "True" : "False" }] },
  });
const anyBudgets = fc
  .record({ web: fc.nat(4), api: fc.nat(4), healthy: fc.nat(6) })
  .map(({ web, api, healthy }) =>
    [["web", web] as const, ["api", api] as const].map(([app, disruptionsAllowed]) =>
      budgetNamed(app, { disruptionsAllowed, currentHealthy: healthy }, { selector: { matchLabels: { app } } }),
    ),
  );
const anyMeaning = fc.constantFrom<AnswerMeaning>(
  { kind: "accepted" },
  { kind: "gone" },
  budgetSays,
  tooBusy(1_000),
  { kind: "unanswered", words: "503" },
  { kind: "refused", by: "webhook", words: "no" },
);

describe("whatever the pods, the budgets and the answers so far", () => {
  const anyRound = fc.record({
    pods: fc.array(anyPod, { maxLength: 12 }).map((given) => given.map(podOf)),
    budgets: anyBudgets,
    answers: fc.array(fc.tuple(fc.nat(11), anyMeaning), { maxLength: 8 }),
  });
  type Sample = typeof anyRound extends fc.Arbitrary<infer T> ? T : never;
  const stateAfter = ({ answers }: Sample): DrainState =>
    answers.reduce(
      (state, [index, meaning]) => recordAnswers(state, { uid: `p${index}`, budget: "shop/web", meaning }, NOON, 0.5),
      newDrain,
    );
  const isCounted = ({ status }: V1Pod): boolean => status?.conditions?.[0]?.status === "True";

  test("no budget is asked for more than it allows", () => {
    fc.assert(
      fc.property(anyRound, fc.nat(40_000), (sample, later) => {
        const { ask } = round(sample.pods, sample.budgets, stateAfter(sample), NOON + later);
        for (const budget of sample.budgets) {
          const ofIt = ask.filter(({ pod }) => isCounted(pod) && budgetsOf(pod, [budget]).length > 0);
          expect(ofIt.length).toBeLessThanOrEqual(budget.status?.disruptionsAllowed ?? 0);
          expect(ofIt.every((one) => one.budget === budgetName(budget))).toBe(true);
        }
      }),
    );
  });

  test("no pod of another node, no held one and no terminating one is asked, and every other one has a reason", () => {
    fc.assert(
      fc.property(anyRound, fc.nat(40_000), (sample, later) => {
        const { ask, waiting } = round(sample.pods, sample.budgets, stateAfter(sample), NOON + later);
        for (const { pod } of ask) {
          expect(pod.spec?.nodeName).toBe(NODE);
          expect(pod.metadata?.deletionTimestamp).toBeUndefined();
          expect(pod.metadata?.annotations).toEqual({});
        }
        const here = sample.pods.filter(({ spec }) => spec?.nodeName === NODE).map(podName);
        expect([...ask, ...waiting].map(({ pod }) => podName(pod)).toSorted()).toEqual(here.toSorted());
      }),
    );
  });

  test("a drain whose pods are let go in the end ends", () => {
    const noHeld = anyRound.map((sample) => ({
      ...sample,
      pods: sample.pods.filter(
        ({ metadata, spec }) => !metadata?.annotations?.["casement.dev/do-not-disrupt"] && spec?.nodeName === NODE,
      ),
      budgets: sample.budgets.map((budget) => ({ ...budget, status: { ...budget.status, disruptionsAllowed: 1 } })),
    }));
    fc.assert(
      fc.property(noHeld, (sample) => {
        let [pods, state] = [sample.pods, stateAfter(sample as Sample)];
        for (let time = 0; pods.length > 0; time += 1) {
          expect(time).toBeLessThan(200);
          const { ask } = round(pods, sample.budgets as V1PodDisruptionBudget[], state, NOON + time * 1_000);
          for (const { pod, budget } of ask)
            state = recordAnswers(
              state,
              { uid: uidOf(pod), budget, meaning: { kind: "accepted" } },
              NOON + time * 1_000,
              0.5,
            );
          const left = new Set(ask.map(({ pod }) => uidOf(pod)));
          pods = pods.filter((pod) => !left.has(uidOf(pod)) && !pod.metadata?.deletionTimestamp);
        }
      }),
    );
  });
});

import { expect, test } from "vitest";
import {
  continueButtons,
  continuedBy,
  continueHeard,
  continueNext,
  continueNotice,
  drainContinues,
  lateEvent,
  rebootsWithPodsBy,
  stillCordoned,
  withPodsHeard,
} from "../../../lambdas/messages/node/continue.ts";
import {
  codeOfHoldUps,
  type DrainRefusal,
  drainRefused,
  drainWaits,
  finishedStay,
  type HoldUp,
  isForceable,
  podsCameBack,
  unansweredDrain,
  uncordonedMeanwhile,
  volumesLeft,
  volumesToDetach,
} from "../../../lambdas/messages/node/drain.ts";
import { drainReport, rebootsWithPods, stuckPods } from "../../../lambdas/messages/node/drain-report.ts";
import {
  drainDryRun,
  drainedEvent,
  drainedSummary,
  drainPlanCard,
  forceNeedsName,
  goneSummary,
  notDrainedSummary,
  worseSinceApproved,
} from "../../../lambdas/messages/node/drained.ts";
import type { Failure } from "../../../lambdas/records/failures.ts";
import { decidingRecord, NOW } from "../records.ts";
import { nodePlan } from "./plans.ts";
import { each, written } from "./written.ts";

const pod = "shop/web-0";
const budget = {
  kind: "budget",
  ...{ pod, budget: "shop/web", needs: 2, has: 2, isForever: false, wantsAlwaysAllow: false, terminating: [] },
} as const;
const stuck = { kind: "terminating", pod: "shop/db-0", overMs: 600_000, isStuck: true } as const;
const refusedBy = ["rbac", "policy", "webhook", "unconfirmed", "namespace", "request"] as const;

const holdUps: Readonly<Record<string, readonly HoldUp[]>> = {
  "a budget": [budget],
  "two pods of a budget": [budget, { ...budget, pod: "shop/web-1" }],
  "a budget that never allows one": [{ ...budget, isForever: true }],
  "a budget of unhealthy pods": [{ ...budget, wantsAlwaysAllow: true }],
  "a budget whose pods are terminating": [{ ...budget, terminating: ["shop/web-9"] }],
  "the server's own words": [{ kind: "budget-says", pod, why: "needs 2 healthy pods." }],
  "several budgets": [{ kind: "several-budgets", pod, budgets: ["shop/a", "shop/b"] }],
  "several budgets without names": [{ kind: "several-budgets", pod, budgets: [] }],
  "a budget that is being processed": [{ kind: "processing", pod, budget: "shop/web" }],
  "a budget that cannot be computed": [{ kind: "uncomputable", pod, budget: "shop/web", why: "no scale" }],
  "a pod that must not be interrupted": [{ kind: "held", pod, annotation: "do-not-disrupt", runningMs: 7_200_000 }],
  "a held pod that has not started": [{ kind: "held", pod, annotation: "do-not-disrupt", runningMs: null }],
  "no answer": [{ kind: "unanswered", pod, why: "no answer within 10 s" }],
  "its namespace": [{ kind: "namespace", pod }],
  "a stuck pod": [stuck],
  "a stuck pod with volumes and a finalizer": [{ ...stuck, finalizers: ["example.com/held"], claims: ["data-0"] }],
  "a pod that terminates": [{ ...stuck, isStuck: false }],
  "a pod whose turn has not come": [{ kind: "turn", pod }],
  "a budget and a pod that terminates": [budget, { ...stuck, isStuck: false }],
  "several causes": [budget, stuck, { kind: "held", pod: "shop/job", annotation: "do-not-disrupt", runningMs: 60_000 }],
  ...Object.fromEntries(
    refusedBy.map((by): [string, HoldUp[]] => [`refused by ${by}`, [{ kind: "refused", pod, by, why: "denied." }]]),
  ),
};

const manyStuck = Array.from({ length: 5 }, (_, at): HoldUp => ({ ...stuck, pod: `shop/db-${at}` }));
const manyBudgets = Array.from(
  { length: 8 },
  (_, at): HoldUp => ({ ...budget, pod: `shop/web-${at}`, budget: `shop/budget-${at}` }),
);
const report = { node: "win-1", wouldDelete: [], off: null };

test("A drain says what it waits for, what its code is and what a person can do", async () => {
  const words = written({
    ...each("waits", holdUps, drainWaits),
    ...each("code", holdUps, codeOfHoldUps),
    ...each("report", holdUps, (pods) => drainReport({ ...report, holdUps: pods })),
    "report: past budgets": drainReport({ ...report, holdUps: [budget], wouldDelete: [pod, "shop/web-1"] }),
    "report: the machine is off": drainReport({
      ...report,
      ...{ holdUps: manyStuck, off: { node: "win-1", state: "stopped" } },
    }),
    "report: the machine is off, and no pod is stuck": drainReport({
      ...report,
      ...{ holdUps: [budget], off: { node: "win-1", state: "stopped" } },
    }),
    "report: more causes than fit": drainReport({ ...report, holdUps: manyBudgets, wouldDelete: [pod] }),
    "stuck pods": stuckPods([...manyStuck, budget, { ...stuck, isStuck: false }, { ...stuck, claims: ["data-0"] }]),
    "rebooted with pods": rebootsWithPods([
      { pod, claims: [] },
      { pod: "shop/db-0", claims: ["a", "b", "c", "d"] },
    ]),
  });
  await expect(words).toMatchFileSnapshot("drain-waits.txt");
});

const reasons: readonly DrainRefusal["reason"][] = [
  ...(["unmanaged", "uncertain-owner", "empty-dir", "daemonset-orphaned", "daemonset-unreadable"] as const),
  ...(["job-unreadable", "kept-by-finalizer", "daemonset-managed"] as const),
];
const byReason = Object.fromEntries(reasons.map((reason) => [reason, reason]));

const late = (code: Failure["code"], more: Partial<Failure> = {}) =>
  decidingRecord({
    workflow: "reboot",
    operation: "reboot-3f9c2a71",
    nodeName: "win-1",
    failure: { stage: "evict", why: "gave up", left: stillCordoned, ...(code ? { code } : {}), ...more },
  });
const lates = {
  "of a drain": { ...late("deadline-passed"), workflow: "drain" },
  "of a removal": { ...late("deadline-passed"), workflow: "remove" },
  "of a reboot": late("deadline-passed"),
  "of a reboot whose pods are stuck": late("pod-stuck"),
  "of a drain whose pods are stuck": { ...late("pod-stuck"), workflow: "drain" },
  "of a budget and stuck pods": late("eviction-denied", { hasStuckPods: true }),
  "of a budget that never allows one": late("budget-allows-none"),
  "without a deadline": { ...late("deadline-passed"), decideBy: null },
  "without a failure": { ...late("deadline-passed"), failure: null },
} as const;

test("A drain that is refused, asks whether to go on or has ended says so with its next step", async () => {
  const until = "2026-11-21T15:08:00.000Z";
  const plan = nodePlan({ guard: { state: "in order" } });
  const hopeless = nodePlan({ waitsForSlot: true });
  const words = written({
    ...each("refused", byReason, (reason) => drainRefused([{ pod, reason, detail: "" }], "`/win drain win-1 --force`")),
    ...each("forceable", byReason, (reason) => isForceable({ reason })),
    "refused: several": drainRefused([
      { pod, reason: "empty-dir", detail: "cache" },
      { pod: "shop/debug", reason: "unmanaged", detail: "" },
      { pod: "shop/web-1", reason: "empty-dir", detail: "logs" },
    ]),
    uncordoned: uncordonedMeanwhile("win-1"),
    "volumes to detach": volumesToDetach(["a", "b"]),
    "volumes that are attached": volumesLeft({ attached: ["a"] }),
    "volumes that cannot be read": volumesLeft({ unreadable: "403" }),
    "one finished pod stays": finishedStay([`${pod} (example.com/held)`]),
    "finished pods stay": finishedStay([pod, "shop/web-1"]),
    "no answer": unansweredDrain("503"),
    "pods came back": podsCameBack([pod]),
    ...each("buttons", lates, continueButtons),
    ...each("next", lates, (node) => continueNext(node, NOW)),
    "goes on": drainContinues(until),
    "reboots with pods": rebootsWithPodsBy("U0OPERATOR"),
    "heard with pods": withPodsHeard("win-1"),
    "continued by": continuedBy("U0OPERATOR", until),
    heard: continueHeard("win-1"),
    event: lateEvent("drain-3f9c2a71"),
    ...each("notice", lates, ({ failure }) =>
      continueNotice("drain-3f9c2a71", "win-1", { ...failure, why: "a budget" }, until),
    ),
    drained: drainedSummary("win-1", 1),
    "drained of several": drainedSummary("win-1", 2),
    "event of a drain": drainedEvent("drain-3f9c2a71", 2),
    gone: goneSummary("win-1"),
    cancelled: notDrainedSummary.cancelled(stillCordoned),
    failed: notDrainedSummary.failed(stillCordoned),
    "another name": forceNeedsName("win-1.example.com", "win-2"),
    worse: worseSinceApproved("win-1", ["one pod more", "a budget blocks"]),
    plan: drainPlanCard(plan),
    "plan that waits for a slot": drainPlanCard(hopeless),
    "dry run": drainDryRun(plan, "`/win drain win-1`"),
  });
  await expect(words).toMatchFileSnapshot("drains.txt");
});

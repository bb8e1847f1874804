import { expect, test } from "vitest";
import { graceOf, judgePods, type SortedPods } from "../../lambdas/steps/drain/filters.ts";
import type { Job, JobState } from "../../lambdas/steps/drain/jobs.ts";
import { podHold, podsToEvict } from "../../lambdas/steps/drain/pods.ts";
import { unreadHoldsOf } from "../../lambdas/steps/plan/obstacles.ts";
import { at, careful, daemonSets, forced, NOON, owner, podNamed } from "./objects.ts";

const none = daemonSets({});
const emptyDir = { volumes: [{ name: "cache", emptyDir: {} }] };
const ofDaemonSet = { ownerReferences: [owner("DaemonSet", "exporter")] };
const naked = { ownerReferences: [] };
const names = (pods: SortedPods["evict"]) => pods.map(({ metadata }) => metadata?.name);

test("DR-04 the filters decide in kubectl's order and keep every warning of a pod, not only the last", () => {
  const both = podNamed("scratch", { metadata: { name: "scratch", namespace: "shop", ...naked }, spec: emptyDir });
  const { evict, warnings, refusals } = judgePods([both], forced, none, NOON);
  expect(names(evict)).toEqual(["scratch"]);
  expect(warnings).toEqual([
    { pod: "shop/scratch", reason: "empty-dir", detail: "cache" },
    { pod: "shop/scratch", reason: "unmanaged", detail: "" },
  ]);
  expect(refusals).toEqual([]);
});

test("DR-05 one pod that may not be lost is a refusal, and all reasons of all pods are named at once", () => {
  const pods = [
    podNamed("fine"),
    podNamed("alone", { metadata: naked, spec: emptyDir }),
    podNamed("data", { spec: emptyDir }),
  ];
  const { refusals } = judgePods(pods, careful, none, NOON);
  expect(refusals.map(({ reason, detail }) => `${reason} ${detail}`)).toEqual([
    "empty-dir cache",
    "unmanaged ",
    "empty-dir cache",
  ]);
});

test("DR-06 a pod belongs to a DaemonSet by kind and group, and an unreadable DaemonSet is an error", () => {
  const pod = podNamed("exporter-1", { metadata: ofDaemonSet });
  const exists = judgePods([pod], forced, daemonSets({ exporter: "exists" }), NOON);
  expect(names(exists.stay)).toEqual(["exporter-1"]);
  expect(exists.warnings.map(({ reason }) => reason)).toEqual(["daemonset-managed"]);
  const unreadable = judgePods([pod], forced, daemonSets({ exporter: { unreadable: "timeout" } }), NOON);
  expect(unreadable.refusals).toMatchObject([{ reason: "daemonset-unreadable", detail: "shop/exporter: timeout" }]);
});

test("V1 a Succeeded pod of a DaemonSet with an emptyDir is evicted without any option", () => {
  const pod = podNamed("done", { metadata: ofDaemonSet, spec: emptyDir, status: { phase: "Succeeded" } });
  const { evict, warnings, refusals } = judgePods([pod], careful, none, NOON);
  expect([names(evict), warnings, refusals]).toEqual([["done"], [], []]);
});

test("V2 a pod whose DaemonSet is gone stops the drain without force, and is evicted with a warning with it", () => {
  const pod = podNamed("orphan", { metadata: ofDaemonSet });
  const absent = daemonSets({ exporter: "absent" });
  expect(judgePods([pod], careful, absent, NOON).refusals.map(({ reason }) => reason)).toEqual(["daemonset-orphaned"]);
  const { evict, warnings } = judgePods([pod], forced, absent, NOON);
  expect([names(evict), warnings.map(({ reason }) => reason)]).toEqual([["orphan"], ["daemonset-orphaned"]]);
});

test("V4 a DaemonSet of another API group is no DaemonSet", () => {
  const pod = podNamed("custom", { metadata: { ownerReferences: [owner("DaemonSet", "exporter", "custom/v1")] } });
  expect(names(judgePods([pod], careful, none, NOON).evict)).toEqual(["custom"]);
});

test("a pod of an owner that may not create another one stops the drain without force, unless it is restarted", () => {
  const step = (kind: string, apiVersion: string, restartPolicy = "Never") =>
    podNamed(kind.toLowerCase(), {
      metadata: { ownerReferences: [owner(kind, "nightly", apiVersion)] },
      spec: { restartPolicy },
    });
  const pods = [
    step("Workflow", "argoproj.io/v1alpha1"),
    step("EphemeralRunner", "actions.github.com/v1alpha1", "OnFailure"),
    step("Pod", "v1"),
    step("GameServer", "example.com/v1"),
    step("Operator", "example.com/v1", "Always"),
    step("Job", "batch/v1"),
    step("ReplicaSet", "apps/v1"),
  ];
  const recreating = ["example.com/GameServer"];
  expect(judgePods(pods, { ...careful, recreating }, none, NOON).refusals.map(({ detail }) => detail)).toEqual([
    "Workflow/nightly",
    "EphemeralRunner/nightly",
    "Pod/nightly",
  ]);
  const { evict, warnings } = judgePods(pods, { ...forced, recreating }, none, NOON);
  expect([evict.length, warnings.length]).toEqual([7, 3]);
  const finished = podNamed("done", {
    metadata: { ownerReferences: [owner("Workflow", "nightly", "argoproj.io/v1alpha1")] },
    spec: { restartPolicy: "Never" },
    status: { phase: "Succeeded" },
  });
  expect(judgePods([finished], careful, none, NOON).refusals).toEqual([]);
});

const ofJob = (name: string, more: Parameters<typeof podNamed>[1] = {}) =>
  podNamed(name, { ...more, metadata: { ownerReferences: [owner("Job", "nightly", "batch/v1")], ...more.metadata } });

const withJob = (job: Partial<Job> | "absent" | "recreates" | { unreadable: string }) => {
  const state = typeof job === "object" && !("unreadable" in job) ? { metadata: { uid: "Job-nightly" }, ...job } : job;
  return { ...none, jobs: new Map<string, JobState>([["shop/nightly", state]]) };
};

const disruption = (action: string) => ({
  podFailurePolicy: { rules: [{ action, onPodConditions: [{ type: "DisruptionTarget" }] }] },
});

test.each<[Parameters<typeof withJob>[0], string | undefined]>([
  [{}, undefined],
  [{ spec: { completions: 1, backoffLimit: 0 } }, "backoffLimit 0, no retry left"],
  [{ spec: { completions: 1, backoffLimit: 2 }, status: { failed: 2 } }, "backoffLimit 2, no retry left"],
  [{ spec: { completions: 1, backoffLimit: 2 }, status: { failed: 1 } }, undefined],
  [{ status: { failed: 6 } }, "backoffLimit 6, no retry left"],
  [{ spec: { backoffLimitPerIndex: 1 } }, undefined],
  [{ spec: { backoffLimitPerIndex: 0 } }, "backoffLimitPerIndex 0, no retry left"],
  [{ spec: { backoffLimit: 6, ...disruption("FailJob") } }, "podFailurePolicy FailJob"],
  [{ spec: { backoffLimit: 6, ...disruption("FailIndex") } }, "podFailurePolicy FailIndex"],
  [{ spec: { backoffLimit: 0, ...disruption("Ignore") } }, undefined],
  [{ spec: { backoffLimit: 0, ...disruption("Count") } }, "backoffLimit 0, no retry left"],
  [
    { spec: { podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "NotIn" } }] } } },
    "podFailurePolicy FailJob",
  ],
  [{ spec: { podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In" } }] } } }, undefined],
  [{ spec: { suspend: true } }, "suspended"],
  [{ spec: { suspend: true, ...disruption("Ignore") } }, "suspended"],
  [{ status: { conditions: [{ type: "FailureTarget", status: "True" }] } }, "ended"],
  [{ status: { succeeded: 1 } }, "no pod is replaced after the first success"],
  [{ spec: { completions: 3 }, status: { succeeded: 1 } }, undefined],
  [{ metadata: { uid: "another" } }, "deleted"],
  ["absent", "deleted"],
  ["recreates", undefined],
])("a pod of the Job %j is lost by its eviction: %s", (job, why) => {
  const { refusals } = judgePods([ofJob("step")], careful, withJob(job), NOON);
  const lost = { pod: "shop/step", reason: "uncertain-owner", detail: `Job/nightly: ${why}` };
  expect(refusals).toEqual(why === undefined ? [] : [lost]);
  const { evict, warnings } = judgePods([ofJob("step")], forced, withJob(job), NOON);
  expect([evict.length, warnings]).toEqual([1, why === undefined ? [] : [lost]]);
});

test("each pod of a Job that leaves takes a retry, and one that is leaving or has ended takes none", () => {
  const job = withJob({ spec: { completions: 4, backoffLimit: 3 }, status: { failed: 2 } });
  const ended = ofJob("ended", { status: { phase: "Failed" } });
  const leaving = ofJob("leaving", { metadata: { deletionTimestamp: at(0) } });
  expect(judgePods([ofJob("a"), ended, leaving], careful, job, NOON).refusals).toEqual([]);
  expect(judgePods([ofJob("a"), ofJob("b"), ended], careful, job, NOON).refusals.map(({ detail }) => detail)).toEqual(
    Array.from({ length: 2 }, () => "Job/nightly: backoffLimit 3, 1 retry left for 2 pods"),
  );
});

test("an index that has failed as often as it may is lost by another failure", () => {
  const annotations = { "batch.kubernetes.io/job-index-failure-count": "1" };
  const job = withJob({ spec: { completions: 4, backoffLimitPerIndex: 1 } });
  expect(judgePods([ofJob("a", { metadata: { annotations } })], careful, job, NOON).refusals).toMatchObject([
    { detail: "Job/nightly: backoffLimitPerIndex 1, no retry left" },
  ]);
});

test("a Job that may not be read stops no drain, and is named", () => {
  const { evict, refusals, warnings } = judgePods([ofJob("a")], careful, withJob({ unreadable: "not yours" }), NOON);
  expect([evict.length, refusals]).toEqual([1, []]);
  expect(warnings).toMatchObject([{ reason: "job-unreadable", detail: "shop/nightly: not yours" }]);
});

test.each<[string, string, number | null | undefined]>([
  ["karpenter.sh/do-not-disrupt", "true", null],
  ["karpenter.sh/do-not-disrupt", "3h", 103 * 60_000],
  ["karpenter.sh/do-not-disrupt", "1h30m", 13 * 60_000],
  ["karpenter.sh/do-not-disrupt", "5m", undefined],
  ["karpenter.sh/do-not-disrupt", "0s", undefined],
  ["karpenter.sh/do-not-disrupt", "", undefined],
  ["karpenter.sh/do-not-disrupt", "no", undefined],
  ["karpenter.sh/do-not-evict", "true", null],
  ["casement.dev/do-not-disrupt", "", null],
  ["cluster-autoscaler.kubernetes.io/safe-to-evict", "false", null],
])("a pod that has run for 77 minutes is held by %s=%j until %s", (annotation, value, left) => {
  const pod = podNamed("job", {
    metadata: { annotations: { [annotation]: value } },
    status: { phase: "Running", startTime: at(-77 * 60) },
  });
  const until = left === null || left === undefined ? left : NOON + left;
  expect(podHold(pod, NOON)?.until).toBe(until);
});

test.each<[string, string[]]>([
  ["soon", ["shop/job (karpenter.sh/do-not-disrupt: soon)"]],
  ["", ["shop/job (karpenter.sh/do-not-disrupt: )"]],
  ["true", []],
  ["false", []],
  ["3h", []],
])("a pod with do-not-disrupt=%j is named where the value cannot be read", (value, named) => {
  const pod = podNamed("job", { metadata: { annotations: { "karpenter.sh/do-not-disrupt": value } } });
  expect(unreadHoldsOf([pod])).toEqual(named);
  expect(unreadHoldsOf([{ ...pod, status: { phase: "Succeeded" } }])).toEqual([]);
});

test("V5 a mirror pod stays without a word, while a naked pod beside it stops the drain", () => {
  const annotations = { "kubernetes.io/config.mirror": "abc" };
  const mirror = podNamed("static", { metadata: { ...naked, annotations }, spec: emptyDir });
  const { stay, warnings, refusals } = judgePods([mirror, podNamed("alone", { metadata: naked })], careful, none, NOON);
  expect(names(stay)).toEqual(["static"]);
  expect(warnings).toEqual([]);
  expect(refusals.map(({ pod, reason }) => `${pod} ${reason}`)).toEqual(["shop/alone unmanaged"]);
});

test("V12 a pod that is over its grace for 120 s is skipped after 60 s, and waited for by default", () => {
  const pod = podNamed("ending", { metadata: { deletionTimestamp: at(-120), ownerReferences: [owner("ReplicaSet")] } });
  expect(names(judgePods([pod], { ...careful, skipAfterSeconds: 60 }, none, NOON).stay)).toHaveLength(1);
  expect(names(judgePods([pod], { ...careful, skipAfterSeconds: 120 }, none, NOON).stay)).toHaveLength(0);
  expect(names(judgePods([pod], careful, none, NOON).stay)).toHaveLength(0);
});

test("a pod that is over its grace is waited for if only others are to be skipped", () => {
  const pod = podNamed("ending", { metadata: { deletionTimestamp: at(-120), ownerReferences: [owner("ReplicaSet")] } });
  const skipping = (...skips: string[]) => judgePods([pod], { ...careful, skipAfterSeconds: 60, skips }, none, NOON);
  expect(names(skipping("shop/ending").stay)).toEqual(["ending"]);
  expect(names(skipping("shop/other").evict)).toEqual(["ending"]);
});

test("V13 a grace of -1 is left out, 0 is refused without force, 30 is sent", () => {
  const graced = (graceSeconds: number, force = false) => graceOf({ ...careful, graceSeconds, force });
  expect([graced(-1), graced(0), graced(30)]).toEqual([{}, "refused", { gracePeriodSeconds: 30 }]);
});

test("DR-12 no grace is the pod's own, and not even force ends a pod at once", () => {
  expect(graceOf(careful)).toEqual({});
  expect(graceOf({ ...careful, graceSeconds: 0, force: true })).toEqual({ gracePeriodSeconds: 1 });
});

test("a probe of Casement's own stays without a word; a pod with its label elsewhere is a pod like any other", () => {
  const labels = { "casement.dev/probe": "windows" };
  const probe = podNamed("probe-1", { metadata: { name: "probe-1", namespace: "casement", labels, ...naked } });
  const other = podNamed("web-1", { metadata: { name: "web-1", namespace: "shop", labels, ...naked } });
  const { stay, warnings, refusals } = judgePods([probe, other], careful, none, NOON);
  expect([names(stay), warnings]).toEqual([["probe-1"], []]);
  expect(refusals.map(({ pod }) => pod)).toEqual(["shop/web-1"]);
  expect(names(podsToEvict([probe, other]))).toEqual(["web-1"]);
});

test.each([
  ["cluster-autoscaler.kubernetes.io/safe-to-evict", "true"],
  ["cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes", "other, cache"],
  ["descheduler.alpha.kubernetes.io/evict", ""],
])("a pod whose owner allows the loss of its local data by %s is evicted without force", (annotation, value) => {
  const metadata = { name: "scratch", namespace: "shop", ownerReferences: [owner("ReplicaSet")] };
  const pod = podNamed("scratch", { metadata: { ...metadata, annotations: { [annotation]: value } }, spec: emptyDir });
  const { evict, refusals, warnings } = judgePods([pod], careful, none, NOON);
  expect([names(evict), refusals, warnings]).toEqual([["scratch"], [], []]);
  const naked = podNamed("alone", {
    metadata: { ...metadata, ownerReferences: [], annotations: { [annotation]: value } },
  });
  expect(judgePods([naked], careful, none, NOON).refusals.map(({ reason }) => reason)).toEqual(["unmanaged"]);
});

test("a volume that its owner does not name still needs force", () => {
  const annotations = { "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes": "other" };
  const pod = podNamed("data", { spec: emptyDir, metadata: { annotations, ownerReferences: [owner("ReplicaSet")] } });
  expect(judgePods([pod], careful, none, NOON).refusals).toMatchObject([{ reason: "empty-dir", detail: "cache" }]);
});

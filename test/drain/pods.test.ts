import type { V1Pod } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import {
  claimNamesOf,
  claimsOf,
  controllerOf,
  daemonSetOf,
  emptyDirsOf,
  expendableDirsOf,
  groupOf,
  isFinished,
  isMirror,
  isNameReused,
  isPodReady,
  isProbe,
  isTerminating,
  overdueMs,
  podHold,
  podName,
  podsToEvict,
  tierOf,
  timeOf,
  uidOf,
  uncertainOwner,
  unreadHold,
} from "../../lambdas/steps/drain/pods.ts";
import { at, NOON, owner, podNamed } from "./objects.ts";

type Given = Parameters<typeof podNamed>[1];

const bare: V1Pod = {};
const annotated = (annotations: Record<string, string>, more: Given = {}): V1Pod =>
  podNamed("a", { ...more, metadata: { namespace: "shop", name: "a", annotations } });
const owned = (...reference: Parameters<typeof owner>): Given => ({
  metadata: { ownerReferences: [owner(...reference)] },
});

test("A pod is named with its namespace, and known by its uid", () => {
  expect([podName(podNamed("a")), uidOf(podNamed("a")), uidOf(bare)]).toEqual(["shop/a", "uid-a", ""]);
});

test.each<[Given, readonly boolean[]]>([
  [{}, [false, false, true]],
  [{ status: { phase: "Succeeded" } }, [true, false, true]],
  [{ status: { phase: "Failed" } }, [true, false, true]],
  [{ metadata: { deletionTimestamp: at(0) } }, [false, true, true]],
  [{ status: { conditions: [{ type: "Ready", status: "False" }] } }, [false, false, false]],
  [{ status: { conditions: [{ type: "Initialized", status: "True" }] } }, [false, false, false]],
])("A pod with %j has finished, is terminating, is ready: %j", (given, expected) => {
  const pod = podNamed("a", given);
  expect([isFinished(pod), isTerminating(pod), isPodReady(pod)]).toEqual(expected);
});

test("A pod without a status is none of it", () => {
  expect([isFinished(bare), isTerminating(bare), isPodReady(bare), isMirror(bare), isProbe(bare)]).toEqual(
    Array.from({ length: 5 }, () => false),
  );
});

test("A static pod is known by its annotation, a probe by namespace and label", () => {
  const labels = { "casement.dev/probe": "windows" };
  const probe = (namespace: string, of: Record<string, string>) =>
    isProbe(podNamed("p", { metadata: { namespace, labels: of } }));
  expect([isMirror(annotated({ "kubernetes.io/config.mirror": "" })), isMirror(annotated({ other: "" }))]).toEqual([
    true,
    false,
  ]);
  expect([probe("casement", labels), probe("shop", labels), probe("casement", {})]).toEqual([true, false, false]);
});

test("The controller is the owner that is marked as one", () => {
  const other = { ...owner("Other"), controller: false };
  const both = podNamed("a", { metadata: { ownerReferences: [other, owner("ReplicaSet")] } });
  expect(controllerOf(both)).toMatchObject({ kind: "ReplicaSet" });
  expect([controllerOf(podNamed("a", { metadata: { ownerReferences: [other] } })), controllerOf(bare)]).toEqual([
    undefined,
    undefined,
  ]);
});

test.each([
  ["apps/v1", "apps"],
  ["v1", ""],
  ["", ""],
  ["a.b/v1/x", "a.b"],
])("The API version %j is of the group %j", (version, group) => {
  expect(groupOf(version)).toBe(group);
});

test.each<[Given, string | undefined]>([
  [owned("DaemonSet", "agent"), "agent"],
  [owned("DaemonSet", "agent", "custom/v1"), undefined],
  [owned("ReplicaSet", "agent"), undefined],
  [{ metadata: { ownerReferences: [] } }, undefined],
])("A pod with %j is of the DaemonSet %s", (given, name) => {
  expect(daemonSetOf(podNamed("a", given))).toBe(name);
});

describe("An owner that may not create another pod", () => {
  const never = (reference: Given, more: Given = {}) =>
    podNamed("a", { ...reference, ...more, spec: { restartPolicy: "Never" } });

  test.each<[V1Pod, string | undefined]>([
    [never(owned("Workflow", "nightly", "argo/v1")), "Workflow/nightly"],
    [never(owned("StatefulSet")), undefined],
    [never(owned("StatefulSet", "web", "apps.kruise.io/v1")), "StatefulSet/web"],
    [never(owned("DaemonSet")), undefined],
    [never(owned("ReplicaSet")), undefined],
    [never(owned("ReplicationController", "web", "v1")), undefined],
    [never(owned("Job", "web", "batch/v1")), undefined],
    [never(owned("GameServer", "g", "example.com/v1")), undefined],
    [never({ metadata: { ownerReferences: [] } }), undefined],
    [never(owned("Workflow", "nightly", "argo/v1"), { status: { phase: "Failed" } }), undefined],
    [podNamed("a", owned("Workflow", "nightly", "argo/v1")), undefined],
    [podNamed("a", { ...owned("Workflow", "nightly", "argo/v1"), spec: { restartPolicy: "Always" } }), undefined],
  ])("of case %#", (pod, name) => {
    expect(uncertainOwner(pod, ["example.com/GameServer"])).toBe(name);
  });

  test("is every other kind without a configured one", () => {
    expect(uncertainOwner(never(owned("GameServer", "g", "example.com/v1")))).toBe("GameServer/g");
  });
});

describe("Local volumes", () => {
  const volumes = [
    { name: "cache", emptyDir: {} },
    { name: "scratch", emptyDir: {} },
    { name: "config", configMap: { name: "c" } },
  ];
  const dirs = (annotations: Record<string, string>) => {
    const pod = annotated(annotations, { spec: { volumes } });
    return [emptyDirsOf(pod), expendableDirsOf(pod)];
  };
  const both = ["cache", "scratch"];

  test.each<[Record<string, string>, readonly (readonly string[])[]]>([
    [{}, [both, []]],
    [{ "cluster-autoscaler.kubernetes.io/safe-to-evict": "true" }, [[], both]],
    [{ "cluster-autoscaler.kubernetes.io/safe-to-evict": "false" }, [both, []]],
    [{ "descheduler.alpha.kubernetes.io/evict": "" }, [[], both]],
    [{ "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes": "other, cache" }, [["scratch"], ["cache"]]],
  ])("with %j are lost and allowed to be lost: %j", (annotations, expected) => {
    expect(dirs(annotations)).toEqual(expected);
  });

  test("are none in a pod without volumes", () => {
    expect([emptyDirsOf(bare), expendableDirsOf(bare)]).toEqual([[], []]);
  });
});

test("The claims of a pod are those of its volumes, and of volumes that live with it", () => {
  const volumes = [
    { name: "data", persistentVolumeClaim: { claimName: "shared" } },
    { name: "own", ephemeral: {} },
    { name: "cache", emptyDir: {} },
  ];
  const pod = podNamed("db-0", { spec: { volumes } });
  expect([claimNamesOf(pod), claimsOf(pod), claimNamesOf(bare)]).toEqual([["shared", "db-0-own"], 2, []]);
});

describe("A hold on a pod", () => {
  const DISRUPT = "karpenter.sh/do-not-disrupt";
  const started = { status: { phase: "Running", startTime: at(-3_600) } };
  const forever = (annotation: string) => ({ annotation, until: null });

  test.each<[string, string, ReturnType<typeof podHold>]>([
    ["casement.dev/do-not-disrupt", "true", forever("casement.dev/do-not-disrupt")],
    ["casement.dev/do-not-disrupt", "", forever("casement.dev/do-not-disrupt")],
    ["casement.dev/do-not-disrupt", "false", undefined],
    ["karpenter.sh/do-not-evict", "true", forever("karpenter.sh/do-not-evict")],
    ["karpenter.sh/do-not-evict", "yes", undefined],
    [
      "cluster-autoscaler.kubernetes.io/safe-to-evict",
      "false",
      forever("cluster-autoscaler.kubernetes.io/safe-to-evict"),
    ],
    ["cluster-autoscaler.kubernetes.io/safe-to-evict", "true", undefined],
    [DISRUPT, "true", forever(DISRUPT)],
    [DISRUPT, "false", undefined],
    [DISRUPT, "1h", undefined],
    [DISRUPT, "1h1ms", { annotation: DISRUPT, until: NOON + 1 }],
    [DISRUPT, "1h30m", { annotation: DISRUPT, until: NOON + 1_800_000 }],
    [DISRUPT, "61m", { annotation: DISRUPT, until: NOON + 60_000 }],
    [DISRUPT, "3601s", { annotation: DISRUPT, until: NOON + 1_000 }],
    [DISRUPT, "1.5h", { annotation: DISRUPT, until: NOON + 1_800_000 }],
    [DISRUPT, "2 hours", undefined],
    [DISRUPT, "x2h", undefined],
    ["example.com/other", "true", undefined],
  ])("by %s: %j is %j", (annotation, value, hold) => {
    expect(podHold(annotated({ [annotation]: value }, started), NOON)).toEqual(hold);
  });

  test("is the first that holds, and none on a pod that has finished or not started", () => {
    const both = { "karpenter.sh/do-not-evict": "no", "casement.dev/do-not-disrupt": "true" };
    expect(podHold(annotated(both), NOON)).toEqual(forever("casement.dev/do-not-disrupt"));
    expect(podHold(annotated(both, { status: { phase: "Succeeded" } }), NOON)).toBeUndefined();
    expect(podHold(annotated({ [DISRUPT]: "9h" }), NOON)).toBeUndefined();
    expect(podHold(bare, NOON)).toBeUndefined();
  });

  test.each([
    ["soon", `${DISRUPT}: soon`],
    ["", `${DISRUPT}: `],
    ["true", undefined],
    ["false", undefined],
    ["1h", undefined],
  ])("by the value %j cannot be read: %s", (value, text) => {
    expect(unreadHold(annotated({ [DISRUPT]: value }))).toBe(text);
  });

  test("is read on no finished pod, and where there is none", () => {
    expect(unreadHold(annotated({ [DISRUPT]: "soon" }, { status: { phase: "Failed" } }))).toBeUndefined();
    expect(unreadHold(bare)).toBeUndefined();
  });
});

test.each<[string, Given, number]>([
  ["an ordinary pod", {}, 0],
  ["a DaemonSet's", owned("DaemonSet", "agent"), 1],
  ["a critical one by priority", { spec: { priority: 2_000_000_000 } }, 2],
  ["one just below", { spec: { priority: 1_999_999_999 } }, 0],
  ["a critical one of the cluster", { spec: { priorityClassName: "system-cluster-critical" } }, 2],
  ["a critical one of nodes", { spec: { priorityClassName: "system-node-critical" } }, 2],
  ["one of another class", { spec: { priorityClassName: "high" } }, 0],
  ["a DaemonSet's critical one", { ...owned("DaemonSet", "agent"), spec: { priority: 2_000_001_000 } }, 3],
])("The tier of %s is %s", (_what, given, tier) => {
  expect(tierOf(podNamed("a", given))).toBe(tier);
});

test.each<[Given, boolean]>([
  [owned("ReplicaSet"), false],
  [owned("ReplicationController", "web", "v1"), false],
  [owned("Job", "web", "batch/v1"), false],
  [owned("DaemonSet"), false],
  [owned("StatefulSet"), true],
  [owned("ReplicaSet", "web", "custom/v1"), true],
  [{ metadata: { ownerReferences: [] } }, true],
])("The name of a pod with %j may be used again: %s", (given, isReused) => {
  expect(isNameReused(podNamed("a", given))).toBe(isReused);
});

test("Times are milliseconds, and a terminating pod is overdue since the end of its grace", () => {
  expect([timeOf(at(1)), timeOf("2026-11-21T12:00:00Z"), timeOf(undefined)]).toEqual([NOON + 1_000, NOON, undefined]);
  const ending = (seconds: number) => podNamed("a", { metadata: { deletionTimestamp: at(seconds) } });
  expect([overdueMs(ending(-60), NOON), overdueMs(ending(30), NOON), overdueMs(bare, NOON)]).toEqual([
    60_000, -30_000, 0,
  ]);
});

test("A drain evicts running pods that are not static, not probes and not of a DaemonSet", () => {
  const pods = [
    podNamed("web-0"),
    podNamed("done", { status: { phase: "Succeeded" } }),
    podNamed("agent", owned("DaemonSet", "agent")),
    podNamed("probe", { metadata: { namespace: "casement", labels: { "casement.dev/probe": "windows" } } }),
    annotated({ "kubernetes.io/config.mirror": "x" }),
    podNamed("ending", { metadata: { name: "ending", deletionTimestamp: at(0) } }),
  ];
  expect(podsToEvict(pods).map(({ metadata }) => metadata?.name)).toEqual(["web-0", "ending"]);
});

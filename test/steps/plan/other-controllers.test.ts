import type { V1Node } from "@kubernetes/client-node";
import { describe, expect, it } from "vitest";
import type { OtherController } from "../../../lambdas/messages/node/other-controllers.ts";
import {
  conflictsWith,
  type Disruption,
  otherControllersOf,
  type Traces,
} from "../../../lambdas/steps/plan/other-controllers.ts";
import { launched, windowsNode } from "../cluster/cluster-objects.ts";

const traces = (more: Partial<Traces> = {}): Traces => ({
  node: windowsNode("web-1"),
  machine: launched(),
  claimed: [],
  machineFacts: null,
  healthChecks: [],
  associations: [],
  patches: null,
  groupMember: null,
  marks: {},
  now: Date.parse("2026-11-21T12:00:00Z"),
  ...more,
});

const annotated = (annotations: Record<string, string>): Partial<Traces> => ({
  node: windowsNode("web-1", { metadata: { name: "web-1", annotations } }),
});

const tainted = (key: string, metadata: object = {}): Partial<Traces> => ({
  node: windowsNode("web-1", {
    metadata: { name: "web-1", ...metadata },
    spec: { taints: [{ key, effect: "NoSchedule" }] },
  }) satisfies V1Node,
});

/** The taint of the autoscaler, whose value is the time at which it set the taint, in seconds. */
const marked = (at: string): Partial<Traces> => ({
  node: windowsNode("web-1", {
    spec: {
      taints: [{ key: "ToBeDeletedByClusterAutoscaler", value: String(Date.parse(at) / 1_000), effect: "NoSchedule" }],
    },
  }),
});

const behind = (metadata: object) => ({ metadata: { name: "machine-1", ...metadata } });

const check = (more: object = {}, selector: object = { matchLabels: { role: "win" } }) => ({
  metadata: { name: "windows", ...more },
  spec: { selector, unhealthyConditions: [{ type: "Ready", timeout: "300s" }] },
});
const exceptWindows = {
  matchLabels: { role: "worker" },
  matchExpressions: [{ key: "os", operator: "NotIn", values: ["Windows"] }],
};

const owned: OtherController = { kind: "owner", owner: { kind: "auto-scaling-group", owner: "asg" } };
const inGroup = { machine: launched({}, { "aws:autoscaling:groupName": "asg" }) };
const member = { group: "asg", lifecycle: "InService", checks: "EC2,ELB", suspended: [] };
const checked = (checks: string | null): OtherController => ({
  kind: "group-check",
  group: "asg",
  instance: "i-0aaa",
  checks,
});
const wmco = "windowsmachineconfig.openshift.io/";

describe("Other controllers of a node", () => {
  it("are none on a node that Casement alone looks after", () => {
    expect(otherControllersOf(traces())).toEqual([]);
  });

  it.each<[string, Partial<Traces>, OtherController]>([
    ["WMCO that configured it", annotated({ [`${wmco}version`]: "10" }), { kind: "wmco", acting: false }],
    [
      "WMCO about to reboot it",
      annotated({ [`${wmco}version`]: "10", [`${wmco}reboot-required`]: "" }),
      { kind: "wmco", acting: true },
    ],
    [
      "kured that wants a reboot",
      annotated({ "weave.works/kured-most-recent-reboot-needed": "2026-11-20T08:00:00Z" }),
      { kind: "kured", acting: false },
    ],
    [
      "kured at work",
      annotated({ "weave.works/kured-reboot-in-progress": "2026-11-21T11:55:00Z" }),
      { kind: "kured", acting: true },
    ],
    [
      "the cluster autoscaler",
      tainted("ToBeDeletedByClusterAutoscaler"),
      { kind: "autoscaler", key: "ToBeDeletedByClusterAutoscaler", acting: true },
    ],
    [
      "the cluster autoscaler that finds the node unneeded",
      tainted("DeletionCandidateOfClusterAutoscaler"),
      { kind: "autoscaler-candidate" },
    ],
    [
      "Karpenter",
      tainted("karpenter.sh/disrupted"),
      { kind: "karpenter", key: "karpenter.sh/disrupted", acting: true },
    ],
    [
      "Karpenter before its release 1.0",
      tainted("karpenter.sh/disruption"),
      { kind: "karpenter", key: "karpenter.sh/disruption", acting: true },
    ],
    [
      "a MachineHealthCheck",
      { machineFacts: behind({ labels: { role: "win" } }), healthChecks: [check()] },
      { kind: "health-check", name: "windows", timeout: "300s" },
    ],
    [
      "the deletion of its Machine",
      { machineFacts: behind({ deletionTimestamp: new Date("2026-11-21T11:10:00Z") }) },
      { kind: "machine-deleted", name: "machine-1", acting: true },
    ],
    [
      "a MachineSet that loses its Machine first",
      { machineFacts: behind({ annotations: { "machine.openshift.io/delete-machine": "true" } }) },
      { kind: "machine-chosen", name: "machine-1" },
    ],
    [
      "updates that wait for a reboot",
      { patches: { pending: 2, reboots: true } },
      { kind: "updates", pending: 2, reboots: true },
    ],
    [
      "SSM patching",
      { associations: [{ name: "patch-nightly", document: "AWS-RunPatchBaseline" }] },
      { kind: "association", name: "patch-nightly", document: "AWS-RunPatchBaseline" },
    ],
  ])("include %s", (_, more, found) => {
    expect(otherControllersOf(traces(more))).toEqual([found]);
  });

  it.each<[string, Partial<Traces>]>([
    ["that selects other machines", { machineFacts: behind({ labels: { role: "linux" } }), healthChecks: [check()] }],
    [
      "whose expressions exclude it",
      {
        machineFacts: behind({ labels: { role: "worker", os: "Windows" } }),
        healthChecks: [check({}, exceptWindows)],
      },
    ],
    [
      "that its owner paused",
      {
        machineFacts: behind({ labels: { role: "win" } }),
        healthChecks: [check({ annotations: { "cluster.x-k8s.io/paused": "" } })],
      },
    ],
    ["where no Machine stands behind the node", { healthChecks: [check()] }],
  ])("leave out a MachineHealthCheck %s", (_, more) => {
    expect(otherControllersOf(traces(more))).toEqual([]);
  });

  it.each<[string, Partial<Traces>, readonly OtherController[]]>([
    ["that checks its instances", { ...inGroup, groupMember: member }, [owned, checked("EC2,ELB")]],
    ["whose checks could not be read", inGroup, [owned, checked(null)]],
    [
      "whose owner has suspended the checks",
      { ...inGroup, groupMember: { ...member, suspended: ["HealthCheck"] } },
      [owned],
    ],
    [
      "whose owner has suspended the replacement alone",
      { ...inGroup, groupMember: { ...member, suspended: ["ReplaceUnhealthy"] } },
      [owned, checked("EC2,ELB")],
    ],
    [
      "that is terminating the instance, which a lifecycle hook still holds",
      { ...inGroup, groupMember: { ...member, lifecycle: "Terminating:Wait", suspended: ["HealthCheck"] } },
      [owned, { kind: "group-ends", group: "asg", lifecycle: "Terminating:Wait", acting: true }],
    ],
    ["that has the instance in Standby", { ...inGroup, groupMember: { ...member, lifecycle: "Standby" } }, [owned]],
  ])("include an Auto Scaling group %s", (_, more, found) => {
    expect(otherControllersOf(traces(more))).toEqual(found);
  });

  it("include Karpenter as long as it may take an empty node away", () => {
    const machine = launched({}, { "karpenter.sh/nodepool": "np" });
    const kinds = (more: Partial<Traces>) => otherControllersOf(traces({ machine, ...more })).map(({ kind }) => kind);
    expect(kinds({})).toEqual(["owner", "karpenter-consolidates"]);
    expect(kinds(annotated({ "karpenter.sh/do-not-disrupt": "true" }))).toEqual(["owner"]);
  });

  it("are at work for half an hour after their mark, and have left an older one behind", () => {
    const at = (time: string) => otherControllersOf(traces(marked(time)));
    const autoscaler = { kind: "autoscaler", key: "ToBeDeletedByClusterAutoscaler" };
    expect(at("2026-11-21T11:58:00Z")).toEqual([{ ...autoscaler, acting: true, age: "2m" }]);
    expect(at("2026-11-21T10:00:00Z")).toEqual([{ ...autoscaler, acting: false, age: "120m" }]);
    const kured = (time: string) =>
      otherControllersOf(traces(annotated({ "weave.works/kured-reboot-in-progress": time })));
    expect(kured("2026-11-21T11:50:00Z")).toEqual([{ kind: "kured", acting: true }]);
    expect(kured("2026-11-14T12:00:00Z")).toEqual([{ kind: "kured", acting: false, age: "7d" }]);
  });

  it("are judged by the first observation of a mark that has no time, unless the Node is being deleted", () => {
    const key = "karpenter.sh/disrupted";
    const seen = (time: string, metadata: object = {}) =>
      otherControllersOf(traces({ ...tainted(key, metadata), marks: { [key]: time } }));
    expect(seen("2026-11-21T11:10:00Z")).toEqual([{ kind: "karpenter", key, acting: true, age: "50m" }]);
    expect(seen("2026-11-21T09:00:00Z")).toEqual([{ kind: "karpenter", key, acting: false, age: "3h" }]);
    const deletionTimestamp = new Date("2026-11-21T09:00:00Z");
    expect(seen("2026-11-21T09:00:00Z", { deletionTimestamp })).toMatchObject([{ acting: true }]);
  });

  it("are no longer at work on a node whose reboot WMCO has forgotten, or whose Machine's deletion stands still", () => {
    const asked = annotated({ [`${wmco}version`]: "10", [`${wmco}reboot-required`]: "" });
    const since = (time: string) =>
      otherControllersOf(traces({ ...asked, marks: { [`${wmco}reboot-required`]: time } }));
    expect(since("2026-11-21T11:10:00Z")).toEqual([{ kind: "wmco", acting: true }]);
    expect(since("2026-11-21T09:00:00Z")).toEqual([{ kind: "wmco", acting: false, age: "3h" }]);
    const machineFacts = behind({ deletionTimestamp: "2026-11-21T09:00:00Z" as never });
    expect(otherControllersOf(traces({ machineFacts }))).toEqual([
      { kind: "machine-deleted", name: "machine-1", acting: false, age: "3h" },
    ]);
  });

  it("leave out a machine whose updates wait for nothing", () => {
    expect(otherControllersOf(traces({ patches: { pending: 0, reboots: true } }))).toEqual([]);
  });

  it("leave out associations that reboot nothing", () => {
    const associations = [{ name: "inventory", document: "AWS-GatherSoftwareInventory" }];
    expect(otherControllersOf(traces({ associations }))).toEqual([]);
  });
});

it("kured is at work since its mark was first seen, where the time of the mark cannot be read", () => {
  const key = "weave.works/kured-reboot-in-progress";
  const seen = (marks: Traces["marks"], time = "yesterday") =>
    otherControllersOf(traces({ ...annotated({ [key]: time }), marks }));
  expect(seen({})).toEqual([{ kind: "kured", acting: true }]);
  expect(seen({ [key]: "2026-11-21T11:40:00Z" })).toEqual([{ kind: "kured", acting: true }]);
  expect(seen({ [key]: "2026-11-20T12:00:00Z" })).toEqual([{ kind: "kured", acting: false, age: "24h" }]);
  expect(seen({ [key]: "2026-11-20T12:00:00Z" }, "2026-11-21T11:50:00Z")).toEqual([{ kind: "kured", acting: true }]);
});

describe("A conflict", () => {
  it.each<[OtherController, Disruption, boolean]>([
    [{ kind: "kured", acting: true }, "drain", true],
    [{ kind: "kured", acting: false }, "drain", false],
    [{ kind: "group-ends", group: "asg", lifecycle: "Terminating:Wait", acting: true }, "drain", true],
    [{ kind: "health-check", name: "windows", timeout: "300s" }, "drain", false],
    [{ kind: "health-check", name: "windows", timeout: "300s" }, "reboot", true],
    [owned, "drain", false],
    [owned, "reboot", false],
    [checked("EC2"), "drain", false],
    [checked("EC2"), "reboot", true],
    [checked(null), "reboot", true],
    [{ kind: "karpenter-consolidates" }, "drain", true],
    [{ kind: "karpenter-consolidates" }, "reboot", true],
    [{ kind: "health-check", name: "windows", timeout: "300s" }, "restart", true],
    [checked("EC2"), "restart", true],
    [{ kind: "karpenter-consolidates" }, "restart", false],
    [{ kind: "kured", acting: true }, "restart", true],
    [owned, "remove", true],
    [{ kind: "association", name: "patch-nightly", document: "AWS-RunPatchBaseline" }, "drain", false],
  ])("of %j with a %s: %s", (controller, disruption, conflicts) => {
    expect(conflictsWith(controller, disruption)).toBe(conflicts);
  });
});

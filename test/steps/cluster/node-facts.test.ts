import type { V1Node } from "@kubernetes/client-node";
import { describe, expect, it } from "vitest";
import {
  detailsOf,
  instanceIdOf,
  isWindows,
  movedPods,
  rowOf,
  statusOf,
} from "../../../lambdas/steps/cluster/node-facts.ts";
import { BUILD, labelled, launched, pod, unready, windowsNode } from "./cluster-objects.ts";

describe("The status of a node", () => {
  const cordoned: Partial<V1Node> = { spec: { unschedulable: true } };
  it.each<[string, Partial<V1Node>]>([
    ["Ready", {}],
    ["Ready,SchedulingDisabled", cordoned],
    ["NotReady", unready("False")],
    ["NotReady", unready("Unknown")],
    ["NotReady,SchedulingDisabled", { ...unready("False"), ...cordoned }],
    ["Unknown", { status: {} }],
    ["Unknown,SchedulingDisabled", { status: { conditions: [] }, ...cordoned }],
  ])("is %s, as kubectl says it", (status, changes) => {
    expect(statusOf(windowsNode("n", changes))).toBe(status);
  });
});

describe("A line of the list of nodes", () => {
  it("has the roles in kubectl's order, once each, also from the old label", () => {
    const labels = {
      "node-role.kubernetes.io/worker": "",
      "node-role.kubernetes.io/edge": "",
      "node-role.kubernetes.io/": "",
      "kubernetes.io/role": "edge",
    };
    expect(rowOf(windowsNode("n", labelled(labels)), undefined).roles).toEqual(["edge", "worker"]);
  });

  it("joins what the cluster and EC2 know", () => {
    expect(rowOf(windowsNode("web-1"), launched())).toMatchObject({
      name: "web-1",
      pool: "web",
      build: BUILD,
      instanceId: "i-0aaa",
      createdAt: "2026-11-20T08:00:00.000Z",
    });
    expect(rowOf(windowsNode("web-1"), undefined).pool).toBeNull();
  });

  it.each([
    ["aws:///us-west-2a/i-0abc", "i-0abc"],
    ["aws:///us-west-2a/i-0abc/x", null],
    ["gce:///zone/i-0abc", null],
    ["", null],
  ])("reads the provider id %j as %j", (providerID, instanceId) => {
    expect(instanceIdOf(windowsNode("n", { spec: { providerID } }))).toBe(instanceId);
  });

  it.each<[string, Record<string, string>]>([
    ["Linux", { "kubernetes.io/os": "linux" }],
    ["unlabelled", {}],
    ["labelled in capitals", { "kubernetes.io/os": "Windows" }],
  ])("is not a Windows node's when it is %s", (_, labels) => {
    expect(isWindows(windowsNode("n", labelled(labels)))).toBe(false);
  });
});

describe("The details of a node", () => {
  it("name taints as kubectl does, pods with their namespace, and who holds it", () => {
    const taints = [
      { key: "os", value: "Windows", effect: "NoSchedule" },
      { key: "casement.dev/starting", effect: "NoExecute" },
    ];
    const more = { ownership: "managed", heldBy: "add-1" };
    const node = windowsNode("web-1", { spec: { taints } });
    expect(detailsOf(node, launched(), [pod("web-a", "web-1")], more)).toMatchObject({
      taints: ["os=Windows:NoSchedule", "casement.dev/starting:NoExecute"],
      pods: ["shop/web-a"],
      ownership: "managed",
      heldBy: "add-1",
      instanceState: "running",
    });
  });
});

describe("The pods that a removal moves", () => {
  const meta = (name: string, more: object = {}) => ({ metadata: { name, namespace: "shop", ...more } });
  const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "logs", uid: "u" };

  it("leave out static pods, DaemonSets' pods and finished ones", () => {
    const pods = [
      pod("web-a", "n"),
      pod("static", "n", meta("static", { annotations: { "kubernetes.io/config.mirror": "x" } })),
      pod("logs", "n", meta("logs", { ownerReferences: [{ ...owner, controller: true }] })),
      pod("done", "n", { ...meta("done"), status: { phase: "Succeeded" } }),
      pod("dead", "n", { ...meta("dead"), status: { phase: "Failed" } }),
    ];
    expect(movedPods(pods).map(({ name }) => name)).toEqual(["web-a"]);
  });

  it("say who makes them again, and that nobody does", () => {
    const orphan = pod("orphan", "n", meta("orphan", { ownerReferences: [owner] }));
    expect(movedPods([pod("web-a", "n"), orphan])).toMatchObject([
      { namespace: "shop", name: "web-a", owner: "ReplicaSet web-7d4b9" },
      { name: "orphan", owner: null },
    ]);
  });

  it("say which data ends with them", () => {
    const volumes = [
      { name: "cache", emptyDir: {} },
      { name: "logs", hostPath: { path: "C:\\logs" } },
      { name: "config", configMap: { name: "web" } },
    ];
    const [moved] = movedPods([pod("web-a", "n", { spec: { containers: [], volumes } })]);
    expect(moved?.localData).toEqual(["emptyDir cache", "hostPath C:\\logs"]);
  });
});

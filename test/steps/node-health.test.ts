import { expect, test } from "vitest";
import type { Node } from "../../lambdas/steps/cluster/nodes.ts";
import { nodeFacts } from "../../lambdas/steps/health.ts";

const since = new Date("2026-11-21T14:00:00.000Z");
const nodeInfo = {
  ...{ bootID: "b-1", machineID: "m-1", systemUUID: "s-1", architecture: "amd64", operatingSystem: "windows" },
  ...{
    osImage: "Windows Server 2022 Datacenter",
    kernelVersion: "10.0.20348.1",
    containerRuntimeVersion: "containerd://2",
  },
  ...{ kubeletVersion: "v1.34.0", kubeProxyVersion: "v1.34.0" },
};
const node: Node = {
  metadata: {
    name: "win-1",
    labels: { "casement.dev/quarantined": "true" },
    annotations: { "casement.dev/cordoned-by": "drain-3f9c2a71" },
  },
  spec: {
    unschedulable: true,
    taints: [
      { key: "os", value: "Windows", effect: "NoSchedule" },
      { key: "x", effect: "NoExecute" },
    ],
  },
  status: {
    nodeInfo,
    conditions: [
      { type: "DiskPressure", status: "False" },
      {
        type: "Ready",
        status: "True",
        reason: "KubeletReady",
        message: "ok",
        lastTransitionTime: since,
        lastHeartbeatTime: since,
      },
    ],
  },
};

test("The facts of a Node are its boot, its condition, its taints and its cordon", () => {
  expect(nodeFacts(node)).toEqual({
    registered: true,
    bootId: "b-1",
    ready: {
      status: "True",
      reason: "KubeletReady",
      message: "ok",
      since: since.toISOString(),
      heartbeatAt: since.toISOString(),
    },
    taints: [
      { key: "os", value: "Windows", effect: "NoSchedule" },
      { key: "x", value: "", effect: "NoExecute" },
    ],
    cordoned: true,
    cordonedBy: "drain-3f9c2a71",
    quarantined: true,
  });
});

test("A machine without a Node has none of them", () => {
  expect(nodeFacts(undefined)).toEqual({
    registered: false,
    bootId: null,
    ready: null,
    taints: [],
    cordoned: false,
    cordonedBy: null,
  });
});

test("A Node that has reported nothing yet is registered, schedulable and not Ready", () => {
  expect(nodeFacts({ metadata: { name: "win-1" } } as Node)).toMatchObject({
    registered: true,
    ready: null,
    cordoned: false,
    cordonedBy: null,
  });
  expect(nodeFacts({ status: { conditions: [{ type: "Ready", status: "Unknown" }] } } as Node).ready).toEqual({
    status: "Unknown",
    reason: "",
    message: "",
    since: "1970-01-01T00:00:00.000Z",
    heartbeatAt: "1970-01-01T00:00:00.000Z",
  });
});

import type { V1Node } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { startingTaint } from "../../../lambdas/cluster/node-keys.ts";
import { tooManyNotReady } from "../../../lambdas/steps/cluster/breaker.ts";

const nodeOf = (os: string, isReady: boolean, taints: V1Node["spec"] = {}): V1Node => ({
  metadata: { labels: { "kubernetes.io/os": os } },
  spec: taints,
  status: { conditions: [{ type: "Ready", status: isReady ? "True" : "Unknown" }] },
});
const windows = (ready: number, notReady: number): V1Node[] => [
  ...Array.from({ length: ready }, () => nodeOf("windows", true)),
  ...Array.from({ length: notReady }, () => nodeOf("windows", false)),
];

test("more than the configured part of the Windows nodes must be NotReady, and two at least", () => {
  expect(tooManyNotReady(windows(2, 2), "30%")).toEqual({ notReady: 2, all: 4 });
  expect(tooManyNotReady(windows(7, 3), "30%")).toBeNull();
  expect(tooManyNotReady(windows(6, 4), "30%")).toEqual({ notReady: 4, all: 10 });
  expect(tooManyNotReady(windows(0, 1), "30%")).toBeNull();
  expect(tooManyNotReady(windows(0, 4), "100%")).toBeNull();
});

test("Linux nodes and nodes that start count for nothing", () => {
  const others = [
    nodeOf("linux", false),
    nodeOf("linux", false),
    nodeOf("windows", false, { taints: [startingTaint] }),
  ];
  expect(tooManyNotReady([...windows(3, 1), ...others], "30%")).toBeNull();
});

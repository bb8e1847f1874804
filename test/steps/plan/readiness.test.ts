import type { V1Pod } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { lessReady, readinessBefore } from "../../../lambdas/steps/plan/readiness.ts";

interface State {
  readonly on?: string;
  readonly isReady?: boolean;
  readonly owner?: string | null;
  readonly kind?: string;
  readonly isEnding?: boolean;
}

const podOf = ({
  on = "win-1",
  isReady = true,
  owner = "cart",
  kind = "ReplicaSet",
  isEnding = false,
}: State = {}): V1Pod => ({
  metadata: {
    ...{ name: "pod", namespace: "shop", ...(isEnding ? { deletionTimestamp: new Date(0) } : {}) },
    ownerReferences: owner ? [{ apiVersion: "apps/v1", kind, name: owner, uid: owner, controller: true }] : [],
  },
  spec: { nodeName: on, containers: [] },
  status: { phase: "Running", conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
});

test("the ready pods of each workload of the node are counted on all nodes", () => {
  const pods = [
    ...[podOf(), podOf({ on: "win-2" }), podOf({ on: "win-2", isReady: false }), podOf({ isEnding: true })],
    ...[podOf({ owner: "agent", kind: "DaemonSet" }), podOf({ owner: null }), podOf({ owner: "db", on: "win-2" })],
    podOf({ owner: "broken", isReady: false }),
  ];
  expect(readinessBefore(pods, "win-1")).toEqual([{ uid: "cart", workload: "shop/ReplicaSet cart", ready: 2 }]);
});

test("a workload with fewer ready pods than before is named, also where its owner cannot make any", () => {
  const before = [{ uid: "cart", workload: "shop/ReplicaSet cart", ready: 2 }];
  expect(lessReady(before, [podOf(), podOf({ isReady: false })])).toEqual([{ ...before[0], now: 1 }]);
  expect(lessReady(before, [podOf(), podOf({ on: "win-2" }), podOf({ isReady: false })])).toEqual([]);
  expect(lessReady(before, [podOf({ owner: "db" })])).toEqual([{ ...before[0], now: 0 }]);
});

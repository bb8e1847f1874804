import type { V1Pod, V1PodDisruptionBudget, V1PodDisruptionBudgetStatus } from "@kubernetes/client-node";
import type { DaemonSetState, DrainOptions, OwnerStates } from "../../lambdas/steps/drain/filters.ts";

/** The node that tests drain. */
export const NODE = "win-1";

/** Noon, in milliseconds since the epoch. */
export const NOON = Date.parse("2026-11-21T12:00:00Z");

/** A moment as the client reads it. */
export const at = (seconds: number): Date => new Date(NOON + seconds * 1_000);

/** Options of a drain that takes no loss. */
export const careful: DrainOptions = { force: false, deleteEmptyDir: false, graceSeconds: null, skipAfterSeconds: 0 };

/** Options of a drain whose losses a person has seen. */
export const forced: DrainOptions = { ...careful, force: true, deleteEmptyDir: true };

/** An owner reference that makes new pods. */
export const owner = (kind: string, name = "web", apiVersion = "apps/v1") => ({
  apiVersion,
  kind,
  name,
  uid: `${kind}-${name}`,
  controller: true,
});

interface Given {
  readonly metadata?: V1Pod["metadata"];
  readonly spec?: Partial<NonNullable<V1Pod["spec"]>>;
  readonly status?: V1Pod["status"];
}

/** A ready pod of a ReplicaSet on the node, but for what is given. */
export const podNamed = (name: string, { metadata, spec, status }: Given = {}): V1Pod => ({
  metadata: {
    namespace: "shop",
    name,
    uid: `uid-${name}`,
    labels: { app: "web" },
    ownerReferences: [owner("ReplicaSet")],
    ...metadata,
  },
  spec: { nodeName: NODE, containers: [{ name: "main" }], ...spec },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }], ...status },
});

/** A budget of namespace shop over the pods of app `web`, with its status. */
export const budgetNamed = (
  name: string,
  status: Partial<V1PodDisruptionBudgetStatus> = {},
  spec: V1PodDisruptionBudget["spec"] = { selector: { matchLabels: { app: "web" } } },
): V1PodDisruptionBudget => ({
  metadata: { namespace: "shop", name, generation: 1 },
  spec,
  status: {
    observedGeneration: 1,
    currentHealthy: 3,
    desiredHealthy: 2,
    expectedPods: 3,
    disruptionsAllowed: 1,
    ...status,
  },
});

/** Looked-up DaemonSets of namespace shop. */
export const daemonSets = (states: Readonly<Record<string, DaemonSetState>>): OwnerStates => ({
  daemonSets: new Map(Object.entries(states).map(([name, state]) => [`shop/${name}`, state])),
  jobs: new Map(),
});

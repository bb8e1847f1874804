import type { V1Node, V1Pod } from "@kubernetes/client-node";
import { inBaseUnits } from "./quantity.ts";

/** Amounts by resource, in base units: `cpu` in cores, `memory` in bytes, `pods` in pieces. */
export type Amounts = Readonly<Record<string, number>>;

type Quantities = Readonly<Record<string, string>>;

const amountsOf = (quantities: Quantities = {}): Amounts =>
  Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, inBaseUnits(quantity)]));

const combined = (combine: (one: number, other: number) => number, all: readonly Amounts[]): Amounts => {
  const names = new Set(all.flatMap((amounts) => Object.keys(amounts)));
  return Object.fromEntries([...names].map((name) => [name, all.map((one) => one[name] ?? 0).reduce(combine, 0)]));
};

/** Adds amounts resource by resource. */
export const sum = (...all: readonly Amounts[]): Amounts => combined((one, other) => one + other, all);

const most = (...all: readonly Amounts[]): Amounts => combined((one, other) => Math.max(one, other), all);

/**
 * Resources that the scheduler reserves for a pod: the sum of its containers or the largest init container, whichever
 * is larger, plus the overhead of its RuntimeClass and one place for the pod (PodRequests in
 * k8s.io/component-helpers/resource). Sidecars, which are init containers that keep running, are added to the
 * containers.
 */
export function requestsOf({ spec }: V1Pod): Amounts {
  const startUp = spec?.initContainers ?? [];
  const sidecars = startUp.filter(({ restartPolicy }) => restartPolicy === "Always");
  const running = [...(spec?.containers ?? []), ...sidecars].map(({ resources }) => amountsOf(resources?.requests));
  const largest = startUp.map(({ resources }) => amountsOf(resources?.requests));
  return sum(most(sum(...running), ...largest), amountsOf(spec?.overhead), { pods: 1 });
}

/** Resources of a node that are free for new pods. Pods that have ended use none. */
export function freeOn(node: V1Node, pods: readonly V1Pod[]): Amounts {
  const held = sum(...pods.filter(isHolding).map(requestsOf));
  const allocatable = amountsOf(node.status?.allocatable);
  return Object.fromEntries(Object.entries(allocatable).map(([name, amount]) => [name, amount - (held[name] ?? 0)]));
}

const isHolding = ({ status }: V1Pod): boolean => !["Succeeded", "Failed"].includes(status?.phase ?? "");

/**
 * Names the first resource that is too small; undefined if the pod fits. A node has 0 of a resource that it does not
 * list.
 */
export const shortageOf = (requests: Amounts, free: Amounts): string | undefined =>
  Object.entries(requests).find(([name, amount]) => amount > 0 && amount > (free[name] ?? 0))?.[0];

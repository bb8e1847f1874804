import { at, listOf } from "../model/object.ts";
import type { LabelSelector, Node, Pod } from "../model/shapes.ts";
import { matchesSelector } from "../request/selectors.ts";

// The scheduler's plug-ins NodeResourcesFit and VolumeZone (k8s pkg/scheduler/framework/plugins).

const units: Readonly<Record<string, number>> = {
  "": 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** Reads a quantity as the API writes it, such as "500m" or "16Gi"; undefined for anything else. */
export function quantity(text: string | undefined): number | undefined {
  const [, number = "", unit = ""] = /^([\d.]+)([a-zA-Z]*)$/.exec(text ?? "") ?? [];
  const factor = units[unit];
  return number === "" || factor === undefined ? undefined : Number(number) * factor;
}

/** Sums what a pod's containers request of a resource; a limit alone is a request too. */
const requested = ({ spec }: Pod, resource: string): number =>
  spec.containers.reduce((sum, { resources }) => {
    const asked = resources?.requests?.[resource] ?? resources?.limits?.[resource];
    return sum + (quantity(asked) ?? 0);
  }, 0);

/** Names the resources of which the node has too little left for the pod, beside the pods that it has. */
export const shortOf = (pod: Pod, { status }: Node, present: readonly Pod[]): string[] =>
  ["cpu", "memory"].filter((resource) => {
    const wanted = requested(pod, resource);
    const allocatable = quantity(status?.allocatable?.[resource]);
    if (wanted === 0 || allocatable === undefined) return false;
    return present.reduce((sum, one) => sum + requested(one, resource), wanted) > allocatable;
  });

type Expressions = NonNullable<LabelSelector["matchExpressions"]>;

/** Does the node satisfy one of these terms? No terms are satisfied by every node. */
export function satisfies(terms: unknown, { metadata }: Node): boolean {
  if (!Array.isArray(terms)) return true;
  return terms.some((term) => {
    const matchExpressions = listOf<Expressions[number]>(at(term, "matchExpressions"));
    const fields = listOf<Expressions[number]>(at(term, "matchFields"));
    const byLabel = matchesSelector({ matchExpressions }, metadata.labels);
    return byLabel && matchesSelector({ matchExpressions: fields }, { "metadata.name": metadata.name });
  });
}

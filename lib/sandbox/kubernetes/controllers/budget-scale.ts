import { controllerOf, type OwnerReference } from "../model/object.ts";
import { known, typeOfKind } from "../model/resources.ts";
import type { Budget, Pod, Workload } from "../model/shapes.ts";
import type { Objects } from "../store/objects.ts";

// getExpectedPodCount and getExpectedScale of k8s pkg/controller/disruption/disruption.go

const deployments = known("deployments", "apps");

/** The pods that a budget expects; or the reason why its controller cannot count them. */
export type Expectation =
  | { readonly expected: number; readonly desired: number; readonly unmanaged: readonly string[] }
  | { readonly failure: string };

/** Reads a number of pods, or a share of `total` rounded up. */
const amountOf = (value: number | string, total: number): number =>
  typeof value === "string" && value.endsWith("%")
    ? Math.ceil((Number.parseFloat(value) / 100) * total)
    : Number(value);

/** The scale of a pod's controller, counted once per `uid`. */
interface Scale {
  readonly uid: string;
  readonly replicas: number;
}

const scaleOf = ({ metadata, spec }: Workload): Scale => ({ uid: metadata.uid, replicas: Number(spec.replicas ?? 1) });

/** Finds the scale behind a pod: its controller's, or that of the Deployment which controls its ReplicaSet. */
function scaleBehind(objects: Objects, pod: Pod, owner: OwnerReference): Scale | { readonly failure: string } {
  const type = typeOfKind(owner.apiVersion, owner.kind);
  // What the REST mapper says of a kind that no API has.
  if (!type) return { failure: `no matches for kind "${owner.kind}" in version "${owner.apiVersion}"` };
  if (!type.subresources.includes("scale"))
    return { failure: `${type.plural}${type.group ? `.${type.group}` : ""} does not implement the scale subresource` };
  const { namespace, name } = pod.metadata;
  const found = objects.get<Workload>(type, namespace, owner.name);
  if (found?.metadata.uid !== owner.uid) return { failure: `found no controllers for pod "${name}"` };
  const above = controllerOf(found);
  if (above?.kind !== deployments.kind) return scaleOf(found);
  const deployment = objects.get<Workload>(deployments, namespace, above.name);
  return deployment?.metadata.uid === above.uid
    ? scaleOf(deployment)
    : { failure: `found no controllers for pod "${name}"` };
}

/** Sums the scales of the pods' controllers, each counted once; a pod without a controller adds nothing. */
function expectedScale(objects: Objects, matching: readonly Pod[]): Expectation {
  const scales = new Map<string, number>();
  const unmanaged: string[] = [];
  for (const pod of matching) {
    const owner = controllerOf(pod);
    if (!owner) {
      unmanaged.push(pod.metadata.name);
      continue;
    }
    const scale = scaleBehind(objects, pod, owner);
    if ("failure" in scale) return scale;
    scales.set(scale.uid, scale.replicas);
  }
  const expected = [...scales.values()].reduce((sum, one) => sum + one, 0);
  return { expected, desired: 0, unmanaged };
}

/**
 * Counts the pods that a budget expects and those that must be healthy. A plain minAvailable counts the pods that there
 * are, finished ones too; any other budget needs the scale of their controllers.
 */
export function expectationOf(objects: Objects, { spec }: Budget, matching: readonly Pod[]): Expectation {
  const { minAvailable, maxUnavailable } = spec;
  if (maxUnavailable === undefined && typeof minAvailable !== "string")
    return { expected: minAvailable === undefined ? 0 : matching.length, desired: minAvailable ?? 0, unmanaged: [] };
  const counted = expectedScale(objects, matching);
  if ("failure" in counted) return counted;
  const desired =
    maxUnavailable === undefined
      ? amountOf(minAvailable ?? 0, counted.expected)
      : Math.max(0, counted.expected - amountOf(maxUnavailable, counted.expected));
  return { ...counted, desired };
}

import { forbidden } from "../model/failure.ts";
import { fieldsOf, type KubeObject } from "../model/object.ts";
import { known } from "../model/resources.ts";
import type { Pod, Toleration } from "../model/shapes.ts";
import type { Objects } from "../store/objects.ts";

const pods = known("pods");
const classes = known("runtimeclasses", "node.k8s.io");

interface RuntimeClass extends KubeObject {
  readonly scheduling?: { readonly nodeSelector?: Record<string, string>; readonly tolerations?: Toleration[] };
}

/**
 * Adds the scheduling of a pod's RuntimeClass to the pod (k8s plugin/pkg/admission/runtimeclass): its node selector and
 * its tolerations. Throws 403 when there is no such class, or when both want another value of a label.
 */
export function withRuntimeClass(objects: Objects, object: KubeObject): KubeObject {
  const { spec, metadata } = object as Pod;
  const name = spec?.runtimeClassName;
  if (!name) return object;
  const found = objects.get<RuntimeClass>(classes, undefined, name);
  const rejected = (why: string) => forbidden(pods, metadata.name, `pod rejected: ${why}`);
  if (!found) throw rejected(`RuntimeClass "${name}" not found`);
  const { nodeSelector = {}, tolerations = [] } = found.scheduling ?? {};
  const own = fieldsOf(spec.nodeSelector) as Record<string, string>;
  const conflicting = Object.entries(nodeSelector).find(([key, value]) => (own[key] ?? value) !== value);
  if (conflicting)
    throw rejected(
      `conflict: runtimeClass.scheduling.nodeSelector[${conflicting[0]}] = ${conflicting[1]}; pod.spec.nodeSelector[${conflicting[0]}] = ${own[conflicting[0]]}`,
    );
  const wanted = tolerations.filter(
    (one) => !(spec.tolerations ?? []).some((had) => JSON.stringify(had) === JSON.stringify(one)),
  );
  const merged = { nodeSelector: { ...own, ...nodeSelector }, tolerations: [...(spec.tolerations ?? []), ...wanted] };
  return { ...object, spec: { ...spec, ...merged } };
}

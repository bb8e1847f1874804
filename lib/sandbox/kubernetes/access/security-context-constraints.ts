import { forbidden } from "../model/failure.ts";
import { at, listOf } from "../model/object.ts";
import { known } from "../model/resources.ts";
import type { Pod } from "../model/shapes.ts";
import type { Objects } from "../store/objects.ts";
import type { Write } from "./admission.ts";

/** Range of a namespace's user ids, "1000680000/10000", as OpenShift's controllers write it. */
export const UID_RANGE = "openshift.io/sa.scc.uid-range";

/**
 * OpenShift's admission by `restricted-v2`, as far as it concerns users: a container may name none outside the range of its
 * namespace. Pods of Windows are left alone (openshift/apiserver-library-go, pkg/securitycontextconstraints). A namespace without
 * the annotation is that of another cluster.
 * @throws 403
 */
export function limitUsers({ type, before, after, namespace, subresource }: Write, objects: Objects): void {
  if (type.plural !== "pods" || subresource !== "" || before || namespace === undefined) return;
  const range = objects.get(known("namespaces"), undefined, namespace)?.metadata.annotations?.[UID_RANGE];
  const { spec } = after as Pod;
  if (range === undefined || at(spec, "os", "name") === "windows") return;
  const [first = 0, count = 0] = range.split("/").map(Number);
  for (const [index, container] of listOf(spec.containers).entries()) {
    const user = at(container, "securityContext", "runAsUser");
    if (typeof user !== "number" || (user >= first && user < first + count)) continue;
    const fault = `.containers[${index}].runAsUser: Invalid value: ${user}: must be in the ranges: [${first}, ${first + count - 1}]`;
    const why = `unable to validate against any security context constraint: [provider restricted-v2: ${fault}]`;
    throw forbidden(type, after.metadata.name, why);
  }
}

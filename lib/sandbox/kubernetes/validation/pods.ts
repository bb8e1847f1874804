import { isIP } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { type Cause, forbiddenField, required, unsupported, wrong } from "../model/failure.ts";
import { at, copy, fieldsOf, type KubeObject, listOf } from "../model/object.ts";
import type { Container, Pod } from "../model/shapes.ts";
import { labelFaults } from "./names.ts";

const policies = ["Always", "OnFailure", "Never"];

function containerCauses(container: Partial<Container>, field: string): Cause[] {
  if (!container.name) return [required(`${field}.name`)];
  return [
    ...labelFaults(container.name).map((fault) => wrong(`${field}.name`, container.name, fault)),
    ...(container.image ? [] : [required(`${field}.image`)]),
  ];
}

/** Lists the errors of a pod's spec, alone or in a template. */
export function podSpecCauses(spec: unknown, field: string): Cause[] {
  const containers = listOf<Partial<Container>>(at(spec, "containers"));
  const policy = at(spec, "restartPolicy");
  return [
    ...(containers.length === 0 ? [required(`${field}.containers`)] : []),
    ...containers.flatMap((container, index) => containerCauses(container, `${field}.containers[${index}]`)),
    ...(policy && !policies.includes(String(policy)) ? [unsupported(`${field}.restartPolicy`, policy, policies)] : []),
  ];
}

/**
 * Lists the errors of the addresses that a kubelet reports (k8s pkg/apis/core/validation, validatePodIPs). The API
 * server joins podIP and podIPs first, and podIP wins where they differ (pkg/apis/core/v1, Convert_v1_PodStatus).
 */
function addressCauses({ status = {} }: Pod): Cause[] {
  const { podIP } = status;
  const listed = listOf<{ ip?: string }>(status.podIPs).map(({ ip = "" }) => ip);
  const addresses = podIP && podIP !== listed[0] ? [podIP] : listed;
  return addresses.flatMap((address, index) =>
    isIP(address) === 0
      ? [wrong(`status.podIPs[${index}]`, address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")]
      : [],
  );
}

/** Lists the errors of a Pod. */
export const podCauses = (pod: KubeObject): Cause[] => [
  ...podSpecCauses(pod.spec, "spec"),
  ...addressCauses(pod as Pod),
];

/** Reads a pod's spec without the fields that an update may change. */
function fixedPart(pod: KubeObject): unknown {
  const spec = copy((pod as Pod).spec);
  for (const container of spec.containers ?? []) delete container.image;
  const { tolerations: _tolerations, activeDeadlineSeconds: _deadline, ...rest } = fieldsOf(spec);
  return rest;
}

const lostToleration = (before: KubeObject, after: KubeObject): boolean =>
  listOf(at(before, "spec", "tolerations")).some(
    (one) => !listOf(at(after, "spec", "tolerations")).some((other) => isDeepStrictEqual(one, other)),
  );

/** Lists the errors of an update of a Pod: fields that may not change (ValidatePodUpdate). */
export function podUpdateCauses(before: KubeObject, after: KubeObject): Cause[] {
  if (isDeepStrictEqual(fixedPart(before), fixedPart(after)) && !lostToleration(before, after)) return [];
  return [
    forbiddenField(
      "spec",
      "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
    ),
  ];
}

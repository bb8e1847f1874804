import { type Cause, forbiddenField, required, wrong } from "../model/failure.ts";
import { fieldsOf, type KubeObject, listOf, type OwnerReference } from "../model/object.ts";
import type { ResourceType } from "../model/resources.ts";
import { keyFaults, labelFaults, segmentFaults, subdomainFaults, valueFaults } from "./names.ts";

/** Total size of annotations, k8s.io/apimachinery/pkg/api/validation TotalAnnotationSizeLimitB. */
const ANNOTATIONS_LIMIT = 256 * 1024;

type NameRule = (name: string) => string[];

const nameRules: Readonly<Record<string, NameRule>> = {
  namespaces: labelFaults,
  services: labelFaults,
  clusterroles: segmentFaults,
  clusterrolebindings: segmentFaults,
  roles: segmentFaults,
  rolebindings: segmentFaults,
};

const causesFor = (field: string, value: string, faults: readonly string[]): Cause[] =>
  faults.map((fault) => wrong(field, value, fault));

function nameCauses(type: ResourceType, name: string): Cause[] {
  if (!name) return [required("metadata.name", "name or generateName is required")];
  return causesFor("metadata.name", name, (nameRules[type.plural] ?? subdomainFaults)(name));
}

/** Lists the errors of labels. */
export const labelCauses = (labels: unknown, field: string): Cause[] =>
  Object.entries(fieldsOf(labels)).flatMap(([key, value]) =>
    typeof value === "string"
      ? [...causesFor(field, key, keyFaults(key)), ...causesFor(field, value, valueFaults(value))]
      : [wrong(field, value, "must be a string")],
  );

function annotationCauses(annotations: unknown): Cause[] {
  const entries = Object.entries(fieldsOf(annotations));
  const size = entries.reduce((sum, [key, value]) => sum + key.length + String(value).length, 0);
  const keys = entries.flatMap(([key]) => causesFor("metadata.annotations", key, keyFaults(key.toLowerCase())));
  if (size <= ANNOTATIONS_LIMIT) return keys;
  const field = "metadata.annotations";
  return [
    ...keys,
    { reason: "FieldValueTooLong", message: `Too long: may not be more than ${ANNOTATIONS_LIMIT} bytes`, field },
  ];
}

/** Fields that an owner must have, with the error for a missing one (validateOwnerReference). */
const ownerFields = {
  apiVersion: "version must not be empty",
  kind: "must not be empty",
  name: "must not be empty",
  uid: "must not be empty",
} as const;

const ownerCauses = (owners: unknown): Cause[] =>
  listOf<Partial<OwnerReference>>(owners).flatMap((owner) =>
    (Object.keys(ownerFields) as (keyof typeof ownerFields)[])
      .filter((field) => !owner[field])
      .map((field) => wrong(`metadata.ownerReferences.${field}`, "", ownerFields[field])),
  );

const finalizerCauses = (finalizers: unknown): Cause[] =>
  listOf<string>(finalizers).flatMap((one) => causesFor("metadata.finalizers", one, keyFaults(one)));

/** Lists the errors of an object's metadata. */
export const metadataCauses = (type: ResourceType, { metadata }: KubeObject): Cause[] => [
  ...nameCauses(type, metadata.name),
  ...labelCauses(metadata.labels, "metadata.labels"),
  ...annotationCauses(metadata.annotations),
  ...ownerCauses(metadata.ownerReferences),
  ...finalizerCauses(metadata.finalizers),
];

/** Lists the errors of an update of metadata: no new finalizers once the object is being deleted. */
export function metadataUpdateCauses(before: KubeObject, after: KubeObject): Cause[] {
  const had = before.metadata.finalizers ?? [];
  const fresh = (after.metadata.finalizers ?? []).filter((one) => !had.includes(one));
  if (!before.metadata.deletionTimestamp || fresh.length === 0) return [];
  const list = fresh.map((one) => `"${one}"`).join(", ");
  return [
    forbiddenField(
      "metadata.finalizers",
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  ];
}

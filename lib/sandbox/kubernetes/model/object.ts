/** Metadata that every Kubernetes object carries. Times are RFC 3339 with whole seconds, as the API writes them. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFields[];
}

/** One writer of an object, by its program (k8s.io/apimachinery, meta/v1, ManagedFieldsEntry). */
export interface ManagedFields {
  manager: string;
  operation: string;
  apiVersion: string;
  time: string;
  subresource?: string;
  fieldsType: string;
  fieldsV1: Record<string, unknown>;
}

/** Reference to the owner of an object; when the owner goes, so does the object. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Any stored object. Stored objects are never changed in place: a change is a new object. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** A JSON object whose fields are not known. */
export type Fields = Record<string, unknown>;

/** Is this a JSON object (neither null nor a list)? */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the value as a JSON object, or an empty one. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** Returns the value as a list, or an empty one. */
export const listOf = <T>(value: unknown): T[] => (Array.isArray(value) ? (value as T[]) : []);

/** Reads the value at a path of field names; undefined when the path ends early. */
export const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((inner, field) => (isFields(inner) ? inner[field] : undefined), value);

/** Writes a time as the API does. */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** Copies a value deeply. */
export const copy = <T>(value: T): T => structuredClone(value);

/** Finds the object's controlling owner, if any. */
export const controllerOf = (object: KubeObject): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find((owner) => owner.controller === true);

/** Reads "group" from "group/version"; the core group is "". */
export const groupOf = (apiVersion: string): string =>
  apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";

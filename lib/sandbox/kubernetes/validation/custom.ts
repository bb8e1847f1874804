import { type Cause, required, unsupported, wrong } from "../model/failure.ts";
import { type Fields, fieldsOf, isFields, type KubeObject, listOf } from "../model/object.ts";
import type { ResourceType } from "../model/resources.ts";
import { type CustomSchema, customSchemaOf } from "./custom-schemas.ts";

/** Fields that the server reads by its own types in every object. */
const OWN = new Set(["apiVersion", "kind", "metadata"]);

const inside = (path: string, field: string): string => (path === "" ? field : `${path}.${field}`);

/** A value without the fields that its schema does not have, and the paths of those. */
interface Pruned {
  readonly value: unknown;
  readonly unknown: readonly string[];
}

function prunedFields({ properties = {} }: CustomSchema, value: Fields, path: string): Pruned {
  const entries = Object.entries(value).map(([field, one]): [string, Pruned | undefined] => {
    const at = inside(path, field);
    if (path === "" && OWN.has(field)) return [field, { value: one, unknown: [] }];
    const schema = Object.hasOwn(properties, field) ? properties[field] : undefined;
    return [field, schema && prunedValue(schema, one, at)];
  });
  return {
    value: Object.fromEntries(entries.flatMap(([field, one]) => (one ? [[field, one.value]] : []))),
    unknown: entries.flatMap(([field, one]) => one?.unknown ?? [inside(path, field)]),
  };
}

function prunedValue(schema: CustomSchema, value: unknown, path: string): Pruned {
  const { items } = schema;
  if (items && Array.isArray(value)) {
    const parts = value.map((one, index) => prunedValue(items, one, `${path}[${index}]`));
    return { value: parts.map((one) => one.value), unknown: parts.flatMap((one) => one.unknown) };
  }
  return schema.type === "object" && isFields(value) ? prunedFields(schema, value, path) : { value, unknown: [] };
}

/**
 * Drops the fields that a custom resource's schema does not have, as a structural schema does; a kind without a schema
 * keeps all.
 */
export function pruned(kind: Pick<ResourceType, "kind" | "group">, object: Fields): Pruned {
  const schema = customSchemaOf(kind);
  return schema ? prunedFields(schema, object, "") : { value: object, unknown: [] };
}

/** The type of a JSON value as k8s.io/kube-openapi names it. */
function typeNameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

// The sentences are those of k8s.io/kube-openapi/pkg/validation and of apimachinery's field errors.

const mistyped = (path: string, value: unknown, wanted: string): Cause => {
  const found = typeNameOf(value);
  const why = `${path} in body must be of type ${wanted}: "${found}"`;
  return { ...wrong(path, found, why), reason: "FieldValueTypeInvalid" };
};
const duplicate = (field: string, value: unknown): Cause => ({
  reason: "FieldValueDuplicate",
  message: `Duplicate value: ${JSON.stringify(value)}`,
  field,
});
const tooLong = (field: string, most: number): Cause => ({
  reason: "FieldValueTooLong",
  message: `Too long: may not be more than ${most} bytes`,
  field,
});
const tooMany = (field: string, found: number, most: number): Cause => ({
  reason: "FieldValueTooMany",
  message: `Too many: ${found}: must have at most ${most} items`,
  field,
});

function textCauses({ pattern, enum: values, minLength = 0, maxLength }: CustomSchema, value: string, path: string) {
  const length = [...value].length;
  return [
    ...(pattern && !pattern.matcher.test(value)
      ? [wrong(path, value, `${path} in body should match '${pattern.shown}'`)]
      : []),
    ...(values && !values.includes(value) ? [unsupported(path, value, values)] : []),
    ...(length < minLength ? [wrong(path, value, `${path} in body should be at least ${minLength} chars long`)] : []),
    ...(maxLength !== undefined && length > maxLength ? [tooLong(path, maxLength)] : []),
  ];
}

function listCauses({ items, minItems = 0, maxItems, isSet }: CustomSchema, list: readonly unknown[], path: string) {
  const { length } = list;
  const isRepeated = (value: unknown, index: number): boolean => list.indexOf(value) < index;
  return [
    ...(maxItems !== undefined && length > maxItems ? [tooMany(path, length, maxItems)] : []),
    ...(length < minItems ? [wrong(path, length, `${path} in body should have at least ${minItems} items`)] : []),
    ...list.flatMap((value, index) => {
      const at = `${path}[${index}]`;
      const repeated = isSet && isRepeated(value, index) ? [duplicate(at, value)] : [];
      return [...(items ? valueCauses(items, value, at) : []), ...repeated];
    }),
  ];
}

function fieldCauses({ properties = {}, required: needed = [] }: CustomSchema, value: Fields, path: string): Cause[] {
  const missing = needed.filter((field) => value[field] === undefined);
  const present = Object.entries(properties).filter(([field]) => value[field] !== undefined);
  return [
    ...missing.map((field) => required(inside(path, field))),
    ...present.flatMap(([field, schema]) => valueCauses(schema, value[field], inside(path, field))),
  ];
}

function valueCauses(schema: CustomSchema, value: unknown, path: string): Cause[] {
  if (typeNameOf(value) !== schema.type) return [mistyped(path, value, schema.type)];
  if (schema.type === "object") return fieldCauses(schema, fieldsOf(value), path);
  if (schema.type === "array") return listCauses(schema, listOf(value), path);
  return schema.type === "string" ? textCauses(schema, String(value), path) : [];
}

/** Words of a broken rule: a text is shown, an object is not (apiextensions-apiserver, schema/cel/validation.go). */
const broken = (path: string, value: unknown, why: string): Cause =>
  isFields(value)
    ? { reason: "FieldValueInvalid", message: `Invalid value: ${why}`, field: path }
    : wrong(path, value, why);

function ruleCauses(schema: CustomSchema, value: unknown, path: string): Cause[] {
  const { rule, items, properties = {} } = schema;
  const own = rule && !rule.holds(value) ? [broken(path, value, rule.message)] : [];
  const list = items ? listOf(value).flatMap((one, index) => ruleCauses(items, one, `${path}[${index}]`)) : [];
  const fields = fieldsOf(value);
  const inner = Object.entries(properties).flatMap(([field, one]) =>
    fields[field] === undefined ? [] : ruleCauses(one, fields[field], inside(path, field)),
  );
  return [...own, ...list, ...inner];
}

/**
 * Lists the errors of a custom resource by its schema. Rules are judged only for an object that is otherwise in order:
 * they could not be evaluated on values that are missing, too long or of another type.
 */
export function customCauses(type: ResourceType, object: KubeObject): Cause[] {
  const schema = customSchemaOf(type);
  if (!schema) return [];
  const causes = valueCauses(schema, object, "");
  return causes.length > 0 ? causes : ruleCauses(schema, object, "");
}

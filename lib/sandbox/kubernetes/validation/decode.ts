import { type Fields, isFields } from "../model/object.ts";
import { innerModel, type Schema, type Schemas, type TypeName } from "./schemas.ts";

/** An object decoded by the API's types. */
export interface Decoded {
  readonly value: unknown;
  /** Paths of unknown fields, which are not in the value. */
  readonly unknown: readonly string[];
  /** Values of the wrong type, with the errors of Go's JSON decoder. */
  readonly mistaken: readonly string[];
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Maps of quantities, in which the API also accepts plain numbers. */
const quantities = new Set(["requests", "limits", "capacity", "allocatable", "hard", "used", "overhead"]);

const tests: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  Date: (value) => typeof value === "string" && time.test(value),
  V1MicroTime: (value) => typeof value === "string" && time.test(value),
  IntOrString: (value) => typeof value === "string" || typeof value === "number",
};

const goNames: Readonly<Record<string, string>> = {
  string: "string",
  number: "int64",
  boolean: "bool",
  Date: "v1.Time",
  V1MicroTime: "v1.MicroTime",
};

const kindOf = (value: unknown): string => (Array.isArray(value) ? "array" : isFields(value) ? "object" : typeof value);

const mistake = (value: unknown, path: string, type: string): Decoded => ({
  value,
  unknown: [],
  mistaken: [`json: cannot unmarshal ${kindOf(value)} into Go struct field ${path} of type ${type}`],
});

const sound = (value: unknown): Decoded => ({ value, unknown: [], mistaken: [] });

function gathered(parts: readonly Decoded[], value: unknown): Decoded {
  return { value, unknown: parts.flatMap((part) => part.unknown), mistaken: parts.flatMap((part) => part.mistaken) };
}

function decodeList(schemas: Schemas, type: TypeName, value: unknown, path: string): Decoded {
  if (!Array.isArray(value)) return mistake(value, path, "[]");
  const parts = value.map((item, index) => decodeValue(schemas, type, item, `${path}[${index}]`));
  return gathered(
    parts,
    parts.map((part) => part.value),
  );
}

function decodeMap(schemas: Schemas, type: TypeName, value: unknown, path: string): Decoded {
  if (!isFields(value)) return mistake(value, path, `map[string]${type}`);
  const loose = quantities.has(path.split(".").at(-1) ?? "") ? "IntOrString" : type;
  const entries = Object.entries(value).map(([key, item]): [string, Decoded] => [
    key,
    decodeValue(schemas, loose, item, path),
  ]);
  return gathered(
    entries.map(([, part]) => part),
    Object.fromEntries(entries.map(([key, part]) => [key, part.value])),
  );
}

function decodeModel(schemas: Schemas, schema: Schema, value: unknown, path: string): Decoded {
  if (!isFields(value)) return mistake(value, path, "struct");
  const result: Fields = {};
  const parts: Decoded[] = [];
  for (const [name, item] of Object.entries(value)) {
    const inner = path ? `${path}.${name}` : name;
    const type = schema.get(name);
    const part = type ? decodeValue(schemas, type, item, inner) : { ...sound(undefined), unknown: [inner] };
    parts.push(part);
    if (type) result[name] = part.value;
  }
  return gathered(parts, result);
}

const listType = /^Array<(.+)>$/;
const mapType = /^\{ \[key: string\]: (.+); \}$/;

function decodeValue(schemas: Schemas, type: TypeName, value: unknown, path: string): Decoded {
  if (value === null || value === undefined) return sound(value);
  const list = listType.exec(type)?.[1];
  if (list) return decodeList(schemas, list, value, path);
  const map = mapType.exec(type)?.[1];
  if (map) return decodeMap(schemas, map, value, path);
  const schema = innerModel(type) && schemas.get(type);
  if (schema) return decodeModel(schemas, schema, value, path);
  return (tests[type]?.(value) ?? true) ? sound(value) : mistake(value, path, goNames[type] ?? type);
}

/** Decodes an object by the API's types: unknown fields are dropped and listed, values of the wrong type are listed. */
export const decode = (schemas: Schemas, type: TypeName, value: unknown): Decoded =>
  decodeValue(schemas, type, value, "");

import { textOf, type WireRequest } from "../../core/wire.ts";
import { badRequest, invalid, wrong } from "../model/failure.ts";
import { type Fields, isFields } from "../model/object.ts";
import type { ResourceType } from "../model/resources.ts";
import { mediaTypeOf } from "../request/content.ts";
import { pruned } from "./custom.ts";
import { decode } from "./decode.ts";
import type { Schemas, TypeName } from "./schemas.ts";

/** The kind that a body is decoded as. */
export type BodyKind = Pick<ResourceType, "kind" | "group" | "version">;

/** The parts of a request that decide how strictly its body is decoded. */
export interface Written {
  readonly request: WireRequest;
  readonly query: URLSearchParams;
  warn(sentence: string): void;
}

/** An error about a patch names no kind (k8s.io/apiserver/pkg/endpoints/handlers/patch.go, schema.GroupKind{}). */
const nothing = { kind: "", group: "" };

/** Writes a value as Go's `%+v` does. */
function goValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (!isFields(value)) return value === null ? "<nil>" : String(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${goValue(value[key])}`).join(" ")}]`;
}

/** Shows what a patch that cannot be decoded was: a strategic one itself, of any other the whole object after it. */
const patchShown = (request: WireRequest, object: Fields): string =>
  mediaTypeOf(request).includes("strategic") ? goValue(JSON.parse(textOf(request))) : JSON.stringify(object);

/**
 * Decodes a body by the API's types or by the schema of its custom resource. Unknown fields are dropped, or refused when
 * the client asks for that (fieldValidation=Strict, as kubectl does).
 * @param schema name of the API's type; undefined for custom resources, whose values are checked before they are stored
 * @throws 400, or 422 for the result of a patch
 */
export function typedAs<T extends Fields>(
  schemas: Schemas,
  { kind, group, version }: BodyKind,
  schema: TypeName | undefined,
  written: Written,
  object: T,
): T {
  const { value, unknown, mistaken } = schema
    ? decode(schemas, schema, object)
    : { ...pruned({ kind, group }, object), mistaken: [] };
  const complaints = unknown.map((field) => `unknown field "${field}"`);
  const level = written.query.get("fieldValidation") || "Warn";
  const isRefused = level === "Strict" && unknown.length > 0;
  const why = mistaken[0] ?? (isRefused ? `strict decoding error: ${complaints.join(", ")}` : undefined);
  if (why === undefined) {
    if (level === "Warn") complaints.forEach(written.warn);
    return value as T;
  }
  if (written.request.method === "PATCH")
    throw invalid(nothing, "", [wrong("patch", patchShown(written.request, object), why)]);
  throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
}

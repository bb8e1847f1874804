import { parse } from "yaml";
import type { WireRequest } from "../../core/wire.ts";
import { textOf } from "../../core/wire.ts";
import { decodeProtobuf, PROTOBUF } from "../kubectl/protobuf.ts";
import { badRequest, notAcceptable, unsupportedMedia } from "../model/failure.ts";
import { type Fields, isFields } from "../model/object.ts";

/** Forms of a response: full objects, rows of a table, or metadata only. */
export type Form = "object" | "table" | "metadata";

const written = ["application/json", "application/yaml", PROTOBUF];

const forms: Readonly<Record<string, Form>> = {
  Table: "table",
  PartialObjectMetadata: "metadata",
  PartialObjectMetadataList: "metadata",
};

function formOf(range: string): Form | undefined {
  const [media = "", ...parameters] = range.split(";").map((part) => part.trim());
  const given = Object.fromEntries(parameters.map((one) => one.split("=", 2)));
  if (!["application/json", "application/*", "*/*"].includes(media)) return undefined;
  if (!given.as) return "object";
  return given.g === "meta.k8s.io" && given.v === "v1" ? forms[given.as] : undefined;
}

/**
 * Chooses the form of the response: the first that the client accepts and the server can write. Unlike the real server,
 * this one writes no protobuf; every Kubernetes client that prefers it accepts JSON too.
 * @throws 406
 */
export function formFor(accept: string | undefined): Form {
  for (const range of (accept ?? "*/*").split(",")) {
    const form = formOf(range.trim());
    if (form) return form;
  }
  throw notAcceptable(["application/json", "application/json;stream=watch"]);
}

/** Reads the media type of a request's body without parameters; by default JSON. */
export const mediaTypeOf = (request: WireRequest): string =>
  (request.headers["content-type"] ?? "application/json").split(";")[0]?.trim().toLowerCase() ?? "";

/** Places at which JSON is broken: V8's words, and what Go's decoder says after the character. */
const breaks: readonly [by: RegExp, where: string][] = [
  [/Expected ':'/, "after object key"],
  [/property name/, "looking for beginning of object key string"],
  [/Expected ',' or '}'/, "after object key:value pair"],
  [/Expected ',' or '\]'/, "after array element"],
  [/non-whitespace character after/, "after top-level value"],
];

/** Says what is wrong with a JSON text as Go's decoder does (sigs.k8s.io/json). */
function jsonFault(text: string, { message }: Error): string {
  const place = /position (\d+)/.exec(message)?.[1];
  const character = place === undefined ? /token '(.)'/u.exec(message)?.[1] : text[Number(place)];
  if (!character) return "unexpected end of JSON input";
  const where = breaks.find(([by]) => by.test(message))?.[1] ?? "looking for beginning of value";
  return `invalid character '${character}' ${where}`;
}

function parsed(text: string, read: (text: string) => unknown, failed: (why: string) => string): unknown {
  try {
    return read(text);
  } catch (error) {
    throw badRequest(failed(read === JSON.parse ? jsonFault(text, error as Error) : (error as Error).message));
  }
}

const readers: Readonly<Record<string, (request: WireRequest, failed: (why: string) => string) => unknown>> = {
  "application/json": (request, failed) => parsed(textOf(request), JSON.parse, failed),
  "application/yaml": (request, failed) => parsed(textOf(request), parse, failed),
  [PROTOBUF]: (request) => decodeProtobuf(request.body),
};

/** Shows the beginning of a body (k8s.io/apiserver/pkg/endpoints/handlers/rest.go summarizeData). */
function summary(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const start = Buffer.from(body.subarray(0, 30));
  return `${start.toString(start[0] === "{".charCodeAt(0) ? "utf8" : "hex")}${body.length > 30 ? " ..." : ""}`;
}

/**
 * Reads an object from a request.
 * @param kind the kind that it must be of
 * @throws 400 for an invalid body, 415 for an unknown media type
 */
export function objectIn(request: WireRequest, kind: string): Fields {
  const read = readers[mediaTypeOf(request)];
  if (!read) throw unsupportedMedia(written);
  const unrecognized = (why: string): string =>
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${why} (${summary(request.body)})`;
  const object = read(request, unrecognized);
  if (!isFields(object)) throw badRequest(unrecognized("json: cannot unmarshal into Go value of type struct"));
  return object;
}

/** Reads the options that a DELETE may carry; an empty body has none. */
export const optionsIn = (request: WireRequest): Fields =>
  request.body.length === 0 ? {} : objectIn(request, "DeleteOptions");

/** Reads a patch: JSON or, for server-side apply, YAML. Only a strategic one's error has no words before it. */
export function patchIn(request: WireRequest): unknown {
  const media = mediaTypeOf(request);
  if (media.endsWith("yaml")) return parsed(textOf(request), parse, (why) => `error decoding YAML: ${why}`);
  const before = media.includes("strategic") ? "" : "error decoding patch: ";
  return parsed(textOf(request), JSON.parse, (why) => before + why);
}

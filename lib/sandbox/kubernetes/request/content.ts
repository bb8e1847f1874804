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

function parsed(text: string, read: (text: string) => unknown): unknown {
  try {
    return read(text);
  } catch (error) {
    throw badRequest(`error parsing body: ${(error as Error).message}`);
  }
}

const readers: Readonly<Record<string, (request: WireRequest) => unknown>> = {
  "application/json": (request) => parsed(textOf(request), JSON.parse),
  "application/yaml": (request) => parsed(textOf(request), parse),
  [PROTOBUF]: (request) => decodeProtobuf(request.body),
};

/**
 * Reads an object from a request.
 * @throws 400 for an invalid body, 415 for an unknown media type
 */
export function objectIn(request: WireRequest): Fields {
  const read = readers[mediaTypeOf(request)];
  if (!read) throw unsupportedMedia(written);
  const object = read(request);
  if (!isFields(object)) throw badRequest("the object provided is unrecognized (must be of type Object)");
  return object;
}

/** Reads the options that a DELETE may carry; an empty body has none. */
export const optionsIn = (request: WireRequest): Fields => (request.body.length === 0 ? {} : objectIn(request));

/** Reads a patch: JSON or, for server-side apply, YAML. */
export const patchIn = (request: WireRequest): unknown =>
  parsed(textOf(request), mediaTypeOf(request).endsWith("yaml") ? parse : JSON.parse);

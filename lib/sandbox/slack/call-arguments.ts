import { queryOf, textOf, type WireRequest } from "../core/wire.ts";
import { isObject, type Json } from "./block-kit/check.ts";
import { SlackError } from "./slack-error.ts";

/** Arguments that forms carry as JSON, and the error when they are none. */
const asJson: Readonly<Record<string, string>> = {
  blocks: "invalid_blocks_format",
  view: "invalid_arguments",
  metadata: "invalid_metadata_format",
};

function parsed(text: string, error: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SlackError(error);
  }
}

function form(text: string): Json {
  const fields = Object.fromEntries(new URLSearchParams(text));
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, asJson[name] ? parsed(value, asJson[name]) : value]),
  );
}

function jsonBody(text: string): Json {
  const body = parsed(text, "invalid_json");
  if (!isObject(body)) throw new SlackError("json_not_object");
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      asJson[name] && typeof value === "string" ? parsed(value, asJson[name]) : value,
    ]),
  );
}

const readers: Readonly<Record<string, (text: string) => Json>> = {
  "application/x-www-form-urlencoded": form,
  "application/json": jsonBody,
};

/**
 * The arguments of a Web API call, from the query and the body, with JSON arguments parsed.
 * @throws SlackError missing_post_type, invalid_post_type, invalid_json, json_not_object, invalid_blocks_format …
 */
export function callArguments(request: WireRequest): Json {
  const query = form(queryOf(request));
  const text = textOf(request);
  if (text === "") return query;
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (!type) throw new SlackError("missing_post_type");
  const read = readers[type];
  if (!read) throw new SlackError("invalid_post_type");
  return { ...query, ...read(text) };
}

/** The token of a call: the Authorization header's, or the argument `token`, which JSON bodies may not use. */
export function tokenOf(request: WireRequest, args: Json): string | undefined {
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  const isJson = request.headers["content-type"]?.startsWith("application/json");
  return bearer ?? (isJson || args.token === undefined ? undefined : String(args.token));
}

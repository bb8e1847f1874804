import { pathOf, queryOf, type WireRequest, type WireResponse } from "../core/wire.ts";
import type { StandInImage, StandInObject } from "./images.ts";

/** Host of the stand-in registry, and the storage that it redirects to. */
export const REGISTRY = "quay.io";
export const REGISTRY_STORAGE = "cdn01.quay.io";

/** A registry that gives tokens, and refuses what a real one refuses. */
export interface StandInRegistry {
  /** Answers a request to the registry's own host. */
  answer(request: WireRequest, path: string): WireResponse;
  /** Answers a request to its storage. */
  storage(request: WireRequest, path: string): WireResponse;
}

const errors = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): WireResponse => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify({ errors: [{ code, message: code.toLowerCase().replaceAll("_", " ") }] }),
});

/** Token of the repositories that a scope names; the stand-in's tokens say openly what they are for. */
const tokenOf = (scope: string): string => `token-for-${Buffer.from(scope).toString("base64url")}`;

/** Answers with a manifest. A client that does not accept its type gets none (specification, "Pulling manifests"). */
function manifest(one: StandInObject | undefined, name: string, accept: string): WireResponse {
  if (!one?.mediaType || !accept.includes(one.mediaType)) return errors(404, "MANIFEST_UNKNOWN");
  return { status: 200, headers: { "content-type": one.mediaType, "docker-content-digest": name }, body: one.bytes };
}

/** Sends the client to the storage of a layer. */
function layer(one: StandInObject | undefined, repository: string, name: string): WireResponse {
  if (!one || one.mediaType !== null) return errors(404, "BLOB_UNKNOWN");
  return { status: 302, headers: { location: `https://${REGISTRY_STORAGE}/${repository}/${name}` }, body: "" };
}

/**
 * Builds the registry.
 * @param secrets "user:password", base64, by repository that is not public
 */
export function standInRegistry(
  images: () => readonly StandInImage[],
  secrets: ReadonlyMap<string, string> = new Map(),
): StandInRegistry {
  /** Gives a token; without the right credential it is worth nothing for a private repository, as quay.io's. */
  const token = (request: WireRequest): WireResponse => {
    const scope = new URLSearchParams(queryOf(request)).get("scope") ?? "";
    const [, repository = ""] = scope.split(":");
    const secret = secrets.get(repository);
    const isAllowed = secret === undefined || request.headers.authorization === `Basic ${secret}`;
    return { status: 200, headers: {}, body: JSON.stringify({ token: isAllowed ? tokenOf(scope) : "anonymous" }) };
  };
  const found = (repository: string, name: string): StandInObject | undefined => {
    const own = images().filter((image) => image.repository === repository);
    return own.flatMap(({ objects }) => objects.get(name) ?? [])[0];
  };
  const object = (request: WireRequest, repository: string, kind: string, name: string): WireResponse => {
    const scope = `repository:${repository}:pull`;
    const { authorization, accept = "" } = request.headers;
    const challenge = `Bearer realm="https://${REGISTRY}/v2/auth",service="${REGISTRY}",scope="${scope}"`;
    if (authorization !== `Bearer ${tokenOf(scope)}`)
      return errors(401, "UNAUTHORIZED", { "www-authenticate": challenge });
    const one = found(repository, name);
    return kind === "manifests" ? manifest(one, name, accept) : layer(one, repository, name);
  };
  return {
    answer: (request, path) => {
      if (path === "/v2/auth") return token(request);
      const [, repository, kind, name] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(path) ?? [];
      return repository && kind && name ? object(request, repository, kind, name) : errors(404, "NAME_UNKNOWN");
    },
    // Its addresses are signed, and S3 refuses a second way of authentication (Error responses, "InvalidArgument: Only
    // one auth mechanism allowed").
    storage: (request, path) => {
      if (request.headers.authorization) return errors(400, "INVALID_ARGUMENT");
      const [, repository = "", name = ""] = /^\/(.+)\/([^/]+)$/.exec(path) ?? [];
      const one = found(repository, name);
      return one ? { status: 200, headers: {}, body: one.bytes } : errors(404, "NO_SUCH_KEY");
    },
  };
}

/** Returns the path of a request to the stand-ins below its host: "/quay.io/v2/auth" gives host and "/v2/auth". */
export function hostAndPath(request: WireRequest): readonly [host: string, path: string] {
  const [, host = "", path = "/"] = /^\/([^/]+)(\/.*)?$/.exec(pathOf(request)) ?? [];
  return [host, path];
}

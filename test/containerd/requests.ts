import { contentsOf, type Images } from "./images.ts";
import type { Asked, Registry } from "./vectors.ts";

/** A request that containerd has logged before it made it. */
export interface LoggedRequest {
  readonly method: string;
  readonly url: string;
}

/** Objects of a pull, in the order in which the vectors list them: config and layer are fetched at once. */
const ORDER = ["resolve", "token", "I", "M", "N", "F", "C", "L"] as const;

/** The object that a request asks for: a letter, the resolving of the reference, or a token. */
function objectOf([method, url]: readonly [method: string, url: string, ...unknown[]]): string {
  const [, kind, reference] = /\/(manifests|blobs)\/([^/?]+)(\?|$)/.exec(url) ?? [];
  if (kind === undefined) return /\/layer$/.test(url) ? "L" : (/\/([CL])$/.exec(url)?.[1] ?? "token");
  if (method === "HEAD" || !reference?.includes("{")) return "resolve";
  return reference.replace(/[{}]/g, "");
}

/** Orders requests by their objects, each object's in the order in which they were made. */
export const byObject = <One extends readonly [string, string, ...unknown[]]>(requests: readonly One[]): One[] =>
  requests.toSorted((a, b) => placeOf(a) - placeOf(b));

function placeOf(request: readonly [string, string, ...unknown[]]): number {
  const place = (ORDER as readonly string[]).indexOf(objectOf(request));
  return place < 0 ? ORDER.length : place;
}

/** Writes digests as the vectors do: by their letters, and those of no content that a registry holds as `{other}`. */
export function withLetters(text: string, images: Images): string {
  const known = contentsOf(images).reduce(
    (written, [letter, { digest }]) => written.replaceAll(digest, `{${letter}}`),
    text,
  );
  return known.replace(/sha256:[0-9a-f]{64}/g, "{other}");
}

/** Tells why a registry has not seen a request that was made: its fault, or a name that no registry has. */
function faultOf(url: string, registries: Readonly<Record<string, Registry>>): string {
  const host = /^https?:\/\/([^/]*)/.exec(url)?.[1] ?? "";
  const registry = registries[host];
  if (registry === undefined) return "dns";
  return typeof registry === "string" ? registry : "not seen";
}

/** Puts together the requests for one object. */
function merged(
  logged: readonly LoggedRequest[],
  served: readonly Asked[],
  registries: Readonly<Record<string, Registry>>,
): Asked[] {
  const left = [...served];
  const all: Asked[] = [];
  for (const { method, url } of logged) {
    const at = left.findIndex((asked) => asked[0] === method && asked[1] === url);
    // Redirects and tries over plain HTTP are not logged: they came before the one that is found.
    if (at < 0) all.push([method, url, faultOf(url, registries)]);
    else all.push(...left.splice(0, at + 1));
  }
  return [...all, ...left];
}

/**
 * Puts together what containerd says that it asks and what registries were asked. Only the first knows requests that
 * reached nobody, only the second answers, headers, tokens and redirects.
 * @returns the requests, object by object
 */
export function allRequests(
  logged: readonly LoggedRequest[],
  served: readonly Asked[],
  registries: Readonly<Record<string, Registry>>,
): Asked[] {
  const said = Map.groupBy(logged, ({ method, url }) => objectOf([method, url]));
  const seen = Map.groupBy(served, objectOf);
  const objects = new Set([...said.keys(), ...seen.keys()]);
  return byObject([...objects].flatMap((object) => merged(said.get(object) ?? [], seen.get(object) ?? [], registries)));
}

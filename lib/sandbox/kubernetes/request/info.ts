/** A request's target, read from method and path as k8s.io/apiserver's RequestInfoFactory does. */
export interface RequestInfo {
  readonly path: string;
  readonly query: URLSearchParams;
  /** get, list, watch, create, update, patch, delete, deletecollection; for other paths the method in lower case. */
  readonly verb: string;
  /** Undefined for paths outside /api/v1 and /apis/<group>/<version>, and for discovery of those. */
  readonly resource: ResourcePath | undefined;
}

/** The resource part of a path. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  readonly plural: string;
  readonly name: string;
  readonly subresource: string;
}

const verbs: Readonly<Record<string, string>> = {
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
  GET: "get",
  HEAD: "get",
};

/** Subresources of a namespace itself; every other third segment is a resource inside it. */
const ofNamespace = new Set(["status", "finalize"]);

function resourcePath(segments: readonly string[]): ResourcePath | undefined {
  const core = segments[0] === "api";
  const [group, version] = core ? ["", segments[1]] : [segments[1], segments[2]];
  const rest = segments.slice(core ? 2 : 3);
  if (group === undefined || version === undefined || rest.length === 0) return undefined;
  const inside = rest[0] === "namespaces" && rest.length > 2 && !ofNamespace.has(rest[2] ?? "");
  const [plural = "", name = "", subresource = ""] = inside ? rest.slice(2) : rest;
  const namespace = inside ? rest[1] : plural === "namespaces" && name ? name : undefined;
  return { group, version, namespace, plural, name, subresource };
}

const isOn = (value: string | null): boolean => value === "" || value === "true" || value === "1";

function verbOf(method: string, resource: ResourcePath | undefined, query: URLSearchParams): string {
  const verb = verbs[method] ?? method.toLowerCase();
  if (!resource || resource.name) return verb;
  if (verb === "delete") return "deletecollection";
  if (verb !== "get") return verb;
  return query.has("watch") && isOn(query.get("watch")) ? "watch" : "list";
}

/**
 * Reads method and URL.
 * @param url path and query as sent
 */
export function requestInfo(method: string, url: string): RequestInfo {
  const [rawPath = "/", search = ""] = url.split("?", 2);
  const query = new URLSearchParams(search);
  const path = decodeURIComponent(rawPath);
  const segments = path.split("/").filter(Boolean);
  const resource = segments[0] === "api" || segments[0] === "apis" ? resourcePath(segments) : undefined;
  const verb = resource ? verbOf(method, resource, query) : method.toLowerCase();
  return { path, query, verb, resource };
}

import { json, type WireRequest, type WireResponse } from "../../core/wire.ts";
import { type Authenticator, actingUser } from "../access/authentication.ts";
import { JWKS, type Tokens } from "../access/tokens.ts";
import type { Attributes, Authorizer, User } from "../access/users.ts";
import { discovery } from "../kubectl/discovery.ts";
import { OPENAPI_V2, openapi } from "../kubectl/openapi.ts";
import {
  ApiFailure,
  forbidden,
  noSuchResource,
  notAcceptable,
  notAllowed,
  PlainFailure,
  statusOf,
} from "../model/failure.ts";
import { type ResourceType, resourceType } from "../model/resources.ts";
import { dispatch } from "../verbs/dispatch.ts";
import type { Server } from "../verbs/server.ts";
import { formFor, mediaTypeOf } from "./content.ts";
import { apiFaults, SLOWNESS, valuesOf } from "./faults.ts";
import { type RequestInfo, type ResourcePath, requestInfo } from "./info.ts";
import { checkOptions } from "./options.ts";
import { startingServer } from "./starting.ts";
import { passWebhooks, webhookFaults } from "./webhooks.ts";

type Answer = (request: WireRequest, tls?: { readonly clientCertificate: string }) => Promise<WireResponse>;

const fieldOf = (query: URLSearchParams, field: string): string | undefined =>
  (query.get("fieldSelector") ?? "")
    .split(",")
    .find((term) => term.startsWith(`${field}=`))
    ?.slice(field.length + 1)
    .replace(/^=/, "");

function attributesOf({ verb, path, resource, query }: RequestInfo): Attributes {
  if (!resource) return { verb, path, group: "", resource: "", subresource: "", name: "", namespace: undefined };
  const { group, plural, subresource, name, namespace } = resource;
  const [onNode, onlyName] = [fieldOf(query, "spec.nodeName"), fieldOf(query, "metadata.name")];
  return {
    verb,
    group,
    resource: plural,
    subresource,
    name,
    namespace,
    ...(onNode ? { onNode } : {}),
    ...(onlyName ? { onlyName } : {}),
  };
}

const resourceText = ({ plural, subresource }: ResourcePath): string =>
  subresource ? `${plural}/${subresource}` : plural;

/** Builds the error of k8s.io/apiserver/pkg/endpoints/handlers/responsewriters forbiddenMessage. */
function denial(user: User, { verb, path, resource }: RequestInfo, reason = ""): ApiFailure {
  const because = reason && `: ${reason}`;
  if (!resource)
    return new ApiFailure(403, "Forbidden", `forbidden: User "${user.name}" cannot ${verb} path "${path}"${because}`);
  const { group, plural, name, namespace } = resource;
  const scope = namespace ? `in the namespace "${namespace}"` : "at the cluster scope";
  const why = `User "${user.name}" cannot ${verb} resource "${resourceText(resource)}" in API group "${group}" ${scope}`;
  return forbidden({ plural, group } as Parameters<typeof forbidden>[0], name, why + because);
}

/** Throws 403 for a request that the authorisers refuse. */
function requireRight(authorize: Authorizer, user: User, info: RequestInfo): void {
  const { isAllowed, reason } = authorize(user, attributesOf(info));
  if (!isAllowed) throw denial(user, info, reason);
}

const pages = (version: string, more: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> => {
  const [major, minor] = version.split(".");
  const health = new Map(["/healthz", "/livez", "/readyz"].map((path): [string, unknown] => [path, "ok"]));
  const about = {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: `v${version}`,
    gitCommit: "",
    gitTreeState: "clean",
    buildDate: "",
    goVersion: "",
    compiler: "gc",
    platform: "linux/amd64",
  };
  return new Map([...health, ["/version", about], ...discovery, ...openapi, ...more]);
};

/** Checks that `?verbose` of a health page lists (k8s.io/apiserver/pkg/server/healthz); here each always holds. */
const checks = ["ping", "log", "etcd", "informer-sync", "poststarthook/generic-apiserver-start-informers", "shutdown"];

/** Finds the page of a path; a health page lists its checks on `?verbose`. */
function pageOf(known: ReadonlyMap<string, unknown>, path: string, query: URLSearchParams): unknown {
  const page = known.get(path.length > 1 ? path.replace(/\/$/, "") : path);
  if (page !== "ok" || !query.has("verbose")) return page;
  const checked = checks.map((one) => `[+]${one} ok\n`).join("");
  return `${checked}${path.split("/").at(1) ?? ""} check passed\n`;
}

/** Media type of the keys, which are served in no other (pkg/routes/openidmetadata.go). */
const JWK_SET = "application/jwk-set+json";

function otherPage(
  known: ReadonlyMap<string, unknown>,
  { verb, path, query }: RequestInfo,
  accept: string | undefined,
): WireResponse {
  if (path === OPENAPI_V2) formFor(accept);
  if (path === JWKS && !/\*\/\*|jwk-set/.test(accept ?? "*/*")) throw notAcceptable([JWK_SET]);
  const page = pageOf(known, path, query);
  if (page === undefined || verb !== "get") {
    return { status: 404, headers: { "content-type": "text/plain; charset=utf-8" }, body: "404 page not found\n" };
  }
  return typeof page === "string"
    ? { status: 200, headers: { "content-type": "text/plain; charset=utf-8" }, body: page }
    : json(page, 200, path === JWKS ? JWK_SET : "application/json");
}

function refusal(failure: ApiFailure): WireResponse {
  const { code, message, details } = failure;
  const headers: Record<string, string> = details.retryAfterSeconds
    ? { "retry-after": String(details.retryAfterSeconds) }
    : {};
  if (!(failure instanceof PlainFailure)) return json(statusOf(failure), code, "application/json", headers);
  return { status: code, headers: { ...headers, "content-type": "text/plain; charset=utf-8" }, body: message };
}

/**
 * Throws for a path that is not served (404), or not with this verb (405): the API server has a route for each pair.
 */
function checkRoute(type: ResourceType, { namespace, name, subresource }: ResourcePath, verb: string): void {
  const isElsewhere = type.namespaced ? namespace === undefined && name !== "" : namespace !== undefined;
  if (isElsewhere && type.plural !== "namespaces") throw noSuchResource();
  const isEverywhere = type.namespaced && namespace === undefined;
  const isMany = ["list", "watch", "create", "deletecollection"].includes(verb);
  if (isEverywhere && verb !== "list" && verb !== "watch") throw notAllowed();
  if (subresource === "" && isMany === (name !== "")) throw notAllowed();
}

/** Adds warnings to the response of a successful request (RFC 9110 has dropped the header, Kubernetes has not). */
const warned = (response: WireResponse, warnings: readonly string[]): WireResponse =>
  warnings.length === 0
    ? response
    : {
        ...response,
        headers: { ...response.headers, warning: warnings.map((one) => `299 - ${JSON.stringify(one)}`).join(", ") },
      };

/** Turns an unexpected error into the API server's answer to a panic. */
const failureOf = (error: unknown): ApiFailure =>
  error instanceof ApiFailure
    ? error
    : new ApiFailure(500, "InternalError", `Internal error occurred: ${(error as Error).message}`);

/**
 * Builds the request pipeline: authentication, parsing, injected faults, authorization, then the verb. Every answer is
 * recorded; the answer to a failure is a Status.
 */
export function answerer(
  server: Server,
  authenticate: Authenticator,
  version: string,
  issuer: Pick<Tokens, "pages">,
): Answer {
  const { simulation, authorizers } = server;
  const known = pages(version, issuer.pages);
  const starting = startingServer(simulation);
  const values = valuesOf([...known.keys()]);
  simulation.faults.declare(...apiFaults(values), ...webhookFaults(values));

  const injectFaults = async (info: RequestInfo, user: User): Promise<void> => {
    const facts = factsOf(info, user);
    if (simulation.faults.applies("kubernetes-slow", facts)) await simulation.delay(SLOWNESS);
    starting.check(info.verb, user, facts, () => denial(user, info));
    if (simulation.faults.applies("kubernetes-5xx", facts))
      throw new ApiFailure(503, "ServiceUnavailable", "the server is currently unable to handle the request");
    if (!simulation.faults.applies("kubernetes-throttle", facts)) return;
    // k8s.io/apiserver/pkg/server/filters/priority-and-fairness.go answers before the API's encoders.
    throw new PlainFailure(429, "", "Too many requests, please try again later.\n", { retryAfterSeconds: 1 });
  };

  const answerTo = async (request: WireRequest, info: RequestInfo, user: User): Promise<WireResponse> => {
    await injectFaults(info, user);
    requireRight(authorizers.authorize, user, info);
    if (!info.resource) return otherPage(known, info, request.headers.accept);
    const type = resourceType(info.resource.group, info.resource.plural);
    if (!type || type.version !== info.resource.version) throw noSuchResource();
    checkRoute(type, info.resource, info.verb);
    checkOptions(info.verb, info.query, request.method === "PATCH" ? mediaTypeOf(request) : "");
    await passWebhooks(simulation, info.verb, factsOf(info, user));
    const warnings: string[] = [];
    const call = {
      request,
      query: info.query,
      user,
      type,
      ...info.resource,
      warn: (one: string) => warnings.push(one),
    };
    return warned(dispatch(server, call, info.verb), warnings);
  };

  /** Adds the sandbox's time as the header: tokens and certificates expire by it. */
  const dated = (response: WireResponse): WireResponse => ({
    ...response,
    headers: { date: new Date(simulation.clock.now()).toUTCString(), ...response.headers },
  });

  return async (request, tls) => {
    const info = requestInfo(request.method, request.url);
    let principal = "anonymous";
    const record = (status: number, error: string | null): void =>
      simulation.calls.record({ service: "kubernetes", action: actionOf(info), principal, status, error });
    try {
      const sender = authenticate(request, tls?.clientCertificate);
      principal = sender.name;
      const user = actingUser(request, sender, authorizers.authorize);
      const response = await answerTo(request, info, user);
      record(response.status, null);
      return dated(response);
    } catch (error) {
      const failure = failureOf(error);
      if (failure.afterSeconds > 0) await simulation.delay(failure.afterSeconds * 1000);
      record(failure.code, failure.message);
      return dated(refusal(failure));
    }
  };
}

/** Names the action: "patch nodes/status", or method and path when it is not a resource. */
const actionOf = ({ verb, path, resource }: RequestInfo): string =>
  `${verb} ${resource ? resourceText(resource) : path}`;

const factsOf = ({ verb, resource, path }: RequestInfo, user: User): Record<string, string> => ({
  verb,
  resource: resource ? resourceText(resource) : path,
  name: resource?.name ?? "",
  namespace: resource?.namespace ?? "",
  node: resource?.plural === "nodes" ? resource.name : "",
  principal: user.name,
});

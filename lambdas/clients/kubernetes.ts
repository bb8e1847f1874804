import { Agent, request as httpsRequest } from "node:https";
import {
  AuthenticationV1Api,
  AuthorizationV1Api,
  CertificatesV1Api,
  type Configuration,
  CoreV1Api,
  CustomObjectsApi,
  createConfiguration,
  PolicyV1Api,
  type RequestContext,
  ResponseContext,
  ServerConfiguration,
  VersionApi,
} from "@kubernetes/client-node";
import { from } from "@kubernetes/client-node/dist/gen/rxjsStub.js";
import { Retryable } from "../errors.ts";
import { logRefusal } from "./refusals.ts";
import type { KubernetesExchange } from "./transport.ts";

/** The cluster's credential as Secrets Manager stores it. */
export interface ClusterCredential {
  readonly server: string;
  /** PEM of the certificate authority that signs the API server's certificate. */
  readonly ca: string;
  readonly token: string;
}

/** The parts of the Kubernetes API that steps use. */
export interface Kubernetes {
  readonly core: CoreV1Api;
  readonly certificates: CertificatesV1Api;
  readonly policy: PolicyV1Api;
  readonly custom: CustomObjectsApi;
  readonly authentication: AuthenticationV1Api;
  readonly authorization: AuthorizationV1Api;
  readonly version: VersionApi;
}

/** Timeout of a request. The client has none: a silent API server would block the function until Lambda ends it. */
const ANSWER_WITHIN_MS = 15_000;

/**
 * Timeout of an eviction: the server retries conflicts for ten seconds, and a webhook may take thirty
 * (ValidatingWebhook, timeoutSeconds). A client that stops waiting earlier does not know whether the pod was evicted.
 */
const EVICTED_WITHIN_MS = 35_000;

const patienceFor = (url: string): number =>
  new URL(url).pathname.endsWith("/eviction") ? EVICTED_WITHIN_MS : ANSWER_WITHIN_MS;

/**
 * Builds a transport that keeps its connections. The package's own opens a TLS connection per call and has no timeout.
 */
function keptConnections(ca: string): KubernetesExchange {
  const agent = new Agent({ keepAlive: true, maxSockets: 12, ca });
  return ({ method, url, headers, body }) =>
    new Promise((resolve, reject) => {
      // Node sets no content-length on a DELETE. Without one, the server would parse the body (its preconditions) as
      // the next request.
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const timeout = patienceFor(url);
      const how = { method, headers: { ...headers, ...length }, agent, timeout };
      const outgoing = httpsRequest(url, how, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("error", reject);
        incoming.on("end", () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: flattened(incoming.headers),
            body: Buffer.concat(chunks).toString("utf8"),
          }),
        );
      });
      outgoing.on("timeout", () =>
        outgoing.destroy(new Retryable(`the API server did not answer within ${timeout / 1000} s`)),
      );
      outgoing.on("error", (error) =>
        reject(new Retryable(`the API server cannot be reached: ${error.message}`, { cause: error })),
      );
      outgoing.end(body);
    });
}

const flattened = (headers: NodeJS.Dict<string | string[]>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );

const answerOf = (answer: Awaited<ReturnType<KubernetesExchange>>): ResponseContext =>
  new ResponseContext(answer.status, answer.headers, {
    text: async () => answer.body,
    binary: async () => Buffer.from(answer.body),
    stream: () => {
      throw new Error("watches are not used: a Lambda function polls");
    },
  });

/**
 * Text in a 429 that is an answer, not throttling: a disruption budget allows no eviction now (kubernetes/kubernetes,
 * eviction.go).
 */
const BUDGET = "DisruptionBudget";

/** Logs a refusal by the API server. Its audit id finds the call in the cluster's audit log. */
function logAnswer(request: RequestContext, { status, headers, body }: Awaited<ReturnType<KubernetesExchange>>): void {
  if (status === 429 && body.includes(BUDGET)) return;
  const action = `${request.getHttpMethod()} ${new URL(request.getUrl()).pathname}`;
  logRefusal({ service: "kubernetes", action, code: String(status), status, requestId: headers["audit-id"] });
}

/**
 * Builds the Kubernetes APIs for one cluster.
 * @param credential reads the credential; called again with `fresh` after a 401, because tokens are rotated
 * @param exchange replaces the network
 */
export function kubernetes(
  credential: (fresh: boolean) => Promise<ClusterCredential>,
  exchange?: KubernetesExchange,
): Kubernetes {
  let kept: { ca: string; way: KubernetesExchange } | undefined;
  const wayTo = (ca: string): KubernetesExchange => {
    if (exchange) return exchange;
    if (kept?.ca !== ca) kept = { ca, way: keptConnections(ca) };
    return kept.way;
  };
  const ask = async (request: RequestContext, fresh: boolean): Promise<ResponseContext> => {
    const { server, ca, token } = await credential(fresh);
    const body = request.getBody();
    const answer = await wayTo(ca)({
      method: request.getHttpMethod().toString(),
      url: new URL(request.getUrl().slice(PLACEHOLDER.length), server).href,
      headers: { ...request.getHeaders(), authorization: `Bearer ${token}` },
      body: typeof body === "string" ? body : undefined,
    });
    if (answer.status === 401 && !fresh) return ask(request, true);
    logAnswer(request, answer);
    return answerOf(answer);
  };
  const configuration: Configuration = createConfiguration({
    baseServer: new ServerConfiguration(PLACEHOLDER, {}),
    httpApi: { send: (request) => from(ask(request, false)) },
  });
  return {
    core: new CoreV1Api(configuration),
    certificates: new CertificatesV1Api(configuration),
    policy: new PolicyV1Api(configuration),
    custom: new CustomObjectsApi(configuration),
    authentication: new AuthenticationV1Api(configuration),
    authorization: new AuthorizationV1Api(configuration),
    version: new VersionApi(configuration),
  };
}

/** Base URL of requests before they are sent; the real address is in the credential, which is read for each request. */
const PLACEHOLDER = "https://cluster.invalid";

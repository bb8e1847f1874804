import { Readable } from "node:stream";
import type { Activity } from "./core/activity.ts";
import type { KubernetesApi } from "./core/ports.ts";
import { percentEncoded, type WireRequest, type WireResponse } from "./core/wire.ts";

/** Endpoints of the simulator that handlers call. */
export interface Endpoints {
  /** The function URL; default: there is none. */
  readonly frontDoor?: (request: WireRequest) => Promise<WireResponse>;
  readonly aws: { answer(request: WireRequest): Promise<WireResponse> };
  readonly slack: { answer(request: WireRequest): Promise<WireResponse> };
  readonly kubernetes: KubernetesApi;
}

/** The front door's address where there is no network; all else that is fetched is Slack's. */
export const FRONT_DOOR = "https://front-door.sandbox.invalid/";

/** A request as the AWS SDK hands it to its transport (Smithy's HttpRequest). */
interface SdkRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

function queryString(query: SdkRequest["query"] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? value : [value];
    return values.map((one) =>
      one === null ? percentEncoded(name) : `${percentEncoded(name)}=${percentEncoded(one)}`,
    );
  });
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}

async function bytesOf(body: unknown): Promise<Uint8Array> {
  if (body === undefined || body === null) return new Uint8Array();
  if (typeof body === "string") return Buffer.from(body);
  if (body instanceof Uint8Array) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  const chunks: Buffer[] = [];
  for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));

const wholeBody = (body: WireResponse["body"]): Buffer => {
  if (typeof body === "string" || body instanceof Uint8Array) return Buffer.from(body as string);
  throw new Error("A stream has no end that a single exchange could wait for.");
};

/**
 * A transport of the AWS SDK that calls the simulator's AWS endpoint in this process.
 * @param answer the endpoint
 */
export const sdkTransport = (answer: Endpoints["aws"]["answer"]) => ({
  handle: async (sent: SdkRequest) => {
    const request: WireRequest = {
      method: sent.method,
      url: `${sent.path}${queryString(sent.query)}`,
      headers: lowerCased(sent.headers),
      body: await bytesOf(sent.body),
    };
    const { status, headers, body } = await answer(request);
    return { response: { statusCode: status, headers: { ...headers }, body: Readable.from([wholeBody(body)]) } };
  },
});

/**
 * The way from clients to the simulator without a network, in the shape that `lambdas/clients` takes. Requests are the
 * same bytes, signed the same way, and each one counts as activity: a journey's clock waits for it.
 */
export function inProcess(endpoints: Endpoints, activity: Activity) {
  const aws = sdkTransport((request) => endpoints.aws.answer(request));
  const fetchExchange = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const asked = new Request(input, init);
    const address = new URL(asked.url);
    const endpoint = address.href === FRONT_DOOR && endpoints.frontDoor ? endpoints.frontDoor : endpoints.slack.answer;
    const { status, headers, body } = await endpoint({
      method: asked.method,
      url: `${address.pathname}${address.search}`,
      headers: Object.fromEntries(asked.headers),
      body: new Uint8Array(await asked.arrayBuffer()),
    });
    return new Response(new Uint8Array(wholeBody(body)), { status, headers });
  };
  const kubernetesExchange = async (sent: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | undefined;
  }) => {
    const address = new URL(sent.url);
    const { status, headers, body } = await endpoints.kubernetes.answer({
      method: sent.method,
      url: `${address.pathname}${address.search}`,
      headers: lowerCased(sent.headers),
      body: Buffer.from(sent.body ?? ""),
    });
    return { status, headers: { ...headers }, body: wholeBody(body).toString("utf8") };
  };
  return {
    aws: { handle: (request: SdkRequest) => activity.during(aws.handle(request)) },
    fetch: (input: string | URL | Request, init?: RequestInit) => activity.during(fetchExchange(input, init)),
    kubernetes: (request: Parameters<typeof kubernetesExchange>[0]) => activity.during(kubernetesExchange(request)),
  };
}

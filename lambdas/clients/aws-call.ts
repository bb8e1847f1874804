import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { SignatureV4 } from "@smithy/signature-v4";
import type { Settings } from "../settings.ts";
import { reported } from "./refusals.ts";
import type { Transport } from "./transport.ts";

/*
 * Calls on the path of every request are sent by hand and signed by AWS's own library: the SDK's clients for these few
 * calls cost the front door more time than everything else it does. See docs/decisions/0003.
 */

/** One call of one of AWS's JSON services, or of SNS or Auto Scaling, which answer in XML. */
export interface AwsRequest {
  readonly service: "autoscaling" | "dynamodb" | "events" | "lambda" | "secretsmanager" | "sns";
  readonly method: "GET" | "POST";
  /** Each part of it encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Makes a call: its answer's JSON; XML as `text`; {} where there is none. */
export type AwsCall = (request: AwsRequest) => Promise<Readonly<Record<string, unknown>>>;

/** Refusal of a service: the name is AWS's own code ("ConditionalCheckFailedException"), as with the SDK's errors. */
export class AwsError extends Error {
  override readonly name: string;
  readonly $metadata: { readonly httpStatusCode: number; readonly requestId?: string | undefined };
  /** The service that refused, as requests name it: "dynamodb". */
  readonly service: string;

  constructor(code: string, message: string, httpStatusCode: number, requestId?: string, service = "aws") {
    super(message);
    this.service = service;
    this.name = code;
    this.$metadata = { httpStatusCode, requestId };
  }
}

/** Does an error bear this code of AWS's? */
export const isAws = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof AwsError && codes.includes(error.name);

/** Hashing for the signature, in the shape that its library takes. */
class Sha256 {
  #hash: Hash | Hmac;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", bytesOf(secret));
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}

const bytesOf = (data: string | ArrayBuffer | ArrayBufferView): string | Uint8Array => {
  if (typeof data === "string") return data;
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
};

/** As services name their endpoints (AWS General Reference, "Service endpoints"). */
const endpointOf = ({ region, awsEndpoint }: Settings, service: string): URL =>
  new URL(awsEndpoint ?? `https://${service}.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`);

/** An HTTP request as the SDK's transports take it. */
const requestTo = (endpoint: URL, { method, path, headers, body }: AwsRequest) => ({
  method,
  protocol: endpoint.protocol,
  hostname: endpoint.hostname,
  ...(endpoint.port ? { port: Number(endpoint.port) } : {}),
  path,
  query: {},
  headers: { "content-type": "application/json", ...headers, host: endpoint.host, "user-agent": "casement" },
  body,
});

interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

async function textOf(body: HttpResponse["body"]): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** The code is in a header or in the body, with a namespace before "#" or an address behind ":" (Smithy, AWS protocols). */
function errorOf({ statusCode, headers }: HttpResponse, text: string, service: string): AwsError {
  const body = text.startsWith("<")
    ? { code: elementIn(text, "Code"), message: elementIn(text, "Message") }
    : jsonOf(text);
  const { __type: type, code: short, message: words, Message: capital } = body as Readonly<Record<string, unknown>>;
  const code = String(headers["x-amzn-errortype"] ?? type ?? short ?? "UnknownError");
  const message = String(words ?? capital ?? "UnknownError");
  const name = code.split(":")[0]?.split("#").at(-1) ?? code;
  return new AwsError(name, message, statusCode, headers["x-amzn-requestid"], service);
}

const elementIn = (text: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];

function jsonOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text || "{}");
  } catch {
    return {};
  }
}

/** The SDK's standard mode: connections that broke, a service that failed or asked for patience. */
const mayHelpAgain = (error: unknown): boolean =>
  !(error instanceof AwsError) ||
  error.$metadata.httpStatusCode >= 500 ||
  error.$metadata.httpStatusCode === 429 ||
  /Throttl|TooManyRequests|ThroughputExceeded|RequestLimitExceeded|TransactionInProgress/.test(error.name);

/** Milliseconds; the SDK's standard mode: exponential, full jitter, at most 20 s. */
const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(20_000, 500 * 2 ** attempt)));

/** Milliseconds; these services answer in tens of them, and a person or an execution is waiting meanwhile. */
const PATIENCE = { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true };

/**
 * Builds the way to AWS's JSON services.
 * @param settings where we run, by whose credentials
 * @param maxAttempts how often a call is made at most; each of them must be safe to repeat
 * @throws AwsError for what the service refused; whatever the connection threw
 */
export function awsCalls(settings: Settings, transport?: Transport, maxAttempts = 4): AwsCall {
  const handler = (transport?.aws ?? new NodeHttpHandler(PATIENCE)) as {
    handle(request: unknown): Promise<{ response: HttpResponse }>;
  };
  const sign = (request: AwsRequest) =>
    new SignatureV4({ ...settings, service: request.service, sha256: Sha256 }).sign(
      requestTo(endpointOf(settings, request.service), request),
    );
  const once: AwsCall = async (request) => {
    const { response } = await handler.handle(await sign(request));
    const text = await textOf(response.body);
    if (response.statusCode >= 300) throw errorOf(response, text, request.service);
    return text.startsWith("<") ? { text } : jsonOf(text);
  };
  const patiently: AwsCall = async (request) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once(request);
      } catch (error) {
        if (attempt >= maxAttempts || !mayHelpAgain(error)) throw error;
        await pause(attempt - 1);
      }
    }
  };
  return (request) => reported(request.service, actionOf(request), patiently(request));
}

/**
 * The action that a request asks for: JSON services name it in a header, SNS in its form, Lambda by a path whose first
 * segment is a date.
 */
function actionOf({ method, path, headers = {}, body = "" }: AwsRequest): string {
  const target = headers["x-amz-target"]?.split(".").at(-1) ?? /(?:^|&)Action=(\w+)/.exec(body)?.[1];
  return target ?? `${method} ${path.split("/")[2] ?? path}`;
}

import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { SignatureV4 } from "@smithy/signature-v4";
import type { Settings } from "../settings.ts";
import { reported } from "./refusals.ts";
import type { Transport } from "./transport.ts";

/*
 * The calls that every request makes are built here and signed by AWS's own library. The SDK's clients for these few
 * calls would take the front door more time than all its other work. See docs/decisions/0003.
 */

/** One call to an AWS service: a JSON service, or SNS, STS or Auto Scaling, which answer in XML. */
export interface AwsRequest {
  readonly service:
    | "autoscaling"
    | "dynamodb"
    | "events"
    | "kms"
    | "lambda"
    | "secretsmanager"
    | "servicequotas"
    | "sns"
    | "sts";
  readonly method: "GET" | "POST";
  /** URL-encoded segment by segment. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Builds a request to a service that speaks AWS JSON (smithy.io, "AWS JSON 1.1 protocol").
 * @param target the service's prefix and the action: "secretsmanager.GetSecretValue"
 * @param version of the protocol; DynamoDB speaks 1.0
 */
export const jsonRequest = (
  service: AwsRequest["service"],
  target: string,
  input: object,
  version: "1.0" | "1.1" = "1.1",
): AwsRequest => ({
  service,
  method: "POST",
  path: "/",
  headers: { "content-type": `application/x-amz-json-${version}`, "x-amz-target": target },
  body: JSON.stringify(input),
});

/** Region and credentials that calls are signed with, and the address of a simulator. */
type AwsPlace = Pick<Settings, "region" | "credentials" | "awsEndpoint">;

/** Sends a request to AWS. Returns the JSON of the answer, `{ text }` for XML, or `{}` for an empty body. */
export type AwsCall = (request: AwsRequest) => Promise<Readonly<Record<string, unknown>>>;

/** An AWS service's refusal. `name` is AWS's own code ("ConditionalCheckFailedException"), as in the SDK's errors. */
export class AwsError extends Error {
  override readonly name: string;
  readonly $metadata: { readonly httpStatusCode: number; readonly requestId?: string | undefined };
  /** The service that refused, named as in AwsRequest: "dynamodb". */
  readonly service: string;

  constructor(code: string, message: string, httpStatusCode: number, requestId?: string, service = "aws") {
    super(message);
    this.service = service;
    this.name = code;
    this.$metadata = { httpStatusCode, requestId };
  }
}

/** Does the error carry one of these AWS codes? */
export const isAws = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof AwsError && codes.includes(error.name);

/** Hash functions for the signature, with the interface that SignatureV4 expects. */
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

/** The service's public endpoint (AWS General Reference, "Service endpoints"), or the configured one. */
const endpointOf = ({ region, awsEndpoint }: AwsPlace, service: string): URL =>
  new URL(awsEndpoint ?? `https://${service}.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`);

/** Builds an HTTP request in the format of the SDK's transports. */
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

/**
 * Builds the error of a failed call. AWS puts the code into a header or into the body, with a namespace before "#" or a
 * URL after ":" (Smithy, AWS protocols).
 */
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

/** May a retry succeed? As in the SDK's standard mode: after a broken connection, a server error or throttling. */
const mayHelpAgain = (error: unknown): boolean =>
  !(error instanceof AwsError) ||
  error.$metadata.httpStatusCode >= 500 ||
  error.$metadata.httpStatusCode === 429 ||
  /Throttl|TooManyRequests|ThroughputExceeded|RequestLimitExceeded|TransactionInProgress/.test(error.name);

/**
 * Waits before the next attempt, as the SDK's standard mode does: exponential backoff with full jitter, at most 20 s.
 */
const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(20_000, 500 * 2 ** attempt)));

/**
 * Milliseconds. These services answer within tens of milliseconds, and a person or an execution waits for the answer.
 */
const PATIENCE = { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true };

/**
 * Builds the function that calls AWS services.
 * @param settings region and credentials of the function
 * @param maxAttempts limit on the attempts of one call; every call must be safe to repeat
 * @throws AwsError if the service refuses; the connection's error if there is no answer
 */
export function awsCalls(settings: AwsPlace, transport?: Transport, maxAttempts = 4): AwsCall {
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
 * Names the API action of a request: JSON services name it in a header, SNS in its form, Lambda in a path whose first
 * segment is a date.
 */
function actionOf({ method, path, headers = {}, body = "" }: AwsRequest): string {
  const target = headers["x-amz-target"]?.split(".").at(-1) ?? /(?:^|&)Action=(\w+)/.exec(body)?.[1];
  return target ?? `${method} ${path.split("/")[2] ?? path}`;
}

import type { Simulation } from "../core/simulation.ts";
import { json, textOf, type WireRequest, type WireResponse } from "../core/wire.ts";
import { SYNC_PAYLOAD_BYTES } from "./limits.ts";

/** Function behind a URL: takes the event, answers as a handler does, throws as a function fails. */
type UrlTarget = (event: unknown) => Promise<unknown>;

/** Assumed id of the URL; the real one is made by Lambda. */
const URL_ID = "casement";
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * A Lambda function URL without authorisation: HTTP in, an event of payload format 2.0 to the function, its answer out
 * (AWS documentation, "Invoking Lambda function URLs").
 * @returns answers 413 above 6 MB, 502 when the function fails or its answer makes no sense
 */
export function functionUrl(
  target: UrlTarget,
  simulation: Pick<Simulation, "clock" | "random">,
): (request: WireRequest) => Promise<WireResponse> {
  return async (request) => {
    if (request.body.byteLength > SYNC_PAYLOAD_BYTES) return json({ Message: "Request Entity Too Large" }, 413);
    try {
      return answerOf(await target(eventOf(request, simulation.clock.now(), simulation.random.uuid()))) ?? badGateway;
    } catch {
      return badGateway;
    }
  };
}

const badGateway: WireResponse = {
  status: 502,
  headers: { "content-type": "application/json" },
  body: "Internal Server Error",
};

function eventOf(request: WireRequest, now: number, requestId: string): unknown {
  const [rawPath = "/", rawQueryString = ""] = request.url.split(/\?(.*)/s);
  const { cookie, ...headers } = request.headers;
  const domainName = headers.host ?? `${URL_ID}.lambda-url.us-west-2.on.aws`;
  const http = {
    method: request.method,
    path: rawPath,
    protocol: "HTTP/1.1",
    sourceIp: headers["x-forwarded-for"]?.split(",")[0] ?? "127.0.0.1",
    userAgent: headers["user-agent"] ?? "",
  };
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: decodeURIComponent(rawPath),
    rawQueryString,
    ...(cookie === undefined ? {} : { cookies: cookie.split("; ") }),
    headers,
    ...(rawQueryString === "" ? {} : { queryStringParameters: joined(new URLSearchParams(rawQueryString)) }),
    requestContext: {
      accountId: "anonymous",
      apiId: URL_ID,
      domainName,
      domainPrefix: domainName.split(".")[0],
      http,
      requestId,
      routeKey: "$default",
      stage: "$default",
      time: commonLogTime(new Date(now)),
      timeEpoch: now,
    },
    ...bodyOf(request),
  };
}

/** A parameter that is given twice arrives once, its values joined by commas (payload format 2.0). */
function joined(parameters: URLSearchParams): Record<string, string> {
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(names.map((name) => [name, parameters.getAll(name).join(",")]));
}

const two = (value: number): string => String(value).padStart(2, "0");

/** "12/Mar/2020:19:03:58 +0000" */
const commonLogTime = (date: Date): string =>
  `${two(date.getUTCDate())}/${MONTHS[date.getUTCMonth()]}/${date.getUTCFullYear()}:` +
  `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000`;

/** Text stays text; anything else, HTML forms included, is base64 (documented for text/* and JSON, XML, JavaScript). */
const TEXT = /^(?:text\/|application\/(?:json|xml|javascript|[\w.-]+\+(?:json|xml))(?:;|$))/i;

function bodyOf(request: WireRequest): { body?: string; isBase64Encoded: boolean } {
  if (request.body.byteLength === 0) return { isBase64Encoded: false };
  const plain = (request.headers["content-encoding"] ?? "identity") === "identity";
  if (plain && TEXT.test(request.headers["content-type"] ?? ""))
    return { body: textOf(request), isBase64Encoded: false };
  return { body: Buffer.from(request.body).toString("base64"), isBase64Encoded: true };
}

interface StructuredAnswer {
  readonly statusCode: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly cookies?: readonly string[];
  readonly body?: unknown;
  readonly isBase64Encoded?: boolean;
}

function answerOf(value: unknown): WireResponse | undefined {
  const structured = typeof value === "object" && value !== null && "statusCode" in value;
  if (!structured) return inferred(value);
  const answer = value as StructuredAnswer;
  const body = answer.body ?? "";
  if (!isStatus(answer.statusCode) || typeof body !== "string") return undefined;
  return {
    status: answer.statusCode,
    headers: { "content-type": "application/json", ...headersOf(answer) },
    body: answer.isBase64Encoded ? Buffer.from(body, "base64") : body,
  };
}

/** Without a status code the whole answer is the body ("Response payload format"). */
const inferred = (value: unknown): WireResponse => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: typeof value === "string" ? value : JSON.stringify(value ?? null),
});

const isStatus = (code: unknown): code is number =>
  Number.isInteger(code) && Number(code) >= 100 && Number(code) <= 599;

function headersOf({ headers = {}, cookies = [] }: StructuredAnswer): Record<string, string> {
  const plain = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  return { ...Object.fromEntries(plain), ...(cookies.length > 0 ? { "set-cookie": cookies.join(", ") } : {}) };
}

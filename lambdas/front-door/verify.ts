import { createHmac, timingSafeEqual } from "node:crypto";

/** The fields of a request to the Function URL that the front door reads. */
export interface HttpEvent {
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
  readonly requestContext?: { readonly http?: { readonly method?: string | undefined } | undefined } | undefined;
}

/** A request that may come from Slack: its signature is still to be checked. */
export interface UnverifiedRequest {
  readonly bytes: Buffer;
  /** Unix seconds, as sent. */
  readonly timestamp: string;
  /** 64 hexadecimal digits. */
  readonly signature: string;
  readonly contentType: string;
}

/** 401: not signed by Slack in the last five minutes. 400: not a request Slack would send. */
export interface Rejection {
  readonly status: 400 | 401;
  /** For the log; never told to the caller. */
  readonly why: string;
}

/** Seconds; Slack's own advice is five minutes (docs: "Verifying requests from Slack"), here for the future too. */
const TOLERANCE = 300;

/** Bytes; Slack's views are at most 250 KB, three times that when encoded (assumed as a bound for all). */
const LARGEST_BODY = 1_000_000;

const CONTENT_TYPES = ["application/x-www-form-urlencoded", "application/json"];

const rejected = (status: 400 | 401, why: string): Rejection => ({ status, why });

function header(event: HttpEvent, name: string): string {
  const found = Object.entries(event.headers ?? {}).find(([key]) => key.toLowerCase() === name);
  return typeof found?.[1] === "string" ? found[1] : "";
}

const bytesOf = ({ body, isBase64Encoded }: HttpEvent): Buffer =>
  Buffer.from(typeof body === "string" ? body : "", isBase64Encoded ? "base64" : "utf8");

/** "application/json; charset=utf-8" → "application/json" */
const mediaType = (value: string): string => (value.split(";")[0] ?? "").trim().toLowerCase();

/**
 * Reads the headers that the signature check needs; the body is not parsed.
 * @param now Unix seconds
 */
export function unverifiedRequest(event: HttpEvent, now: number): UnverifiedRequest | Rejection {
  const timestamp = header(event, "x-slack-request-timestamp");
  const signature = /^v0=([0-9a-f]{64})$/.exec(header(event, "x-slack-signature"))?.[1];
  if (!/^\d{1,12}$/.test(timestamp)) return rejected(401, "no timestamp");
  if (Math.abs(now - Number(timestamp)) > TOLERANCE) return rejected(401, "timestamp too far from now");
  if (signature === undefined) return rejected(401, "no v0 signature");
  if ((event.requestContext?.http?.method ?? "POST") !== "POST") return rejected(400, "method");
  const contentType = mediaType(header(event, "content-type"));
  if (!CONTENT_TYPES.includes(contentType)) return rejected(400, "content type");
  const bytes = bytesOf(event);
  if (bytes.length === 0 || bytes.length > LARGEST_BODY) return rejected(400, "size of the body");
  return { bytes, timestamp, signature, contentType };
}

/** Was the claim signed with this secret? Compared in constant time, over the bytes as they came. */
export function isSigned({ bytes, timestamp, signature }: UnverifiedRequest, secret: string): boolean {
  const expected = createHmac("sha256", secret).update(`v0:${timestamp}:`).update(bytes).digest();
  return timingSafeEqual(expected, Buffer.from(signature, "hex"));
}

/** Fields Slack sends with every command (docs: "Implementing slash commands"): a request without them gets no answer. */
const OF_A_COMMAND = ["team_id", "channel_id", "user_id", "trigger_id"];

/**
 * Is the body what its content type says: an object in JSON; or a form that holds one as its `payload`, or a command with
 * all that belongs to it, or the question after our certificate?
 */
export function isReadable({ bytes, contentType }: UnverifiedRequest): boolean {
  const text = bytes.toString("utf8");
  if (contentType === "application/json") return isObject(text);
  const form = new URLSearchParams(text);
  const payload = form.get("payload");
  if (payload !== null) return isObject(payload);
  return form.has("ssl_check") || (form.has("command") && OF_A_COMMAND.every((field) => form.get(field)));
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

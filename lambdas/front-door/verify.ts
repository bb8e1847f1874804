import { createHmac, timingSafeEqual } from "node:crypto";

/** The fields of a request to the Function URL that the front door reads. */
export interface HttpEvent {
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
  readonly requestContext?: { readonly http?: { readonly method?: string | undefined } | undefined } | undefined;
}

/** A request that may come from Slack; its signature is not checked yet. */
export interface UnverifiedRequest {
  readonly bytes: Buffer;
  /** Unix seconds, as sent. */
  readonly timestamp: string;
  /** 64 hexadecimal digits. */
  readonly signature: string;
  readonly contentType: string;
}

/** A rejected request. 401: Slack did not sign it within five minutes. 400: Slack would not send such a request. */
export interface Rejection {
  readonly status: 400 | 401;
  /** Reason for the log; the caller does not get it. */
  readonly why: string;
}

/**
 * Seconds: five minutes, as Slack advises for the past (docs: "Verifying requests from Slack"), here also for the
 * future.
 */
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

/** Checks a request's signature against a secret, in constant time, over the received bytes. */
export function isSigned({ bytes, timestamp, signature }: UnverifiedRequest, secret: string): boolean {
  const expected = createHmac("sha256", secret).update(`v0:${timestamp}:`).update(bytes).digest();
  return timingSafeEqual(expected, Buffer.from(signature, "hex"));
}

/**
 * Fields that Slack sends with every command (docs: "Implementing slash commands"); a request without them is rejected.
 */
const OF_A_COMMAND = ["team_id", "channel_id", "user_id", "trigger_id"];

/**
 * Checks that the body fits its content type: a JSON object; or a form with a JSON object as `payload`, with all fields
 * of a command, or with Slack's `ssl_check`.
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

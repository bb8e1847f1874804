import { ApiException } from "@kubernetes/client-node";
import { Retryable } from "../errors.ts";
import { codeOf, type FailureCode } from "../failures.ts";
import { slackCode } from "./slack/slack-code.ts";

/** Errors that mean "later": AWS's names (SDK retry classification), Slack's codes, errors of Node's sockets. */
const BUSY = new Set([
  "ThrottlingException",
  "Throttling",
  "TooManyRequestsException",
  "RequestLimitExceeded",
  "EC2ThrottledException",
  "ProvisionedThroughputExceededException",
  "TransactionConflictException",
  "PriorRequestNotComplete",
  "SlowDown",
  "InternalServerError",
  "InternalServiceError",
  "InternalError",
  "ServiceUnavailable",
  "Unavailable",
  "RequestTimeout",
  "RequestTimeoutException",
  "TimeoutError",
  "AbortError",
  "slack_webapi_request_error",
  "slack_webapi_rate_limited_error",
  "ratelimited",
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "ECONNRESET",
  "ECONNREFUSED",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
]);

/** A field of whatever was thrown; undefined where there is none. */
const fieldOf = (error: unknown, field: string): unknown =>
  typeof error === "object" && error !== null ? (error as Record<string, unknown>)[field] : undefined;

/** The HTTP status that a client reports: each has its own place for it. */
function statusOf(error: unknown): number {
  const aws = fieldOf(fieldOf(error, "$metadata"), "httpStatusCode");
  const status = error instanceof ApiException ? error.code : (aws ?? fieldOf(error, "statusCode"));
  return typeof status === "number" ? status : 0;
}

/** Names of services as people know them, by the names on errors (`lambdas/clients`). */
const services: Readonly<Record<string, string>> = {
  EC2: "EC2",
  SSM: "SSM",
  S3: "S3",
  "Secrets Manager": "Secrets Manager",
  secretsmanager: "Secrets Manager",
  dynamodb: "DynamoDB",
  events: "EventBridge",
  lambda: "Lambda",
  sns: "SNS",
};

/** The service that an error comes from, as people know it; undefined where the error does not say. */
export function serviceOf(error: unknown): string | undefined {
  if (error instanceof ApiException) return "the Kubernetes API";
  if (slackCode(error) !== undefined || String(fieldOf(error, "code")).startsWith("slack_")) return "Slack";
  return services[String(fieldOf(error, "service"))];
}

/** Names of errors of the SDK and of AWS that mean that there is no sign-in, or that it has expired. */
const UNSIGNED = new Set(["CredentialsProviderError", "TokenProviderError", "ExpiredToken", "ExpiredTokenException"]);

/** Is AWS not asked, or refuses it, because there are no credentials that count? */
export const lacksCredentials = (error: unknown): boolean => UNSIGNED.has(String(fieldOf(error, "name")));

/** Did the service say that it was asked too often, or that too much is asked of it? */
export const isThrottled = (error: unknown): boolean =>
  statusOf(error) === 429 ||
  /Throttl|TooManyRequests|RequestLimitExceeded|SlowDown|ThroughputExceeded/.test(String(fieldOf(error, "name")));

/** Does the API server say that there is no such object? Of many objects their absence is an answer. */
export const isAbsent = (error: unknown): boolean => error instanceof ApiException && error.code === 404;

/** Reads one object of the API server; undefined where the server says that there is none. */
export async function ifPresent<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/**
 * Is the error a sign of a busy service, so that trying again may help? Anything else is a refusal or a bug and must not be
 * repeated.
 * @param error whatever a client threw
 */
export function isBusy(error: unknown): boolean {
  if (error instanceof Retryable) return true;
  const status = statusOf(error);
  const names = [fieldOf(error, "name"), fieldOf(error, "code"), slackCode(error)];
  return (
    status === 429 ||
    status >= 500 ||
    names.some((name) => BUSY.has(String(name))) ||
    (error instanceof TypeError && error.message === "fetch failed")
  );
}

/**
 * The service's own words, short enough for a message: Kubernetes' exceptions carry whole bodies and headers, and
 * Slack's do not say that they are Slack's.
 */
export function wordsOf(error: unknown): string {
  if (error instanceof ApiException) return kubernetesWords(error);
  if (!(error instanceof Error)) return String(error);
  const fromSlack = slackWords(error);
  if (fromSlack !== undefined) return fromSlack;
  // Some AWS errors carry their meaning in the name alone, with the message "UnknownError".
  return "$metadata" in error ? `${error.name}: ${error.message}`.replace(": UnknownError", "") : error.message;
}

/** Meanings of the errors of Slack's client, by their codes (@slack/web-api, errors.ts). */
const slackErrors: Readonly<Record<string, (error: Error) => string>> = {
  slack_webapi_platform_error: (error) => `Slack refused: ${slackCode(error)}`,
  slack_webapi_http_error: (error) => `Slack answered ${statusOf(error)}`,
  slack_webapi_rate_limited_error: () => "Slack rate-limited the request",
  slack_webapi_request_error: (error) => `Slack did not answer (${wordsOf(error.cause ?? "no reason given")})`,
};

const slackWords = (error: Error): string | undefined => slackErrors[String(fieldOf(error, "code"))]?.(error);

/** It was read again before the API server refused it: nothing but a new one helps. */
const REFUSED_CREDENTIAL =
  "the API server rejects Casement's credential: a cluster administrator must run npm run connect -- credential (docs/runbook.md#cluster-credential)";

/** Statuses with which the API server denies a request: without a right, or by an admission policy. */
const DENIED: ReadonlySet<number> = new Set([403, 422]);

/** Code of the failure that a service's answer becomes where it ends a stage; undefined where the answer has none. */
export function codeOfAnswer(error: unknown): FailureCode | undefined {
  if (error instanceof ApiException) return DENIED.has(error.code) ? "api-denied" : undefined;
  return error instanceof Error ? codeOf(error) : undefined;
}

/** Codes with which the API server, or what stands before it, says that it does not answer now. */
const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504]);

function kubernetesWords(error: ApiException<unknown>): string {
  if (error.code === 401) return REFUSED_CREDENTIAL;
  const message = fieldOf(bodyOf(error), "message");
  const answered = `the API server answered ${error.code}`;
  if (typeof message !== "string" || message === "") return answered;
  // "The server" may be any: these words do not name themselves, unlike those about an object.
  return UNAVAILABLE.has(error.code) ? `${answered}: ${message}` : message;
}

/** Reads the API server's answer as JSON; the client returns the bare text if it does not know the shape. */
export function bodyOf(error: ApiException<unknown>): unknown {
  if (typeof error.body !== "string") return error.body;
  try {
    return JSON.parse(error.body);
  } catch {
    return undefined;
  }
}

/** One reason inside the API server's Status: what is wrong, and with which field. */
export interface Cause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The reasons that the API server gives in `details.causes` of its Status; empty where it gives none. */
export function causesOf(error: ApiException<unknown>): readonly Cause[] {
  const causes = fieldOf(fieldOf(bodyOf(error), "details"), "causes");
  return Array.isArray(causes) ? causes : [];
}

import { ApiException } from "@kubernetes/client-node";
import { Retryable } from "../errors.ts";
import { codeOf, type FailureCode } from "../records/failures.ts";
import { slackCode, slackWords } from "./slack/slack-code.ts";

/**
 * Errors after which a retry may succeed: AWS's names (SDK retry classification), Slack's codes, Node's socket errors.
 */
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
  "request_timeout",
  "team_added_to_org",
  "org_login_required",
  "ECONNRESET",
  "ECONNREFUSED",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
]);

/** Reads a field of a thrown value; undefined if there is none. */
const fieldOf = (error: unknown, field: string): unknown =>
  typeof error === "object" && error !== null ? (error as Record<string, unknown>)[field] : undefined;

/** Reads the HTTP status from an error; each client stores it in another field. */
function statusOf(error: unknown): number {
  const aws = fieldOf(fieldOf(error, "$metadata"), "httpStatusCode");
  const status = error instanceof ApiException ? error.code : (aws ?? fieldOf(error, "statusCode"));
  return typeof status === "number" ? status : 0;
}

/** Names of services for messages, by the names that errors carry (`lambdas/clients`). */
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

/** The name of the service that an error comes from; undefined if the error does not say. */
export function serviceOf(error: unknown): string | undefined {
  if (error instanceof ApiException) return "the Kubernetes API";
  if (slackCode(error) !== undefined || String(fieldOf(error, "code")).startsWith("slack_")) return "Slack";
  return services[String(fieldOf(error, "service"))];
}

/** Error names of the SDK and of AWS for missing or expired credentials. */
const UNSIGNED = new Set(["CredentialsProviderError", "TokenProviderError", "ExpiredToken", "ExpiredTokenException"]);

/** Are AWS credentials missing, expired or invalid? */
export const lacksCredentials = (error: unknown): boolean => UNSIGNED.has(String(fieldOf(error, "name")));

/** Did the service throttle the call? */
export const isThrottled = (error: unknown): boolean =>
  statusOf(error) === 429 ||
  /Throttl|TooManyRequests|RequestLimitExceeded|SlowDown|ThroughputExceeded/.test(String(fieldOf(error, "name")));

/** Did the API server answer that the object does not exist (404)? */
export const isAbsent = (error: unknown): boolean => error instanceof ApiException && error.code === 404;

/** Did the API server refuse the call for a missing right, or by an admission policy (403)? */
export const lacksRight = (error: unknown): boolean => error instanceof ApiException && error.code === 403;

/** Did the API server reject the credential itself, and not the request? Only a new credential helps then. */
export const refusesCredential = (error: unknown): boolean => error instanceof ApiException && error.code === 401;

/** RBAC's words about a right that an account lacks (k8s.io/apiserver, responsewriters forbiddenMessage). */
const LACKS = /cannot \S+ (?:resource|path) "/;

/**
 * Did RBAC refuse the call? An API server that has just started refuses rightful accounts as well, until it has read roles and
 * bindings. The refusal of an admission policy is another one.
 */
export function isRefusedByRbac(error: unknown): boolean {
  if (!(error instanceof ApiException) || error.code !== 403) return false;
  const words = kubernetesWords(error);
  return LACKS.test(words) && !words.includes("denied request");
}

/** Reads one object from the API server; undefined if it does not exist. */
export async function ifPresent<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Statuses of 4xx after which the same request may succeed (RFC 9110 15.5.9, RFC 8470 5.2, RFC 6585 4). */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Is the service only busy, so that a retry may succeed? Any other error is a refusal or a bug and must not be retried.
 * @param error anything that a client threw
 */
export function isBusy(error: unknown): boolean {
  if (error instanceof Retryable) return true;
  const status = statusOf(error);
  const names = [fieldOf(error, "name"), fieldOf(error, "code"), slackCode(error)];
  return (
    PASSING.has(status) ||
    status >= 500 ||
    names.some((name) => BUSY.has(String(name))) ||
    (error instanceof TypeError && error.message === "fetch failed")
  );
}

/**
 * The service's own words, short enough for a message: Kubernetes' exceptions contain whole bodies and headers, and
 * Slack's errors do not name Slack.
 */
export function wordsOf(error: unknown): string {
  if (error instanceof ApiException) return kubernetesWords(error);
  if (!(error instanceof Error)) return String(error);
  const fromSlack = slackWords(error);
  if (fromSlack !== undefined) return fromSlack;
  // Some AWS errors carry their meaning only in the name, with the message "UnknownError".
  return "$metadata" in error ? `${error.name}: ${error.message}`.replace(": UnknownError", "") : error.message;
}

/** Only a new credential helps: the client has already read the secret again before this refusal. */
const REFUSED_CREDENTIAL =
  "the API server rejects Casement's credential: a cluster administrator must run npm run connect -- credential (docs/runbook.md#cluster-credential)";

/** Statuses with which the API server denies a request: without a right, or by an admission policy. */
const DENIED: ReadonlySet<number> = new Set([403, 422]);

/** Code of the failure that a service's answer becomes where it ends a stage; undefined where the answer has none. */
export function codeOfAnswer(error: unknown): FailureCode | undefined {
  if (refusesCredential(error) || isRefusedByRbac(error)) return "api-unauthorized";
  if (error instanceof ApiException) return DENIED.has(error.code) ? "api-denied" : undefined;
  return error instanceof Error ? codeOf(error) : undefined;
}

/**
 * Waits for an answer of Lambda about an execution.
 * @param unknown result if Lambda refuses to show the execution, as of a function that a release removed
 * @throws any other error
 */
export async function ifShown<T>(asked: Promise<T>, unknown: T): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (codeOfAnswer(error) !== "aws-denied") throw error;
    return unknown;
  }
}

/** Status codes that mean the API server, or a proxy in front of it, is temporarily unavailable. */
const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504]);

function kubernetesWords(error: ApiException<unknown>): string {
  if (error.code === 401) return REFUSED_CREDENTIAL;
  const message = fieldOf(bodyOf(error), "message");
  const answered = `the API server answered ${error.code}`;
  if (typeof message !== "string" || message === "") return answered;
  // The API server's words about an object name the object; "The server …" could be any server, so it is named here.
  return UNAVAILABLE.has(error.code) ? `${answered}: ${message}` : message;
}

/** Parses the API server's answer as JSON; the client returns plain text if it does not know the shape. */
export function bodyOf(error: ApiException<unknown>): unknown {
  if (typeof error.body !== "string") return error.body;
  try {
    return JSON.parse(error.body);
  } catch {
    return undefined;
  }
}

/** One cause in the API server's Status: the fault, and the field that has it. */
export interface Cause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The causes in `details.causes` of the API server's Status; empty if there are none. */
export function causesOf(error: ApiException<unknown>): readonly Cause[] {
  const causes = fieldOf(fieldOf(bodyOf(error), "details"), "causes");
  return Array.isArray(causes) ? causes : [];
}

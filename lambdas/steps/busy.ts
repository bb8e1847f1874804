import { ApiException } from "@kubernetes/client-node";
import { Retryable } from "../errors.ts";

/** AWS's own words for "later": SDK retry classification, plus those that services use for contention. */
const BUSY_NAMES = new Set([
  "ThrottlingException",
  "Throttling",
  "TooManyRequestsException",
  "RequestLimitExceeded",
  "ProvisionedThroughputExceededException",
  "TransactionConflictException",
  "SlowDown",
  "InternalServerError",
  "InternalServiceError",
  "InternalError",
  "ServiceUnavailable",
  "Unavailable",
  "TimeoutError",
  "AbortError",
  "slack_webapi_rate_limited_error",
]);

const fieldOf = (error: object, field: string): unknown => (error as Record<string, unknown>)[field];

function statusOf(error: object): number {
  const metadata = fieldOf(error, "$metadata");
  const aws = typeof metadata === "object" && metadata !== null ? fieldOf(metadata, "httpStatusCode") : undefined;
  const status = error instanceof ApiException ? error.code : (aws ?? fieldOf(error, "statusCode"));
  return typeof status === "number" ? status : 0;
}

/**
 * Was the world only busy, so that trying again may help? Anything else is a refusal or a bug and must not be repeated.
 * @param error whatever a client threw
 */
export function isBusy(error: unknown): boolean {
  if (error instanceof Retryable) return true;
  if (typeof error !== "object" || error === null) return false;
  const status = statusOf(error);
  const code = fieldOf(error, "code");
  return (
    status === 429 ||
    status >= 500 ||
    BUSY_NAMES.has(String(fieldOf(error, "name"))) ||
    code === "ECONNRESET" ||
    code === "ECONNREFUSED" ||
    code === "slack_webapi_request_error" ||
    code === "slack_webapi_rate_limited_error" ||
    (error instanceof TypeError && error.message === "fetch failed")
  );
}

/** The service's own words, short enough for a message: Kubernetes' exceptions carry whole bodies and headers. */
export function wordsOf(error: unknown): string {
  if (error instanceof ApiException) return kubernetesWords(error);
  return error instanceof Error ? error.message : String(error);
}

function kubernetesWords(error: ApiException<unknown>): string {
  try {
    const body =
      typeof error.body === "string"
        ? (JSON.parse(error.body) as { message?: string })
        : (error.body as { message?: string });
    return body.message ?? `the API server answered ${error.code}`;
  } catch {
    return `the API server answered ${error.code}`;
  }
}

import { log, logMetric } from "../logging.ts";
import { METRICS } from "../metrics.ts";

/**
 * Reason why a service did not carry out a call. Any other error is an answer, for example that an object does not
 * exist.
 */
export type RefusalKind = "throttled" | "denied" | "unavailable";

/** Codes with which AWS, Kubernetes and Slack throttle a caller. */
const THROTTLED =
  /Throttl|TooManyRequests|RequestLimitExceeded|SlowDown|ThroughputExceeded|PriorRequestNotComplete|^ratelimited$|rate_limited_error/;

/** Codes for a caller that is unknown or lacks a permission. */
const DENIED =
  /AccessDenied|Unauthori[sz]ed|UnrecognizedClient|ExpiredToken|InvalidClientTokenId|SignatureDoesNotMatch|^(invalid_auth|not_authed|token_revoked|token_expired|account_inactive|missing_scope|not_in_channel|restricted_action\w*|is_archived|channel_not_found|access_?\w*limited|\w*access_denied|no_permission|two_factor_setup_required|\w+_not_granted)$/;

/** Codes of services that failed, and of connections that broke. */
const UNAVAILABLE =
  /^(InternalError|InternalServerError|InternalServiceError|ServiceUnavailable|Unavailable|TimeoutError|ECONN\w+|EPIPE|ETIMEDOUT|EAI_AGAIN|slack_webapi_request_error|internal_error|fatal_error|service_unavailable|request_timeout|org_login_required|team_added_to_org)$/;

/**
 * Classifies an error as a refusal; null if it is an answer.
 * @param status HTTP status; 0 if there was no response
 */
export function refusalKind(code: string, status: number): RefusalKind | null {
  if (status === 429 || THROTTLED.test(code)) return "throttled";
  if (status === 401 || status === 403 || DENIED.test(code)) return "denied";
  return status === 408 || status === 425 || status >= 500 || UNAVAILABLE.test(code) ? "unavailable" : null;
}

/** A service's error or answer, as its client reports it. */
interface Refused {
  readonly service: string;
  readonly action: string;
  readonly code: string;
  readonly status: number;
  readonly requestId?: string | undefined;
}

/**
 * Logs a call that a service throttled, denied or could not serve. Any other answer is not logged, unless the caller
 * says what it is.
 */
export function logRefusal({ status, ...refused }: Refused, outcome = refusalKind(refused.code, status)): void {
  if (outcome === null) return;
  log("WARN", "refusal", { ...refused, outcome, ...(status > 0 ? { status } : {}) });
  if (refused.service === "slack") logMetric(METRICS.slackRefusals, 1, { [METRICS.kind]: outcome });
}

/** Reads code, HTTP status and request id from an error of an AWS client. */
const factsOf = (error: unknown) => {
  const { name = "UnknownError", code, $metadata = {} } = Object(error);
  return {
    code: String(code ?? name),
    status: Number($metadata.httpStatusCode ?? 0),
    requestId: $metadata.requestId as string | undefined,
  };
};

/**
 * Waits for a call to AWS and logs its refusal.
 * @throws the error of the call
 */
export async function reported<T>(service: string, action: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    logRefusal({ service, action, ...factsOf(error) });
    throw error;
  }
}

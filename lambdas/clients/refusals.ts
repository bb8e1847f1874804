import { log, logMetric } from "../logging.ts";
import { METRICS } from "../metrics.ts";

/** Reason for which a service did not do what it was asked; any other error is an answer, such as that something does not exist. */
export type RefusalKind = "throttled" | "denied" | "unavailable";

/** Codes by which AWS, Kubernetes and Slack ask for patience. */
const THROTTLED =
  /Throttl|TooManyRequests|RequestLimitExceeded|SlowDown|ThroughputExceeded|PriorRequestNotComplete|^ratelimited$|rate_limited_error/;

/** Codes for a caller that is not known, or may not. */
const DENIED =
  /AccessDenied|Unauthori[sz]ed|UnrecognizedClient|ExpiredToken|InvalidClientTokenId|SignatureDoesNotMatch|^(invalid_auth|not_authed|token_revoked|token_expired|account_inactive|missing_scope|not_in_channel|restricted_action|is_archived)$/;

/** Codes of services that failed, and of connections that broke. */
const UNAVAILABLE =
  /^(InternalError|InternalServerError|InternalServiceError|ServiceUnavailable|Unavailable|TimeoutError|ECONN\w+|EPIPE|ETIMEDOUT|EAI_AGAIN|slack_webapi_request_error|internal_error|fatal_error|service_unavailable)$/;

/**
 * Tells refusals from answers.
 * @param status of HTTP; 0 where none came
 */
export function refusalKind(code: string, status: number): RefusalKind | null {
  if (status === 429 || THROTTLED.test(code)) return "throttled";
  if (status === 401 || status === 403 || DENIED.test(code)) return "denied";
  return status >= 500 || UNAVAILABLE.test(code) ? "unavailable" : null;
}

/** An error or answer of a service, as its client reports it. */
interface Refused {
  readonly service: string;
  readonly action: string;
  readonly code: string;
  readonly status: number;
  readonly requestId?: string | undefined;
}

/** Logs a call that a service throttled, denied or could not serve; anything else is an answer and is left out. */
export function logRefusal({ status, ...refused }: Refused): void {
  const outcome = refusalKind(refused.code, status);
  if (outcome === null) return;
  log("WARN", "refusal", { ...refused, outcome, ...(status > 0 ? { status } : {}) });
  if (refused.service === "slack") logMetric(METRICS.slackRefusals, 1, { [METRICS.kind]: outcome });
}

/** Name, HTTP status and request id of an error that an AWS client threw. */
const factsOf = (error: unknown) => {
  const { name = "UnknownError", code, $metadata = {} } = Object(error);
  return {
    code: String(code ?? name),
    status: Number($metadata.httpStatusCode ?? 0),
    requestId: $metadata.requestId as string | undefined,
  };
};

/** Waits for a call of AWS's and logs its refusal. @throws what the call threw */
export async function reported<T>(service: string, action: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    logRefusal({ service, action, ...factsOf(error) });
    throw error;
  }
}

import type { FaultKind } from "../core/faults.ts";
import type { Simulation } from "../core/simulation.ts";
import { json, type WireResponse } from "../core/wire.ts";

/**
 * Codes with which Slack refuses a message; source: docs.slack.dev/reference/methods/chat.postMessage and chat.update,
 * "Errors".
 */
export const refusalCodes = [
  "not_in_channel",
  "is_archived",
  "channel_not_found",
  "token_revoked",
  "token_expired",
  "account_inactive",
  "invalid_auth",
  "missing_scope",
  "access_denied",
  "accesslimited",
  "ekm_access_denied",
  "no_permission",
  "org_login_required",
  "team_added_to_org",
  "request_timeout",
  "restricted_action",
  "restricted_action_read_only_channel",
  "restricted_action_thread_only_channel",
  "msg_too_long",
  "msg_blocks_too_long",
  "invalid_blocks",
  "message_limit_exceeded",
  "team_access_not_granted",
  "two_factor_setup_required",
] as const;

/** Statuses of 4xx that a proxy or a load balancer answers; 408 is reported of Slack itself. */
export const refusalStatuses = ["408", "403", "404", "425"] as const;

const fields = {
  method: "Web API method such as chat.update, or response_url",
  channel: "id of the channel the call is about",
};

/**
 * Builds the faults that can be injected into Slack.
 * @param methods of the Web API
 * @param channels ids
 */
export const slackFaults = (methods: readonly string[], channels: readonly string[]): readonly FaultKind[] => {
  const values = { method: [...methods, "response_url"], channel: channels };
  return [
    { kind: "slack-5xx", sentence: "Slack answers a call with HTTP 500 and does nothing.", fields, values },
    { kind: "slack-answer-lost", sentence: "Slack does what a call asks but answers with HTTP 500.", fields, values },
    { kind: "slack-ratelimited", sentence: "Slack refuses a call with HTTP 429 and Retry-After: 10.", fields, values },
    { kind: "slack-slow", sentence: "Slack answers a call only after ten seconds.", fields, values },
    {
      kind: "slack-refuses",
      sentence: "Slack refuses a call with one of its own codes.",
      fields: { ...fields, code: "Slack's code, such as not_in_channel, which is also the default" },
      values: { ...values, code: refusalCodes },
    },
    {
      kind: "slack-http",
      sentence: "Slack, or a proxy before it, answers a call with a page and an HTTP status of 4xx.",
      fields: { ...fields, status: "403, 404, 408, which is also the default, or 425" },
      values: { ...values, status: refusalStatuses },
    },
    { kind: "slack-down", sentence: "Slack is unavailable: HTTP 503 with a page instead of JSON.", fields, values },
  ];
};

/** Retry-After of an injected refusal, and duration of a slow answer; both assumed. */
const INJECTED_RETRY_SECONDS = 10;
const SLOW_MS = 10_000;

/** HTTP 429 as Slack sends it; source: docs.slack.dev/apis/web-api/rate-limits. */
export const tooMany = (seconds: number): WireResponse =>
  json({ ok: false, error: "ratelimited" }, 429, "application/json", { "retry-after": String(seconds) });

const broken = (): WireResponse => json({ ok: false, error: "internal_error" }, 500);

const page = (status: number): WireResponse => ({
  status,
  headers: { "content-type": "text/html" },
  body: "<html><body>Slack is temporarily unavailable.</body></html>",
});

/**
 * Makes a call unless an injected fault prevents it.
 * @param facts compared with the `match` of each fault
 * @param call answers it; what it throws is thrown on
 */
export async function withFaults(
  { faults, delay }: Simulation,
  facts: { readonly method: string; readonly channel: string },
  call: () => WireResponse,
): Promise<WireResponse> {
  if (faults.applies("slack-down", facts)) return page(503);
  if (faults.applies("slack-5xx", facts)) return broken();
  if (faults.applies("slack-ratelimited", facts)) return tooMany(INJECTED_RETRY_SECONDS);
  const code = refusalCodes.find((one) => faults.applies("slack-refuses", { ...facts, code: one }));
  if (code) return json({ ok: false, error: code });
  const status = refusalStatuses.find((one) => faults.applies("slack-http", { ...facts, status: one }));
  if (status) return page(Number(status));
  if (faults.applies("slack-slow", facts)) await delay(SLOW_MS);
  const response = call();
  return faults.applies("slack-answer-lost", facts) ? broken() : response;
}

/** The error an answer carries, for the record of calls; null when it went well. */
export function errorIn({ status, headers, body }: WireResponse): string | null {
  if (headers["content-type"] !== "application/json") return status < 400 ? null : "service_unavailable";
  const answer: { readonly ok?: boolean; readonly error?: string } = JSON.parse(String(body));
  return answer.ok ? null : (answer.error ?? null);
}

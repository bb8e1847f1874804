import type { MishapKind } from "../core/mishaps.ts";

const fields = {
  method: "Web API method, such as chat.update",
  channel: "channel id the call names",
};

/** What can be ordered to go wrong with Slack. */
export const slackMishaps: readonly MishapKind[] = [
  { kind: "slack-5xx", sentence: "Slack answers a call with HTTP 500 and does nothing.", fields },
  { kind: "slack-answer-lost", sentence: "Slack does what a call asks but answers with HTTP 500.", fields },
  { kind: "slack-ratelimited", sentence: "Slack refuses a call with HTTP 429 and Retry-After: 10.", fields },
  { kind: "slack-slow", sentence: "Slack answers a call only after ten seconds.", fields },
  { kind: "slack-down", sentence: "Slack is unavailable: HTTP 503 with a page instead of JSON.", fields },
];

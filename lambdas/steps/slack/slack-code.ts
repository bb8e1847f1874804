/** Slack's code of an error ("not_found"); undefined for any other error. */
export function slackCode(error: unknown): string | undefined {
  const { data } = Object(error) as { readonly data?: unknown };
  const { error: code } = Object(data) as { readonly error?: unknown };
  return typeof code === "string" ? code : undefined;
}

/** Messages for the errors of Slack's client, by their codes (@slack/web-api, errors.ts). */
const slackErrors: Readonly<Record<string, (error: Error & { readonly statusCode?: unknown }) => string>> = {
  slack_webapi_platform_error: (error) => `Slack refused: ${slackCode(error)}`,
  slack_webapi_http_error: ({ statusCode }) => `Slack answered ${String(statusCode ?? 0)}`,
  slack_webapi_rate_limited_error: () => "Slack rate-limited the request",
  slack_webapi_request_error: ({ cause }) =>
    `Slack did not answer (${cause instanceof Error ? cause.message : "no reason given"})`,
};

/** Words for an error of Slack's client, which does not name Slack; undefined for any other error. */
export const slackWords = (error: Error): string | undefined =>
  slackErrors[String((error as { readonly code?: unknown }).code)]?.(error);

/** Slack's code of an error ("not_found"); undefined for any other error. */
export function slackCode(error: unknown): string | undefined {
  const { data } = Object(error) as { readonly data?: unknown };
  const { error: code } = Object(data) as { readonly error?: unknown };
  return typeof code === "string" ? code : undefined;
}

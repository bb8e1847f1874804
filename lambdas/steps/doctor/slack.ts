import type { AuthTestResponse } from "@slack/web-api";
import { AwsError } from "../../clients/aws-call.ts";
import type { Finding } from "../../messages/doctor/finding.ts";
import { isBusy, wordsOf } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { slackCode } from "../slack/slack-code.ts";
import { type DoctorCheck, type DoctorFacts, isDenied } from "./check.ts";

/** Scopes that the app requests when it is installed; a test compares them with docs/slack-app-manifest.yaml. */
export const slackScopes = [
  "commands",
  "chat:write",
  "users:read",
  "usergroups:read",
  "channels:read",
  "channels:history",
] as const;

/** Slack's codes for an invalid token (docs: auth.test, "Errors"). */
const REFUSED = new Set(["invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"]);

async function whoAmI({ clients }: StepContext): Promise<AuthTestResponse | Finding> {
  try {
    return await (await clients.slack()).auth.test();
  } catch (error) {
    // Slack's token is stored in AWS, so an unavailable Secrets Manager does not mean that Slack is down.
    if (error instanceof AwsError && isBusy(error)) return { kind: "down", area: "AWS", why: wordsOf(error) };
    const code = slackCode(error);
    // If Slack returned no code, and no service is busy or denied the call, the secret is wrong.
    const isSecret = code === undefined && !isBusy(error) && !isDenied(error);
    if (isSecret || REFUSED.has(code ?? "")) return { kind: "slack-credential", why: code ?? wordsOf(error) };
    throw error;
  }
}

/** Checks the token's scopes, which auth.test returns in its header x-oauth-scopes (docs: "Scopes and permissions"). */
async function identity({ context, configuration: { slack } }: DoctorFacts): Promise<Finding[]> {
  const asked = await whoAmI(context);
  if ("kind" in asked) return [asked];
  const { user_id: user = "", team_id: team = "", response_metadata: metadata } = asked;
  const granted = (metadata as { readonly scopes?: readonly string[] } | undefined)?.scopes ?? [];
  const missing = slackScopes.filter((scope) => !granted.includes(scope));
  const [found, configured] = [`${team}/${user}`, `${slack.teamId}/${slack.botUserId}`];
  return [
    ...(found === configured ? [] : [{ kind: "other-app", found, configured } as const]),
    ...(missing.length === 0 ? [] : [{ kind: "scopes-missing", scopes: missing } as const]),
  ];
}

async function channel({ context, configuration: { slack } }: DoctorFacts): Promise<Finding[]> {
  const client = await context.clients.slack();
  const about = { channel: slack.channel };
  try {
    const found = (await client.conversations.info(about)).channel;
    return [
      ...(found?.is_member ? [] : [{ kind: "not-a-member", ...about } as const]),
      ...(found?.is_ext_shared ? [{ kind: "channel-shared", ...about } as const] : []),
    ];
  } catch (error) {
    if (slackCode(error) === "channel_not_found") return [{ kind: "channel-unknown", ...about }];
    throw error;
  }
}

/** First check of Slack: if Slack does not answer it, the other checks are skipped. */
export const slackIdentity: DoctorCheck = { area: "Slack", what: "the app's token and scopes", observe: identity };

export const slackChecks: readonly DoctorCheck[] = [{ area: "Slack", what: "the channel", observe: channel }];

import { code, plain, some } from "../slack/text.ts";
import type { Finding } from "./finding.ts";
import { broken, type FindingText } from "./finding-text.ts";

type OfSlack = Extract<
  Finding,
  {
    readonly kind:
      | "slack-credential"
      | "other-app"
      | "scopes-missing"
      | "not-a-member"
      | "channel-shared"
      | "channel-unknown";
  }
>;

/** Texts of the findings about the Slack app and its channel. */
export const ofSlack: { readonly [K in OfSlack["kind"]]: (of: Extract<Finding, { kind: K }>) => FindingText } = {
  "slack-credential": ({ why }) =>
    broken(
      "Slack",
      `the app's token in Secrets Manager cannot be used: ${plain(why)}`,
      "store the signing secret and the bot token again: `npm run connect -- slack`",
    ),
  "other-app": ({ found, configured }) =>
    broken(
      "Slack",
      `the bot token belongs to ${code(found)}, but the configuration names ${code(configured)}`,
      "store the right app's token in the secret, or its ids in the configuration",
    ),
  "scopes-missing": ({ scopes }) =>
    broken(
      "Slack",
      `the app lacks ${scopes.length === 1 ? "the scope" : "the scopes"} ${some(scopes.map(code), 8)}`,
      "add them under “OAuth & Permissions” (docs/slack-app-manifest.yaml lists all), then reinstall the app",
    ),
  "not-a-member": ({ channel }) =>
    broken("Slack", `Casement is not a member of <#${plain(channel, 40)}>`, "type `/invite @casement` there"),
  "channel-shared": ({ channel }) =>
    broken(
      "Slack",
      `<#${plain(channel, 40)}> is shared with another organisation, so every command in it is refused`,
      "set another channel in the configuration",
    ),
  "channel-unknown": ({ channel }) =>
    broken(
      "Slack",
      `the channel ${code(channel)} was not found`,
      "set the id of an existing channel in the configuration, and invite Casement if it is private",
    ),
};

import { parseDocument } from "yaml";
import { DEFAULT_WORD } from "../../lambdas/messages/slack/command-word.ts";

/** Facts by which the manifests of two clusters' apps differ. */
export interface SlackApp {
  readonly cluster: string;
  /** The slash command. */
  readonly command: string;
  /** Address of the front door; null before the first deployment. */
  readonly frontDoor: string | null;
}

/** Longest name of an app (@slack/web-api, types/request/manifest.d.ts). */
const LONGEST_NAME = 35;

const heading = ({ cluster, frontDoor }: SlackApp): string =>
  ` The Slack app of the cluster ${cluster}, for https://api.slack.com/apps.
 ${frontDoor === null ? "Both addresses are placeholders: Slack does not call them while the app is made, and npm run connect -- slack replaces them." : "Both addresses are the stack's front door."}`;

/**
 * Writes the manifest of a cluster's Slack app. An app with another command than the default has another name too,
 * because it is the workspace's second.
 * @param template text of docs/slack-app-manifest.yaml
 */
export function slackAppManifest(template: string, app: SlackApp): string {
  const document = parseDocument(template);
  const slash = ["features", "slash_commands", 0] as const;
  document.setIn([...slash, "command"], app.command);
  if (app.command !== DEFAULT_WORD) {
    document.setIn(["display_information", "name"], `Casement ${app.cluster}`.slice(0, LONGEST_NAME));
    document.setIn(["features", "bot_user", "display_name"], `casement-${app.cluster}`);
  }
  if (app.frontDoor !== null) {
    document.setIn([...slash, "url"], app.frontDoor);
    document.setIn(["settings", "interactivity", "request_url"], app.frontDoor);
  }
  document.commentBefore = heading(app);
  return document.toString({ lineWidth: 0 });
}

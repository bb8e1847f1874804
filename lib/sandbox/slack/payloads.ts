import type { Json } from "./block-kit/check.ts";
import type { Channel, Person } from "./directory.ts";
import type { Element } from "./elements-in.ts";
import type { StoredMessage } from "./message-log.ts";
import { messageObject } from "./methods/method.ts";
import type { View } from "./view.ts";
import type { Workspace } from "./workspace.ts";

/** The legacy verification token, still in each payload; it must not be trusted. */
const VERIFICATION_TOKEN = "gIkuvaNzQIHg97ATvDxqgjtO";

/** Form that Slack sends for a slash command. Source: guide "Implementing slash commands". */
export function commandForm(
  { directory: { team, app } }: Workspace,
  { person, channel, command, text }: { person: Person; channel: Channel; command: string; text: string },
  { triggerId, responseUrl }: { triggerId: string; responseUrl: string },
): Record<string, string> {
  return {
    token: VERIFICATION_TOKEN,
    team_id: team.id,
    team_domain: team.domain,
    channel_id: channel.id,
    channel_name: channel.name,
    user_id: person.id,
    user_name: person.name,
    command,
    text,
    api_app_id: app.id,
    is_enterprise_install: "false",
    response_url: responseUrl,
    trigger_id: triggerId,
  };
}

const common = ({ directory: { team, app } }: Workspace, person: Person): Json => ({
  user: { id: person.id, username: person.name, name: person.name, team_id: team.id },
  api_app_id: app.id,
  token: VERIFICATION_TOKEN,
  team: { id: team.id, domain: team.domain },
  enterprise: null,
  is_enterprise_install: false,
});

/** Action that was pressed or chosen, as `actions[0]` tells it. */
const actionOf = (element: Element, chosen: Json, ts: string): Json => ({
  ...chosen,
  type: element.type,
  action_id: element.actionId,
  block_id: element.blockId,
  ...("text" in element.json && { text: element.json.text }),
  ...("style" in element.json && { style: element.json.style }),
  action_ts: ts,
});

/** A click in a message. An ephemeral message is not part of its payload: Slack does not keep it. */
export function messageAction(
  workspace: Workspace,
  person: Person,
  click: { message: StoredMessage; channel: Channel; element: Element; chosen: Json },
  { triggerId, responseUrl }: { triggerId: string; responseUrl: string },
): Json {
  const { message, channel, element, chosen } = click;
  return {
    type: "block_actions",
    ...common(workspace, person),
    container: {
      type: "message",
      message_ts: message.ts,
      channel_id: channel.id,
      is_ephemeral: message.onlyTo !== undefined,
      ...(message.threadTs !== undefined && { thread_ts: message.threadTs }),
    },
    trigger_id: triggerId,
    channel: { id: channel.id, name: channel.name },
    ...(message.onlyTo === undefined && { message: messageObject(workspace, message) }),
    state: { values: {} },
    response_url: responseUrl,
    actions: [actionOf(element, chosen, workspace.messages.nextTs())],
  };
}

/** A click inside a view. */
export function viewAction(
  workspace: Workspace,
  person: Person,
  { view, element, chosen }: { view: View; element: Element; chosen: Json },
  triggerId: string,
): Json {
  return {
    type: "block_actions",
    ...common(workspace, person),
    container: { type: "view", view_id: view.id },
    trigger_id: triggerId,
    view,
    actions: [actionOf(element, chosen, workspace.messages.nextTs())],
  };
}

/** A view that was submitted, with what was filled in. */
export function viewSubmission(
  workspace: Workspace,
  person: Person,
  { view, values }: { view: View; values: Readonly<Record<string, Json>> },
  triggerId: string,
): Json {
  return {
    type: "view_submission",
    ...common(workspace, person),
    trigger_id: triggerId,
    view: { ...view, state: { values } },
    response_urls: [],
  };
}

/** A view that was closed without being submitted. */
export const viewClosed = (workspace: Workspace, person: Person, view: View): Json => ({
  type: "view_closed",
  ...common(workspace, person),
  view,
  is_cleared: false,
});

import type { Json } from "../block-kit/check.ts";
import type { Channel } from "../directory.ts";
import type { StoredMessage } from "../message-log.ts";
import type { Tier } from "../rate-limits.ts";
import { SlackError } from "../slack-error.ts";
import type { Workspace } from "../workspace.ts";

/** One method of the Web API. Tiers and scopes: the method's page under docs.slack.dev/reference/methods. */
export interface Method {
  readonly tier: Tier;
  /** The bot scope it needs; null for none. */
  readonly scope: string | null;
  /** Arguments that must be there. */
  readonly needs: readonly string[];
  /** Runs the method; its result is merged with `ok: true`. Throws SlackError. */
  run(args: Json): Json;
}

/** The channel argument as a channel the app can see. */
export function channelOf({ directory }: Workspace, args: Json): Channel {
  const channel = directory.channel(String(args.channel));
  if (!channel) throw new SlackError("channel_not_found");
  return channel;
}

/** The channel argument as a channel the app is a member of. */
export function joinedChannelOf(workspace: Workspace, args: Json): Channel {
  const channel = channelOf(workspace, args);
  if (!channel.members.includes(workspace.directory.app.userId)) throw new SlackError("not_in_channel");
  return channel;
}

/** A message that API methods can find: ephemeral ones are not kept by Slack. */
export function messageOf({ messages }: Workspace, channel: Channel, ts: unknown): StoredMessage {
  const message = messages.find(channel.id, String(ts));
  if (!message || message.onlyTo !== undefined) throw new SlackError("message_not_found");
  return message;
}

/** A message as API answers and payloads show it. */
export function messageObject({ directory: { app, team }, messages }: Workspace, message: StoredMessage): Json {
  const replies = message.threadTs === undefined ? messages.thread(message.channel, message.ts).length - 1 : 0;
  const threadTs = message.threadTs ?? (replies > 0 ? message.ts : undefined);
  return {
    type: "message",
    user: message.user,
    ts: message.ts,
    text: message.text,
    team: team.id,
    ...(message.user === app.userId && { bot_id: app.botId, app_id: app.id }),
    ...(message.blocks.length > 0 && { blocks: message.blocks }),
    ...(threadTs !== undefined && { thread_ts: threadTs }),
    ...(replies > 0 && { reply_count: replies }),
    ...(message.broadcast && { subtype: "thread_broadcast" }),
    ...(message.metadata && { metadata: message.metadata }),
    ...(message.reactions && {
      reactions: message.reactions.map(({ name, users }) => ({ name, users, count: users.length })),
    }),
    ...(message.editedTs !== undefined && { edited: { user: message.user, ts: message.editedTs } }),
  };
}

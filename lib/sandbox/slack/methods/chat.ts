import { isObject, type Json } from "../block-kit/check.ts";
import type { Channel } from "../directory.ts";
import { checkedContent } from "../message-content.ts";
import type { StoredMessage } from "../message-log.ts";
import { SlackError } from "../slack-error.ts";
import type { Workspace } from "../workspace.ts";
import { channelOf, joinedChannelOf, type Method, messageObject, messageOf } from "./method.ts";

/** Changelog 2018-04 "Truncating really long messages": text beyond this is cut. */
const POSTED_CHARACTERS = 40_000;
/** chat.update refuses longer text with msg_too_long; the figure is not documented, users report 4,000. */
const UPDATED_CHARACTERS = 4_000;

/** Message metadata guide: an event type and a flat payload; the answer names no reason. */
function checkedMetadata(metadata: unknown): Json | undefined {
  if (metadata === undefined) return undefined;
  if (!isObject(metadata)) throw new SlackError("invalid_metadata_format");
  if (typeof metadata.event_type !== "string" || !isObject(metadata.event_payload)) {
    throw new SlackError("invalid_metadata_schema");
  }
  return metadata;
}

/** The thread a reply goes to: that of the message named, which must be there (a reply to a reply joins its thread). */
function threadOf(workspace: Workspace, channel: Channel, threadTs: unknown): string | undefined {
  if (threadTs === undefined) return undefined;
  const root = workspace.messages.find(channel.id, String(threadTs));
  if (!root || root.onlyTo !== undefined) throw new SlackError("thread_not_found");
  return root.threadTs ?? root.ts;
}

/** A message of the app's own, within the time it may be edited. */
function editable(workspace: Workspace, channel: Channel, ts: unknown): StoredMessage {
  const message = messageOf(workspace, channel, ts);
  if (message.user !== workspace.directory.app.userId) throw new SlackError("cant_update_message");
  const minutes = workspace.options.editWindowMinutes ?? Number.POSITIVE_INFINITY;
  const age = workspace.simulation.clock.now() / 1000 - Number(message.ts);
  if (age > minutes * 60) throw new SlackError("edit_window_closed");
  return message;
}

function postMessage(workspace: Workspace, args: Json): Json {
  const channel = joinedChannelOf(workspace, args);
  const threadTs = threadOf(workspace, channel, args.thread_ts);
  const metadata = checkedMetadata(args.metadata);
  const content = checkedContent(args, () => workspace.simulation.random.hex(5));
  const message = workspace.messages.post({
    channel: channel.id,
    user: workspace.directory.app.userId,
    ...content,
    text: content.text.slice(0, POSTED_CHARACTERS),
    ...(threadTs !== undefined && { threadTs }),
    ...(threadTs !== undefined && isTrue(args.reply_broadcast) && { broadcast: true }),
    ...(metadata && { metadata }),
  });
  return { channel: channel.id, ts: message.ts, message: messageObject(workspace, message) };
}

function postEphemeral(workspace: Workspace, args: Json): Json {
  const channel = joinedChannelOf(workspace, args);
  if (!channel.members.includes(String(args.user))) throw new SlackError("user_not_in_channel");
  const threadTs = threadOf(workspace, channel, args.thread_ts);
  const message = workspace.messages.post({
    channel: channel.id,
    user: workspace.directory.app.userId,
    onlyTo: String(args.user),
    ...checkedContent(args, () => workspace.simulation.random.hex(5)),
    ...(threadTs !== undefined && { threadTs }),
  });
  return { message_ts: message.ts };
}

function update(workspace: Workspace, args: Json): Json {
  const channel = channelOf(workspace, args);
  const message = editable(workspace, channel, args.ts);
  const metadata = checkedMetadata(args.metadata);
  // chat.update reference: "If you don't include this field, the message's previous blocks will be retained."
  const kept = args.blocks === undefined ? message.blocks : undefined;
  const content = checkedContent({ ...args, blocks: args.blocks ?? kept }, () => workspace.simulation.random.hex(5));
  if (content.text.length > UPDATED_CHARACTERS) throw new SlackError("msg_too_long");
  const changed = workspace.messages.edit(message, { ...content, ...(metadata && { metadata }) });
  const { text, ts } = changed;
  return { channel: channel.id, ts, text, message: messageObject(workspace, changed) };
}

function remove(workspace: Workspace, args: Json): Json {
  const channel = channelOf(workspace, args);
  const message = messageOf(workspace, channel, args.ts);
  if (message.user !== workspace.directory.app.userId) throw new SlackError("cant_delete_message");
  workspace.messages.remove(message);
  return { channel: channel.id, ts: message.ts };
}

function permalink(workspace: Workspace, args: Json): Json {
  const channel = channelOf(workspace, args);
  const { ts, threadTs } = messageOf(workspace, channel, args.message_ts);
  const thread = threadTs === undefined ? "" : `?thread_ts=${threadTs}&cid=${channel.id}`;
  const base = `https://${workspace.directory.team.domain}.slack.com/archives/${channel.id}`;
  return { channel: channel.id, permalink: `${base}/p${ts.replace(".", "")}${thread}` };
}

/** Forms send "true", JSON sends true. */
const isTrue = (value: unknown): boolean => value === true || value === "true";

/** The methods of `chat.` that the simulated Slack knows. */
export const chatMethods = (workspace: Workspace): Record<string, Method> => ({
  "chat.postMessage": {
    tier: "posting",
    scope: "chat:write",
    needs: ["channel"],
    run: (args) => postMessage(workspace, args),
  },
  "chat.postEphemeral": {
    tier: "tier4",
    scope: "chat:write",
    needs: ["channel", "user"],
    run: (args) => postEphemeral(workspace, args),
  },
  "chat.update": {
    tier: "tier3",
    scope: "chat:write",
    needs: ["channel", "ts"],
    run: (args) => update(workspace, args),
  },
  "chat.delete": {
    tier: "tier3",
    scope: "chat:write",
    needs: ["channel", "ts"],
    run: (args) => remove(workspace, args),
  },
  "chat.getPermalink": {
    tier: "special",
    scope: null,
    needs: ["channel", "message_ts"],
    run: (args) => permalink(workspace, args),
  },
});

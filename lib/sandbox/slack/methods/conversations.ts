import type { Json } from "../block-kit/check.ts";
import type { Channel } from "../directory.ts";
import type { StoredMessage } from "../message-log.ts";
import { SlackError } from "../slack-error.ts";
import type { Workspace } from "../workspace.ts";
import { channelOf, joinedChannelOf, type Method, messageObject, messageOf } from "./method.ts";

/** conversations.history and .replies: 100 messages a page by default, at most 999. */
const PAGE = 100;
const LARGEST_PAGE = 999;

/** One page, and where the next begins: a cursor is the position, base64 as Slack's are. */
function page(messages: readonly StoredMessage[], args: Json): { items: StoredMessage[]; rest: Json } {
  const from = Number(Buffer.from(String(args.cursor ?? ""), "base64").toString() || 0);
  if (!Number.isInteger(from) || from < 0) throw new SlackError("invalid_cursor");
  const size = Math.min(Number(args.limit ?? PAGE) || PAGE, LARGEST_PAGE);
  const more = from + size < messages.length;
  const cursor = more ? Buffer.from(String(from + size)).toString("base64") : "";
  return {
    items: messages.slice(from, from + size),
    rest: { has_more: more, response_metadata: { next_cursor: cursor } },
  };
}

/** Metadata is given only to who asks for it (conversations.history, include_all_metadata). */
const told = (workspace: Workspace, args: Json, message: StoredMessage): Json => {
  const { metadata, ...rest } = messageObject(workspace, message);
  return String(args.include_all_metadata) === "true" && metadata ? { ...rest, metadata } : rest;
};

const between = (args: Json) => (message: StoredMessage) =>
  Number(message.ts) > Number(args.oldest ?? 0) && Number(message.ts) < Number(args.latest ?? Number.POSITIVE_INFINITY);

const channelObject = ({ directory }: Workspace, { id, name, members, externallyShared }: Channel): Json => ({
  id,
  name,
  is_channel: true,
  is_private: false,
  is_archived: false,
  is_member: members.includes(directory.app.userId),
  is_ext_shared: externallyShared,
  is_shared: externallyShared,
  context_team_id: directory.team.id,
});

const info = (workspace: Workspace, args: Json): Json => ({
  channel: channelObject(workspace, channelOf(workspace, args)),
});

/** The channels of the app, all on one page; Slack leaves `is_member` out here (docs: users.conversations). */
const conversations = (workspace: Workspace): Json => ({
  channels: workspace.directory.channels
    .filter(({ members }) => members.includes(workspace.directory.app.userId))
    .map((channel) => {
      const { is_member: _isMember, ...rest } = channelObject(workspace, channel);
      return rest;
    }),
  response_metadata: { next_cursor: "" },
});

function history(workspace: Workspace, args: Json): Json {
  const { id } = joinedChannelOf(workspace, args);
  const shown = workspace.messages
    .all()
    .filter((one) => one.channel === id && !one.onlyTo && (one.threadTs === undefined || one.broadcast))
    .filter(between(args))
    .reverse();
  const { items, rest } = page(shown, args);
  return { messages: items.map((message) => told(workspace, args, message)), ...rest };
}

function replies(workspace: Workspace, args: Json): Json {
  const channel = joinedChannelOf(workspace, args);
  const all = workspace.messages.thread(channel.id, String(args.ts));
  if (all.length === 0) throw new SlackError("thread_not_found");
  const thread = all.filter((message) => message.ts === String(args.ts) || between(args)(message));
  const { items, rest } = page(thread, args);
  return { messages: items.map((message) => told(workspace, args, message)), ...rest };
}

function react(workspace: Workspace, args: Json): Json {
  const message = messageOf(workspace, joinedChannelOf(workspace, args), args.timestamp);
  const [name, user] = [String(args.name), workspace.directory.app.userId];
  if (!/^[a-z0-9_+'-]+$/.test(name)) throw new SlackError("invalid_name");
  if (message.reactions?.some((one) => one.name === name && one.users.includes(user))) {
    throw new SlackError("already_reacted");
  }
  workspace.messages.react(message, name, user);
  return {};
}

/** The methods of `conversations.`, and reactions.add. */
export const conversationMethods = (workspace: Workspace): Record<string, Method> => ({
  "users.conversations": {
    tier: "tier3",
    scope: "channels:read",
    needs: [],
    run: () => conversations(workspace),
  },
  "conversations.info": {
    tier: "tier3",
    scope: "channels:read",
    needs: ["channel"],
    run: (args) => info(workspace, args),
  },
  "conversations.history": {
    tier: "tier3",
    scope: "channels:history",
    needs: ["channel"],
    run: (args) => history(workspace, args),
  },
  "conversations.replies": {
    tier: "tier3",
    scope: "channels:history",
    needs: ["channel", "ts"],
    run: (args) => replies(workspace, args),
  },
  "reactions.add": {
    tier: "tier3",
    scope: "reactions:write",
    needs: ["channel", "name", "timestamp"],
    run: (args) => react(workspace, args),
  },
});

import type { Standing } from "./world.ts";

/** What `users.info` says of a person, as far as it matters here (docs: "User object"). */
interface SlackUser {
  readonly is_bot?: boolean | undefined;
  readonly deleted?: boolean | undefined;
  readonly is_restricted?: boolean | undefined;
  readonly is_ultra_restricted?: boolean | undefined;
  readonly is_stranger?: boolean | undefined;
}

/** What `conversations.info` says of a channel (docs: "Conversation object"). */
interface SlackChannel {
  readonly is_ext_shared?: boolean | undefined;
}

/**
 * Who is asking, and where. Somebody of whom nothing is known counts as a guest: an unreadable state means no.
 * @param user the `user` of users.info
 * @param channel the `channel` of conversations.info
 */
export function standingOf(user: SlackUser | undefined, channel: SlackChannel | undefined): Standing {
  if (!user || !channel || user.deleted) return "guest";
  if (user.is_bot) return "bot";
  if (user.is_restricted || user.is_ultra_restricted || user.is_stranger) return "guest";
  return channel.is_ext_shared ? "shared-channel" : "member";
}

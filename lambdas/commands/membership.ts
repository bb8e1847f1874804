import type { Configuration } from "../configuration/configuration.ts";

/** Slack's word on a person and the channel; only a member in a channel that is not shared is listened to. */
export type Membership = "member" | "guest" | "bot" | "shared-channel";

/** The fields of `users.info` that matter here (docs: "User object"). */
export interface SlackUser {
  readonly is_bot?: boolean | undefined;
  readonly deleted?: boolean | undefined;
  readonly is_restricted?: boolean | undefined;
  readonly is_ultra_restricted?: boolean | undefined;
  readonly is_stranger?: boolean | undefined;
}

/** The field of `conversations.info` that matters here (docs: "Conversation object"). */
export interface SlackChannel {
  readonly is_ext_shared?: boolean | undefined;
}

/**
 * Judges the requester and the channel of a request. An unknown person counts as a guest: an unreadable state means no.
 * @param user the `user` of users.info
 * @param channel the `channel` of conversations.info
 */
export function membershipOf(user: SlackUser | undefined, channel: SlackChannel | undefined): Membership {
  if (!user || !channel || user.deleted) return "guest";
  if (user.is_bot) return "bot";
  if (user.is_restricted || user.is_ultra_restricted || user.is_stranger) return "guest";
  return channel.is_ext_shared ? "shared-channel" : "member";
}

/** Slack's facts on everyone who holds a role, as of the schedule's last tick; the front door decides by them. */
export interface Roster {
  /** User group (S…) → its members. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
  /** People who hold a role, as far as they were asked after; of others nothing is known. */
  readonly memberships: Readonly<Record<string, Membership>>;
  /** ISO 8601. */
  readonly readAt: string;
}

/** Nothing known of anybody: groups are empty, and of people whom the configuration names their workflow asks Slack. */
export const emptyRoster: Roster = { groups: {}, memberships: {}, readAt: new Date(0).toISOString() };

/** Ids of the user groups (S…) that a person is in. */
export const groupsOf = ({ groups }: Roster, userId: string): string[] =>
  Object.keys(groups).filter((group) => groups[group]?.includes(userId));

/** Ids of the user groups that hold roles. */
export const groupsWithRoles = ({ people }: Pick<Configuration, "people">): string[] =>
  [...new Set(Object.values(people).flat())].filter((id) => id.startsWith("S"));

/** Ids of the people who hold roles, by their own name or as members of groups. */
export const peopleWithRoles = ({ people }: Pick<Configuration, "people">, groups: Roster["groups"]): string[] => [
  ...new Set([...Object.values(people).flat(), ...Object.values(groups).flat()].filter((id) => !id.startsWith("S"))),
];

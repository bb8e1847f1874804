import type { Configuration } from "../configuration/configuration.ts";

/**
 * Membership of a requester and the channel according to Slack; only requests of members in an unshared channel are
 * accepted.
 */
export type Membership = "member" | "guest" | "bot" | "shared-channel";

/** The fields of `users.info` that decide a membership (docs: "User object"). */
export interface SlackUser {
  readonly is_bot?: boolean | undefined;
  readonly deleted?: boolean | undefined;
  readonly is_restricted?: boolean | undefined;
  readonly is_ultra_restricted?: boolean | undefined;
  readonly is_stranger?: boolean | undefined;
}

/** The field of `conversations.info` that decides a membership (docs: "Conversation object"). */
export interface SlackChannel {
  readonly is_ext_shared?: boolean | undefined;
}

/**
 * Decides the membership of a requester and a channel. An unknown person is treated as a guest, who is refused.
 * @param user the `user` of users.info
 * @param channel the `channel` of conversations.info
 */
export function membershipOf(user: SlackUser | undefined, channel: SlackChannel): Membership {
  if (!user || user.deleted) return "guest";
  if (user.is_bot) return "bot";
  if (user.is_restricted || user.is_ultra_restricted || user.is_stranger) return "guest";
  return channel.is_ext_shared ? "shared-channel" : "member";
}

/** Slack's facts on everyone with a role at the schedule's last tick; the front door decides by them. */
export interface Roster {
  /** User group (S…) → its members. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
  /** Memberships of people with a role; a person whom Slack was not asked about is missing. */
  readonly memberships: Readonly<Record<string, Membership>>;
  /** Pools whose rules could not be read. */
  readonly unreadablePools: readonly string[];
  /** ISO 8601. */
  readonly readAt: string;
}

/**
 * A roster without any facts: nobody is in a group, and the workflow asks Slack about people whom the configuration
 * names.
 */
export const emptyRoster: Roster = {
  ...{ groups: {}, memberships: {}, unreadablePools: [] },
  readAt: new Date(0).toISOString(),
};

/** Ids of the user groups (S…) that a person is in. */
export const groupsOf = ({ groups }: Pick<Roster, "groups">, userId: string): string[] =>
  Object.keys(groups).filter((group) => groups[group]?.includes(userId));

/** Ids of the user groups with a role. */
export const groupsWithRoles = ({ people }: Pick<Configuration, "people">): string[] =>
  [...new Set(Object.values(people).flat())].filter((id) => id.startsWith("S"));

/** Ids of the people with a role, either named in the configuration or as members of a group. */
export const peopleWithRoles = ({ people }: Pick<Configuration, "people">, groups: Roster["groups"]): string[] => [
  ...new Set([...Object.values(people).flat(), ...Object.values(groups).flat()].filter((id) => !id.startsWith("S"))),
];

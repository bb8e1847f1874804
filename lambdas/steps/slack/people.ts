import type { WebClient } from "@slack/web-api";
import { unreadableIn } from "../../commands/approvals.ts";
import {
  groupsOf,
  groupsWithRoles,
  type Membership,
  membershipOf,
  peopleWithRoles,
  type Roster,
  type SlackChannel,
  type SlackUser,
} from "../../commands/membership.ts";
import type { Rules } from "../../configuration/configuration.ts";
import { type FrontDoorContext, timestamp } from "../context.ts";
import { calling } from "./calling.ts";
import { roster } from "./roster.ts";
import { slackCode } from "./slack-code.ts";

type MemberRules = Pick<Rules, "people" | "slack">;

/** Slack's codes for a person or a user group that does not exist (or no longer), by method (docs: "Errors"). */
const ABSENT = { "users.info": ["user_not_found", "user_not_visible"], "usergroups.users.list": ["no_such_subteam"] };

/**
 * Limit on people per tick: users.info is a method of tier 4, with a hundred calls a minute (docs: "Rate limits"). More
 * people take several ticks.
 */
const PEOPLE_PER_TICK = 50;
const TICK_MS = 5 * 60_000;

/** Chooses the people to read at this tick; everybody if they are few. */
function dueAt(now: number, everybody: readonly string[]): readonly string[] {
  const shares = Math.max(1, Math.ceil(everybody.length / PEOPLE_PER_TICK));
  return everybody.filter((_, at) => at % shares === Math.floor(now / TICK_MS) % shares);
}

/**
 * Reads people and groups from Slack, without a cache, and the channel. A channel that Slack does not show says nothing
 * about the people in it.
 * @throws Retryable
 */
const asking = ({ clients }: FrontDoorContext) => {
  const ifThere = <T>(method: keyof typeof ABSENT, ask: (slack: WebClient) => Promise<T>): Promise<T | undefined> =>
    calling(method, async () => {
      const slack = await clients.slack();
      return ask(slack).catch((error: unknown) => {
        if (!ABSENT[method].includes(slackCode(error) ?? "")) throw error;
        return undefined;
      });
    });

  return {
    user: async (user: string): Promise<SlackUser | undefined> =>
      (await ifThere("users.info", (slack) => slack.users.info({ user })))?.user,

    channel: (channel: string): Promise<SlackChannel> =>
      calling("conversations.info", async () => {
        const { channel: found } = await (await clients.slack()).conversations.info({ channel });
        if (!found) throw new Error("Slack gave no channel");
        return found;
      }),

    members: async (usergroup: string): Promise<readonly string[]> =>
      (await ifThere("usergroups.users.list", (slack) => slack.usergroups.users.list({ usergroup })))?.users ?? [],
  };
};

/** People as Slack knows them. Every call to Slack throws a busy error (`isBusy`) if Slack does not answer or refuses. */
export const people = (context: FrontDoorContext) => {
  const slack = asking(context);
  const stored = roster(context);

  return {
    /**
     * Reads the facts that the schedule last stored about a person, with the person's groups; undefined if nothing is
     * known. They are enough for a `/win` look, which changes nothing: Slack allows too few calls for every look to
     * make one.
     */
    lastKnown: async (userId: string): Promise<{ membership: Membership; groups: string[] } | undefined> => {
      const known = await stored.read();
      const membership = known && Object.hasOwn(known.memberships, userId) ? known.memberships[userId] : undefined;
      return known && membership ? { membership, groups: groupsOf(known, userId) } : undefined;
    },

    /** Reads a person's membership from Slack, before a change and at its approval. */
    membership: async ({ slack: { channel } }: MemberRules, userId: string): Promise<Membership> => {
      const [user, place] = await Promise.all([slack.user(userId), slack.channel(channel)]);
      return membershipOf(user, place);
    },

    /** Reads from Slack which of the groups contain a person now. */
    groupsOf: async (groups: readonly string[], userId: string): Promise<string[]> => {
      const members = await Promise.all(groups.map(slack.members));
      return groups.filter((_, at) => members[at]?.includes(userId));
    },

    /** Reads the members of every role and stores them for the front door, which has no time to ask Slack. */
    synchronise: async (rules: Rules): Promise<Roster> => {
      const before = await stored.read();
      const groups: Record<string, readonly string[]> = {};
      for (const group of groupsWithRoles(rules)) groups[group] = await slack.members(group);
      const channel = await slack.channel(rules.slack.channel);
      const memberships: Record<string, Membership> = { ...before?.memberships };
      for (const id of dueAt(context.now(), peopleWithRoles(rules, groups)))
        memberships[id] = membershipOf(await slack.user(id), channel);
      const unreadablePools = unreadableIn(rules);
      const known = { groups, memberships, unreadablePools, readAt: timestamp(context) };
      await stored.write(known);
      return known;
    },
  };
};

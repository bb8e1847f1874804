import type { town as theTown } from "../town.ts";

/** The town's data, as far as Slack is made of it. */
export type Town = typeof theTown;

/** A conversation. The app hears and speaks only where it is a member. */
export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly members: readonly string[];
  /** Shared with another company by Slack Connect. */
  readonly externallyShared: boolean;
}

/** Somebody with an account. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
}

/** A user group (S…). */
export interface UserGroup {
  readonly id: string;
  readonly handle: string;
  readonly name: string;
  readonly users: readonly string[];
}

/** People, groups, channels and the app of the workspace: fixed data, no state. */
export interface Directory {
  readonly team: { readonly id: string; readonly domain: string; readonly name: string };
  readonly app: { readonly id: string; readonly userId: string; readonly botId: string; readonly name: string };
  readonly people: readonly Person[];
  readonly userGroups: readonly UserGroup[];
  readonly channels: readonly Channel[];
  person(id: string): Person | undefined;
  /** By id, or by name with or without "#". */
  channel(idOrName: string): Channel | undefined;
}

/**
 * The workspace around the town's channel: the app's own channel, one it was never invited to and one that is shared
 * with another company.
 */
export function directory(town: Town): Directory {
  const everybody = town.people.map((person) => person.id);
  const bot = town.slack.botUserId;
  const channels: Channel[] = [
    { id: town.slack.channelId, name: town.slack.channelName, members: [bot, ...everybody], externallyShared: false },
    { id: "C0GENERAL0", name: "general", members: everybody, externallyShared: false },
    { id: "C0PARTNERS", name: "partners", members: [bot, ...everybody], externallyShared: true },
  ];
  const withRole = (role: string): string[] =>
    town.people.filter((person) => (person.roles as readonly string[]).includes(role)).map((person) => person.id);
  const people = town.people.map(({ id, name, realName }) => ({ id, name, realName }));
  return {
    team: { id: town.slack.teamId, domain: "casement-town", name: "Casement Town" },
    app: { id: town.slack.appId, userId: bot, botId: town.slack.botId, name: "casement" },
    people,
    userGroups: [
      { id: "S0OPERATORS", handle: "operators", name: "Operators", users: withRole("operator") },
      { id: "S0APPROVERS", handle: "approvers", name: "Approvers", users: withRole("approver") },
    ],
    channels,
    person: (id) => people.find((person) => person.id === id),
    channel: (idOrName) => {
      const name = idOrName.replace(/^#/, "");
      return channels.find((channel) => channel.id === idOrName || channel.name === name);
    },
  };
}

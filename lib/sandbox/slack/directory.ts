import type { demo as demoData } from "../demo.ts";

/** Data of the demo that the workspace is made from. */
export type Demo = typeof demoData;

/** A conversation. The app hears and speaks only where it is a member. */
export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly members: readonly string[];
  /** Shared with another company by Slack Connect. */
  readonly externallyShared: boolean;
}

/** A user of the workspace. */
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
 * The demo workspace: the app's own channel, one it was never invited to and one that is shared
 * with another company.
 */
export function directory(demo: Demo): Directory {
  const everybody = demo.people.map((person) => person.id);
  const bot = demo.slack.botUserId;
  const channels: Channel[] = [
    { id: demo.slack.channelId, name: demo.slack.channelName, members: [bot, ...everybody], externallyShared: false },
    { id: "C0GENERAL0", name: "general", members: everybody, externallyShared: false },
    { id: "C0PARTNERS", name: "partners", members: [bot, ...everybody], externallyShared: true },
  ];
  const withRole = (role: string): string[] =>
    demo.people.filter((person) => (person.roles as readonly string[]).includes(role)).map((person) => person.id);
  const people = demo.people.map(({ id, name, realName }) => ({ id, name, realName }));
  return {
    team: { id: demo.slack.teamId, domain: "casement-demo", name: "Casement Demo" },
    app: { id: demo.slack.appId, userId: bot, botId: demo.slack.botId, name: "casement" },
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

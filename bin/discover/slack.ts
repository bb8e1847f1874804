import { LogLevel, WebClient } from "@slack/web-api";
import { type Fact, part, read } from "./fact.ts";

/** Names that a person gave: a channel, and for each role handles of user groups or names of people. */
export interface SlackNames {
  /** Undefined for the one channel that the app is in. */
  readonly channel: string | undefined;
  /** Role → names; a role without names is looked for under the role's own handle. */
  readonly people: Readonly<Record<string, readonly string[]>>;
}

/** Values of the configuration that Slack knows. */
export interface SlackFacts {
  readonly teamId: Fact<string>;
  readonly appId: Fact<string>;
  readonly botUserId: Fact<string>;
  readonly botId: Fact<string>;
  readonly channel: Fact<string>;
  /** Role → ids of user groups and people. */
  readonly people: Readonly<Record<string, Fact<readonly string[]>>>;
}

/** A name that people know, and Slack's id of it. */
interface Entry {
  readonly id: string;
  readonly names: readonly string[];
}

const PATIENCE_MS = 10_000;

/** Builds a client for a token that a person has typed. @param url address of Slack's API, with a slash at the end */
export const slackClient = (token: string, url: string): WebClient =>
  new WebClient(token, {
    slackApiUrl: url,
    timeout: PATIENCE_MS,
    retryConfig: { retries: 2 },
    logLevel: LogLevel.ERROR,
  });

/** Reads all pages of a list (docs: "Pagination"; 200 is the size that Slack advises). */
async function pages<T>(
  page: (at: { limit: number; cursor?: string }) => Promise<{
    readonly items: readonly T[];
    readonly response_metadata?: { readonly next_cursor?: string };
  }>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor = "";
  do {
    const { items, response_metadata: next } = await page({ limit: 200, ...(cursor && { cursor }) });
    all.push(...items);
    cursor = next?.next_cursor ?? "";
  } while (cursor !== "");
  return all;
}

/** Lists the public channels that the app is in and that no other company shares: the only ones that it works in. */
const ownChannels = async (client: WebClient): Promise<Entry[]> => {
  const channels = await pages(async (at) => {
    const found = await client.users.conversations({ ...at, types: "public_channel", exclude_archived: true });
    return { ...found, items: found.channels ?? [] };
  });
  return channels
    .filter(({ is_ext_shared: isShared }) => !isShared)
    .map(({ id = "", name = "" }) => ({ id, names: [name] }));
};

const userGroups = async (client: WebClient): Promise<Entry[]> => {
  const { usergroups = [] } = await client.usergroups.list({});
  return usergroups.map(({ id = "", handle = "" }) => ({ id, names: [handle] }));
};

const people = async (client: WebClient): Promise<Entry[]> => {
  const members = await pages(async (at) => {
    const found = await client.users.list(at);
    return { ...found, items: found.members ?? [] };
  });
  return members
    .filter(({ deleted, is_bot: isBot }) => !deleted && !isBot)
    .map(({ id = "", name = "", profile }) => ({ id, names: [name, profile?.display_name ?? ""] }));
};

const named = (entries: readonly Entry[], name: string): Entry[] =>
  entries.filter(({ id, names }) => id === name || names.includes(name));

const list = (entries: readonly Entry[], mark: string): string =>
  entries.map(({ names }) => `${mark}${names[0]}`).join(", ") || "none";

/** Chooses the channel: the one that is named, or the only one. */
function channelIn(channels: Fact<readonly Entry[]>, wanted: string | undefined): Fact<string> {
  if ("missing" in channels) return channels;
  const name = wanted?.replace(/^#/, "");
  const found = name === undefined ? channels.value : named(channels.value, name);
  const [only, ...others] = found;
  if (only && others.length === 0) return { value: only.id, source: `${channels.source}: #${only.names[0]}` };
  const known = `the app is in these channels: ${list(channels.value, "#")}`;
  return {
    missing: wanted
      ? `no channel #${name}; ${known}`
      : `invite the app to one channel, or name it with --channel; ${known}`,
  };
}

/** Finds the ids of the names of one role. People are listed only for a name that no user group has. */
async function holders(
  groups: Fact<readonly Entry[]>,
  listPeople: () => Promise<Fact<readonly Entry[]>>,
  role: string,
  names: readonly string[] | undefined,
): Promise<Fact<readonly string[]>> {
  if ("missing" in groups) return groups;
  const handles = names ?? [role, `${role}s`].filter((one) => named(groups.value, one).length > 0).slice(0, 1);
  const known = `user groups: ${list(groups.value, "@")}`;
  if (handles.length === 0) return { missing: `name them with --${role} GROUP or --${role} NAME,NAME; ${known}` };
  const ids: string[] = [];
  for (const handle of handles.map((one) => one.replace(/^@/, ""))) {
    const inGroups = named(groups.value, handle);
    const inPeople = inGroups.length > 0 ? groups : await listPeople();
    if ("missing" in inPeople) return inPeople;
    const found = named(inPeople.value, handle);
    const [only, ...others] = found;
    if (!only) return { missing: `no user group and no person is called ${handle}; ${known}` };
    if (others.length > 0) return { missing: `${found.length} people are called ${handle}: use Slack's id` };
    ids.push(only.id);
  }
  return { value: ids, source: `Slack: ${handles.map((one) => `@${one.replace(/^@/, "")}`).join(", ")}` };
}

/** Builds the facts for the case that there is no token. */
export const withoutSlack = (missing: string, roles: readonly string[]): SlackFacts => {
  const fact = { missing };
  return {
    ...{ teamId: fact, appId: fact, botUserId: fact, botId: fact, channel: fact },
    people: Object.fromEntries(roles.map((role) => [role, fact])),
  };
};

/** Reads what Slack knows with the app's token. What cannot be read is missing with its reason. */
export async function slackFacts(client: WebClient, { channel, people: names }: SlackNames): Promise<SlackFacts> {
  const self = await read("Slack auth.test", () => client.auth.test());
  if ("missing" in self) return withoutSlack(self.missing, Object.keys(names));
  const [bot, channels, groups] = await Promise.all([
    read("Slack bots.info", () => client.bots.info({ bot: self.value.bot_id ?? "" })),
    read("Slack users.conversations", () => ownChannels(client)),
    read("Slack usergroups.list", () => userGroups(client)),
  ]);
  let everybody: Promise<Fact<readonly Entry[]>> | undefined;
  const listPeople = () => {
    everybody ??= read("Slack users.list", () => people(client));
    return everybody;
  };
  const roles = await Promise.all(
    Object.entries(names).map(
      async ([role, wanted]) =>
        [role, await holders(groups, listPeople, role, wanted.length > 0 ? wanted : undefined)] as const,
    ),
  );
  return {
    teamId: part(self, "team_id", ({ team_id: id }) => id),
    appId: part(bot, "app_id", (found) => found.bot?.app_id),
    botUserId: part(self, "user_id", ({ user_id: id }) => id),
    botId: part(self, "bot_id", ({ bot_id: id }) => id),
    channel: channelIn(channels, channel),
    people: Object.fromEntries(roles),
  };
}

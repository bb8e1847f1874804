import type { WebClient } from "@slack/web-api";
import { expect, test } from "vitest";
import { slackFacts } from "../../bin/discover/slack.ts";

const channel = (id: string, name: string, isShared = false) => ({ id, name, is_ext_shared: isShared });
const person = (id: string, name: string, more: object = {}) => ({
  id,
  name,
  profile: { display_name: name },
  ...more,
});

/** A workspace with two pages of people. */
const workspace = (channels: readonly object[]) => {
  const pages = [
    [person("U1", "olivia"), person("U2", "arjun")],
    [person("U3", "olivia", { deleted: true }), person("U4", "kim"), person("U5", "kim")],
  ];
  return {
    auth: { test: async () => ({ team_id: "T1", user_id: "U9", bot_id: "B9" }) },
    bots: { info: async ({ bot }: { bot: string }) => ({ bot: { app_id: `A-of-${bot}` } }) },
    usergroups: { list: async () => ({ usergroups: [{ id: "S1", handle: "windows" }] }) },
    users: {
      conversations: async () => ({ channels }),
      list: async ({ cursor = "0" }: { cursor?: string }) => ({
        members: pages[Number(cursor)],
        response_metadata: { next_cursor: cursor === "0" ? "1" : "" },
      }),
    },
  } as unknown as WebClient;
};

const asked = (
  names: Partial<Parameters<typeof slackFacts>[1]>,
  channels: readonly object[] = [channel("C1", "windows")],
) => slackFacts(workspace(channels), { channel: undefined, people: {}, ...names });

test("the app, its bot and its team are read by the token", async () => {
  expect(await asked({})).toMatchObject({
    teamId: { value: "T1" },
    appId: { value: "A-of-B9" },
    botUserId: { value: "U9" },
    botId: { value: "B9" },
  });
});

test("the channel is the only one that the app is in and no other company shares, or the one that is named", async () => {
  const both = [channel("C1", "windows"), channel("C2", "other")];
  expect((await asked({}, [channel("C1", "windows"), channel("C2", "partners", true)])).channel).toMatchObject({
    value: "C1",
  });
  expect((await asked({}, both)).channel).toEqual({
    missing: "invite the app to one channel, or name it with --channel; the app is in these channels: #windows, #other",
  });
  expect((await asked({ channel: "#other" }, both)).channel).toMatchObject({ value: "C2" });
  expect((await asked({ channel: "third" }, both)).channel).toEqual({
    missing: "no channel #third; the app is in these channels: #windows, #other",
  });
});

test("a role is a user group or people by their names; a name that two have, or nobody, is missing", async () => {
  const { people } = await asked({
    people: { group: ["@windows"], both: ["olivia", "arjun"], two: ["kim"], none: ["zoe"], later: [], id: ["U4"] },
  });
  expect(people.group).toMatchObject({ value: ["S1"] });
  expect(people.both).toMatchObject({ value: ["U1", "U2"] });
  expect(people.two).toEqual({ missing: "2 people are called kim: use Slack's id" });
  expect(people.none).toEqual({ missing: "no user group and no person is called zoe; user groups: @windows" });
  expect(people.later).toEqual({ missing: "name them with --later GROUP or --later NAME,NAME; user groups: @windows" });
  expect(people.id).toMatchObject({ value: ["U4"] });
});

import type { Json } from "../block-kit/check.ts";
import type { Person, UserGroup } from "../directory.ts";
import { SlackError } from "../slack-error.ts";
import type { Workspace } from "../workspace.ts";
import type { Method } from "./method.ts";

function whoAmI({ directory: { team, app } }: Workspace): Json {
  return {
    url: `https://${team.domain}.slack.com/`,
    team: team.name,
    user: app.name,
    team_id: team.id,
    user_id: app.userId,
    bot_id: app.botId,
    is_enterprise_install: false,
  };
}

const userObject = ({ id, name, realName }: Person, teamId: string): Json => ({
  id,
  team_id: teamId,
  name,
  deleted: false,
  real_name: realName,
  is_bot: false,
  is_restricted: false,
  is_ultra_restricted: false,
  profile: { real_name: realName, display_name: name, team: teamId },
});

function userInfo({ directory }: Workspace, args: Json): Json {
  const person = directory.person(String(args.user));
  if (!person) throw new SlackError("user_not_found");
  return { user: userObject(person, directory.team.id) };
}

/** All people on one page: Slack pages only where `limit` asks for it (docs: users.list). */
const users = ({ directory }: Workspace): Json => ({
  members: directory.people.map((person) => userObject(person, directory.team.id)),
  response_metadata: { next_cursor: "" },
});

function botInfo({ directory: { app } }: Workspace, args: Json): Json {
  if (args.bot !== app.botId) throw new SlackError("bot_not_found");
  return { bot: { id: app.botId, app_id: app.id, user_id: app.userId, name: app.name, deleted: false } };
}

const groupObject = ({ id, handle, name, users }: UserGroup, teamId: string, withUsers: boolean): Json => ({
  id,
  team_id: teamId,
  is_usergroup: true,
  name,
  handle,
  user_count: users.length,
  ...(withUsers && { users }),
});

function groups({ directory }: Workspace, args: Json): Json {
  const withUsers = args.include_users === true || args.include_users === "true";
  return { usergroups: directory.userGroups.map((group) => groupObject(group, directory.team.id, withUsers)) };
}

function groupUsers({ directory }: Workspace, args: Json): Json {
  const group = directory.userGroups.find((one) => one.id === args.usergroup);
  if (!group) throw new SlackError("no_such_subteam");
  return { users: group.users };
}

/** Methods that tell of the app itself and of the people. */
export const peopleMethods = (workspace: Workspace): Record<string, Method> => ({
  "auth.test": { tier: "special", scope: null, needs: [], run: () => whoAmI(workspace) },
  "users.info": {
    tier: "tier4",
    scope: "users:read",
    needs: ["user"],
    run: (args) => userInfo(workspace, args),
  },
  "users.list": { tier: "tier2", scope: "users:read", needs: [], run: () => users(workspace) },
  "bots.info": { tier: "tier3", scope: "users:read", needs: [], run: (args) => botInfo(workspace, args) },
  "usergroups.list": {
    tier: "tier2",
    scope: "usergroups:read",
    needs: [],
    run: (args) => groups(workspace, args),
  },
  "usergroups.users.list": {
    tier: "tier2",
    scope: "usergroups:read",
    needs: ["usergroup"],
    run: (args) => groupUsers(workspace, args),
  },
});

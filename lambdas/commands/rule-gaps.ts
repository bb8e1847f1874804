import { type ApprovalRules, approvable, approvalRule, rulesIn } from "./approvals.ts";
import { commands } from "./list.ts";
import { groupsOf, type Roster } from "./membership.ts";
import { mayUse, rolesOf } from "./policy.ts";

/** An approval that too few people can give. */
export interface FewApprovers {
  /** Words of the commands that need the approval. */
  readonly commands: readonly string[];
  /** Pool whose own rules apply; null for the general rules. */
  readonly pool: string | null;
  /** Slack ids of the people who can approve. */
  readonly people: readonly string[];
}

/** Members of Slack's user groups by the group's id; unknown groups are missing. */
type Groups = Roster["groups"];

/** Commands that everybody may use, whatever the policy says. */
const OPEN = new Set(["help"]);

/**
 * Lists commands that are missing in the policy and in all pools' policies, so that no role may use them. Usually the
 * configuration is older than the command. A command with an empty list is closed on purpose and not listed.
 */
export function unnamedCommands({ policy, pools = {} }: ApprovalRules): string[] {
  const tables = [policy, ...Object.values(pools).map((pool) => pool.policy ?? {})];
  return commands
    .map(({ name }) => name)
    .filter((name) => !OPEN.has(name) && !tables.some((table) => Object.hasOwn(table, name)));
}

/** People with these roles; null if a role contains a group whose members are unknown. */
function peopleOf({ people }: ApprovalRules, roles: readonly string[], groups: Groups): string[] | null {
  const ids = roles.flatMap((role) => (Object.hasOwn(people, role) ? (people[role] ?? []) : []));
  if (ids.some((id) => id.startsWith("S") && !Object.hasOwn(groups, id))) return null;
  return [...new Set(ids.flatMap((id) => (id.startsWith("S") ? (groups[id] ?? []) : [id])))];
}

/** Approvals that a schedule asks for, in no pool. */
export const BY_SCHEDULE: ReadonlySet<string> = new Set(["authorities"]);

/**
 * Finds an approval that too few people can give: fewer than the rule needs, and fewer than two if people ask for it,
 * because nobody may approve their own request.
 */
function fewFor(rules: ApprovalRules, groups: Groups, command: string, pool: string | null): FewApprovers[] {
  const { needs, roles } = approvalRule(rules, command, pool);
  const isOfSchedule = BY_SCHEDULE.has(command);
  if (needs === 0 || (isOfSchedule && pool !== null)) return [];
  const here = rulesIn(rules, pool);
  const may = roles.filter((role) => Object.hasOwn(rules.people, role));
  const people = peopleOf(rules, may, groups);
  if (people === null) return [];
  const approving = people.filter((id) => mayUse(here, rolesOf(rules, id, groupsOf({ groups }, id)), "approve"));
  return approving.length < (isOfSchedule ? needs : Math.max(2, needs))
    ? [{ commands: [command], pool, people: approving }]
    : [];
}

/**
 * Finds the approvals that too few people can give, in the general rules and in those of pools.
 * @param groups members of Slack's user groups; rules with an unknown group are not checked
 */
export function fewApprovers(rules: ApprovalRules, groups: Groups): FewApprovers[] {
  const pools = Object.entries(rules.pools ?? {}).flatMap(([pool, { policy, approvals }]) =>
    policy || approvals ? [pool] : [],
  );
  const found = [null, ...pools].flatMap((pool) => approvable.flatMap((name) => fewFor(rules, groups, name, pool)));
  const alike = Map.groupBy(found, ({ pool, people }) => JSON.stringify([pool, people]));
  return [...alike.values()].flatMap(([first, ...rest]) =>
    first ? [{ ...first, commands: [first, ...rest].flatMap((one) => one.commands) }] : [],
  );
}

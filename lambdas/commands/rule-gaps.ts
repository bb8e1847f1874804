import { type ApprovalRules, approvable, approvalRule, rulesIn } from "./approvals.ts";
import { commands } from "./list.ts";
import { mayUse } from "./policy.ts";

/** An approval that too few people can give. */
export interface FewApprovers {
  /** Words of the commands that need it. */
  readonly commands: readonly string[];
  /** Pool whose own rules say so; null where the general ones do. */
  readonly pool: string | null;
  /** Ids of Slack of those who can. */
  readonly people: readonly string[];
}

/** Members of Slack's user groups by their id, as far as they are known. */
type Groups = Readonly<Record<string, readonly string[]>>;

/** Commands that everybody may use, whatever the policy says. */
const OPEN = new Set(["help"]);

/**
 * Lists commands that the policy names nowhere, so that no role may use them: as a rule the configuration is older than the
 * command. A command with an empty list is meant to be closed, and is left out.
 */
export function unnamedCommands({ policy, pools = {} }: ApprovalRules): string[] {
  const tables = [policy, ...Object.values(pools).map((pool) => pool.policy ?? {})];
  return commands
    .map(({ name }) => name)
    .filter((name) => !OPEN.has(name) && !tables.some((table) => Object.hasOwn(table, name)));
}

/** People of these roles; null where a role stands for a group whose members are not known. */
function peopleOf({ people }: ApprovalRules, roles: readonly string[], groups: Groups): string[] | null {
  const ids = roles.flatMap((role) => (Object.hasOwn(people, role) ? (people[role] ?? []) : []));
  if (ids.some((id) => id.startsWith("S") && !Object.hasOwn(groups, id))) return null;
  return [...new Set(ids.flatMap((id) => (id.startsWith("S") ? (groups[id] ?? []) : [id])))];
}

/** Fewer than two: one of them could have none of their own requests approved; more where a rule needs more. */
function fewFor(rules: ApprovalRules, groups: Groups, command: string, pool: string | null): FewApprovers[] {
  const { needs, roles } = approvalRule(rules, command, pool);
  if (needs === 0) return [];
  const here = rulesIn(rules, pool);
  const may = roles.filter((role) => Object.hasOwn(rules.people, role));
  const people = peopleOf(rules, may, groups);
  if (people === null) return [];
  const approving = people.filter((id) => mayUse(here, rolesOfPerson(rules, id, groups), "approve"));
  return approving.length < Math.max(2, needs) ? [{ commands: [command], pool, people: approving }] : [];
}

const rolesOfPerson = ({ people }: ApprovalRules, id: string, groups: Groups): string[] =>
  Object.keys(people).filter((role) => people[role]?.some((one) => one === id || groups[one]?.includes(id)));

/**
 * Finds approvals that fewer than two people could give to another's request.
 * @param groups members of Slack's user groups; a rule about a group that is not among them is not judged
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

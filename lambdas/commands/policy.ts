import type { Configuration } from "../configuration/configuration.ts";
import { rulesIn } from "./approvals.ts";
import { commands } from "./list.ts";

type Rules = Pick<Configuration, "people" | "policy">;

type PooledRules = Rules & Parameters<typeof rulesIn>[0];

const listed = (table: Readonly<Record<string, readonly string[]>>, key: string): readonly string[] =>
  Object.hasOwn(table, key) ? (table[key] ?? []) : [];

/**
 * The roles of a person.
 * @param groups ids of the Slack user groups (S…) the person is a member of
 */
export const rolesOf = (rules: Rules, userId: string, groups: readonly string[]): string[] =>
  Object.keys(rules.people).filter((role) =>
    listed(rules.people, role).some((id) => id === userId || groups.includes(id)),
  );

/**
 * Does the policy allow a command to one of these roles? An empty policy, an unknown person, an unknown command: no.
 * `help` is everybody's, as it changes nothing and says what one may do.
 * @param command the command's word
 */
export const mayUse = (rules: Rules, roles: readonly string[], command: string): boolean =>
  command === "help" || listed(rules.policy, command).some((role) => roles.includes(role));

/**
 * Does the policy allow a command to one of these roles somewhere? Until the node is known that a command means, its pool is
 * not: the workflow judges again by the pool.
 */
export const mayUseSomewhere = (rules: PooledRules, roles: readonly string[], command: string): boolean =>
  [null, ...Object.keys(rules.pools ?? {})].some((pool) => mayUse(rulesIn(rules, pool), roles, command));

/**
 * Lists whom to call where a person must decide who may use a command: of each role its user groups (S…), or its people where
 * it has no group.
 * @returns ids of Slack
 */
export const audienceOf = (rules: Rules, command: string): string[] =>
  audienceOfRoles(rules, listed(rules.policy, command));

/** Lists whom to call where a person of one of these roles must decide, as `audienceOf` does. */
export function audienceOfRoles(rules: Pick<Rules, "people">, roles: readonly string[]): string[] {
  const called = roles.flatMap((role) => {
    const ids = listed(rules.people, role);
    const groups = ids.filter((id) => id.startsWith("S"));
    return groups.length > 0 ? groups : ids;
  });
  return [...new Set(called)];
}

/** The words of the commands that these roles may use, in the order of the list. */
export const usable = (rules: PooledRules, roles: readonly string[]): string[] =>
  commands.map((command) => command.name).filter((name) => mayUseSomewhere(rules, roles, name));

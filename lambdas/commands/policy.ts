import type { Configuration } from "../configuration/configuration.ts";
import { BREAK_GLASS, rulesIn } from "./approvals.ts";
import { commands } from "./list.ts";

type Rules = Pick<Configuration, "people" | "policy">;

type PooledRules = Rules & Parameters<typeof rulesIn>[0];

const listed = (table: Readonly<Record<string, readonly string[]>>, key: string): readonly string[] =>
  Object.hasOwn(table, key) ? (table[key] ?? []) : [];

/**
 * Lists the roles of a person.
 * @param groups ids of the person's Slack user groups (S…)
 */
export const rolesOf = (rules: Rules, userId: string, groups: readonly string[]): string[] =>
  Object.keys(rules.people).filter((role) =>
    listed(rules.people, role).some((id) => id === userId || groups.includes(id)),
  );

/**
 * Does the policy allow a command to one of these roles? False for an empty policy, an unknown person or an unknown
 * command. Everybody may use `help`, which changes nothing and lists the person's commands.
 * @param command the command's word
 */
export const mayUse = (rules: Rules, roles: readonly string[], command: string): boolean =>
  command === "help" || listed(rules.policy, command).some((role) => roles.includes(role));

/**
 * Does the policy allow a command to one of these roles in any pool? The pool is only known once the node is found;
 * then the workflow checks again.
 */
export const mayUseSomewhere = (rules: PooledRules, roles: readonly string[], command: string): boolean =>
  [null, ...Object.keys(rules.pools ?? {})].some((pool) => mayUse(rulesIn(rules, pool), roles, command));

/**
 * Lists the people to notify if a person who may use a command must decide: the user groups (S…) of each role, or its
 * people if it has no group.
 * @returns ids of Slack
 */
export const audienceOf = (rules: Rules, command: string): string[] =>
  audienceOfRoles(rules, listed(rules.policy, command));

/**
 * Lists the people to notify at night: those who may act without waiting for an approval, or those who may use the command
 * where nobody may.
 * @returns ids of Slack
 */
export function audienceOnCall(rules: Rules, command: string): string[] {
  const onCall = audienceOf(rules, BREAK_GLASS);
  return onCall.length > 0 ? onCall : audienceOf(rules, command);
}

/** Lists the people to notify if a person with one of these roles must decide, as `audienceOf` does. */
export function audienceOfRoles(rules: Pick<Rules, "people">, roles: readonly string[]): string[] {
  const called = roles.flatMap((role) => {
    const ids = listed(rules.people, role);
    const groups = ids.filter((id) => id.startsWith("S"));
    return groups.length > 0 ? groups : ids;
  });
  return [...new Set(called)];
}

/** Lists the commands that these roles may use, in the order of help. */
export const usable = (rules: PooledRules, roles: readonly string[]): string[] =>
  commands.map((command) => command.name).filter((name) => mayUseSomewhere(rules, roles, name));

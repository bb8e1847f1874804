import type { Configuration } from "../configuration.ts";
import { commands } from "./list.ts";

type Rules = Pick<Configuration, "people" | "policy">;

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
 * Lists whom to call where a person must decide who may use a command: of each role its user groups (S…), or its people where
 * it has no group.
 * @returns ids of Slack
 */
export function audienceOf(rules: Rules, command: string): string[] {
  const called = listed(rules.policy, command).flatMap((role) => {
    const ids = listed(rules.people, role);
    const groups = ids.filter((id) => id.startsWith("S"));
    return groups.length > 0 ? groups : ids;
  });
  return [...new Set(called)];
}

/** The words of the commands that these roles may use, in the order of the list. */
export const usable = (rules: Rules, roles: readonly string[]): string[] =>
  commands.map((command) => command.name).filter((name) => mayUse(rules, roles, name));

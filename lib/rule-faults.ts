import { approvable, BREAK_GLASS } from "../lambdas/commands/approvals.ts";
import { commands } from "../lambdas/commands/list.ts";
import { BY_SCHEDULE } from "../lambdas/commands/rule-gaps.ts";
import type { Configuration } from "../lambdas/configuration/configuration.ts";

/** A fault of a configuration: the path of the wrong value, and the reason why it is wrong. */
export interface Fault {
  readonly path: readonly string[];
  readonly message: string;
}

type Rules = Pick<Configuration, "people" | "policy" | "approvals"> & {
  readonly pools: Readonly<Record<string, Pick<Configuration["pools"][string], "policy" | "approvals">>>;
};

/** Finds faults in people, policy and approvals: roles that no person has, and commands that do not exist. */
export const ruleFaults = (whole: Rules): Fault[] => [
  ...peopleFaults(whole),
  ...policyFaults(whole),
  ...approvalFaults(whole),
];

function peopleFaults({ people }: Rules): Fault[] {
  const message = "name Slack user ids (U…) or user groups (S…)";
  return Object.keys(people)
    .filter((role) => people[role]?.length === 0)
    .map((role) => ({ path: ["people", role], message: `no person has this role: ${message}, or leave it out` }));
}

const policyFaults = ({ policy, people }: Rules): Fault[] => commandFaults(["policy"], policy, people);

/** Finds rules that allow nobody anything: deployed on purpose, they stop Casement for everybody. */
export function ruleWarnings({ people, policy }: Pick<Rules, "people" | "policy">): { id: string; message: string }[] {
  const empty = [
    ...(Object.keys(people).length === 0 ? ["people"] : []),
    ...(Object.keys(policy).length === 0 ? ["policy"] : []),
  ];
  return empty.map((section) => ({
    id: `casement:${section}`,
    message: `${section} is empty: nobody may do anything, and changes that wait are refused when they go on.`,
  }));
}

function commandFaults(at: readonly string[], policy: Rules["policy"], people: Rules["people"]): Fault[] {
  return Object.entries(policy).flatMap(([command, roles]) => {
    const path = [...at, command];
    const isKnown = command === BREAK_GLASS || commands.some(({ name }) => name === command);
    const unknown = isKnown ? [] : ["there is no such command"];
    const vacant = roles.filter((name) => !(name in people)).map((name) => `no person is given the role ${name}`);
    return [...unknown, ...vacant].map((message) => ({ path, message }));
  });
}

/** Finds faults in the approvals for all pools, and in the approvals and policies of single pools. */
function approvalFaults({ approvals, people, pools: all }: Rules): Fault[] {
  const faultsOfRules = (path: readonly string[], rules: Rules["approvals"]): Fault[] =>
    Object.entries(rules).flatMap(([command, { roles = [] }]) => {
      const unused = unusedWhy(command, path.length > 1);
      const vacant = roles.filter((name) => !(name in people)).map((name) => `no person is given the role ${name}`);
      return [...unused, ...vacant].map((message) => ({ path: [...path, command], message }));
    });
  const ofPools = Object.entries(all).flatMap(([name, pool]) => [
    ...faultsOfRules(["pools", name, "approvals"], pool.approvals ?? {}),
    ...commandFaults(["pools", name, "policy"], pool.policy ?? {}, people),
  ]);
  return [...faultsOfRules(["approvals"], approvals), ...ofPools];
}

/** Says why nothing would ever read an approval rule for a word; nothing if it is read. */
function unusedWhy(word: string, isOfPool: boolean): string[] {
  if (!approvable.includes(word)) {
    const isCommand = commands.some(({ name }) => name === word);
    return [isCommand ? `${word} asks for no approval: only ${approvable.join(", ")} do` : "there is no such command"];
  }
  const concernsAll = isOfPool && BY_SCHEDULE.has(word);
  return concernsAll ? [`${word} concern the machines of all pools: write the rule under approvals`] : [];
}

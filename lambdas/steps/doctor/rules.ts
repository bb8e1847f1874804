import { emptyRoster } from "../../commands/membership.ts";
import { fewApprovers, unnamedCommands } from "../../commands/rule-gaps.ts";
import type { Finding } from "../../messages/doctor/finding.ts";
import { roster } from "../slack/roster.ts";
import type { DoctorCheck, DoctorFacts } from "./check.ts";

/**
 * Checks the rules with the groups' members that the schedule read last: Slack allows too few calls to read them again.
 */
async function rules({ context, configuration }: DoctorFacts): Promise<Finding[]> {
  const { groups } = (await roster(context).read()) ?? emptyRoster;
  const unnamed = unnamedCommands(configuration);
  const unreadable = Object.entries(configuration.pools).flatMap(([pool, { rulesFault: why }]) =>
    why === undefined ? [] : [{ kind: "rules-unreadable", pool, why } as const],
  );
  return [
    ...unreadable,
    ...(unnamed.length > 0 ? [{ kind: "commands-unnamed", commands: unnamed } as const] : []),
    ...fewApprovers(configuration, groups).map((few) => ({ kind: "few-approvers", ...few }) as const),
  ];
}

/** Checks that the rules can be read, that the configuration says who may use each command, and that another person can approve each request. */
export const rulesCheck: DoctorCheck = { area: "Slack", what: "people and approvals", observe: rules };

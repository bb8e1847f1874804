import { emptyRoster } from "../../commands/membership.ts";
import { fewApprovers, unnamedCommands } from "../../commands/rule-gaps.ts";
import type { Finding } from "../../messages/doctor/finding.ts";
import { roster } from "../slack/roster.ts";
import type { Check, Patient } from "./check.ts";

/** Members of groups are those that the schedule read last: Slack allows too few questions to ask again. */
async function rules({ context, configuration }: Patient): Promise<Finding[]> {
  const { groups } = (await roster(context).read()) ?? emptyRoster;
  const unnamed = unnamedCommands(configuration);
  return [
    ...(unnamed.length > 0 ? [{ kind: "commands-unnamed", commands: unnamed } as const] : []),
    ...fewApprovers(configuration, groups).map((few) => ({ kind: "few-approvers", ...few }) as const),
  ];
}

/** Does the configuration say who may use each command, and can each request be approved by another person? */
export const rulesCheck: Check = { area: "Slack", what: "people and approvals", observe: rules };

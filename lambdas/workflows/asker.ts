import type { Start } from "../commands/command.ts";
import { mayUse, rolesOf } from "../commands/policy.ts";
import { groupsWithRoles } from "../commands/standing.ts";
import type { Configuration } from "../configuration.ts";
import { Forbidden } from "../errors.ts";
import { type Refusal, refusalMessage } from "../messages/refusals.ts";
import type { Steps } from "../steps/steps.ts";

/**
 * Asks afresh what the front door had no time to ask: is the asker a full member, is the channel ours alone, and does the
 * policy of today allow it? Before a workflow begins, and again when its plan was approved.
 * @throws Forbidden with a sentence for the asker alone
 */
export async function checkAsker(steps: Steps, start: Start, configuration: Configuration): Promise<void> {
  const refusal = await refusalOf(steps, start, configuration);
  if (refusal) throw new Forbidden(refusalMessage(refusal, configuration.command).text);
}

async function refusalOf(steps: Steps, start: Start, configuration: Configuration): Promise<Refusal | null> {
  const { userId } = start.asker;
  const { command } = start.request;
  const standing = await steps.people.standing(configuration, userId);
  if (standing !== "member") return { kind: standing };
  if (mayUse(configuration, rolesOf(configuration, userId, []), command)) return null;
  const groups = await steps.people.groupsOf(groupsWithRoles(configuration), userId);
  return mayUse(configuration, rolesOf(configuration, userId, groups), command) ? null : { kind: "policy", command };
}

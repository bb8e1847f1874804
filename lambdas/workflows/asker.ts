import type { Start } from "../commands/command.ts";
import { mayUse, rolesOf } from "../commands/policy.ts";
import { groupsWithRoles } from "../commands/standing.ts";
import type { Configuration } from "../configuration.ts";
import { Forbidden } from "../errors.ts";
import { type Refusal, refusalMessage } from "../messages/refusals.ts";
import { isBusy } from "../steps/client-errors.ts";
import type { Steps } from "../steps/steps.ts";

/**
 * Asks afresh what the front door had no time to ask: is the asker a full member, is the channel ours alone, and does the
 * policy of today allow it? Before a workflow begins, and again when its plan was approved.
 * @throws Forbidden with a sentence for the asker alone
 */
export async function checkAsker(steps: Steps, start: Start, configuration: Configuration): Promise<void> {
  const refusal = await refusalOf(steps, start.asker.userId, start.request.command, configuration);
  if (refusal) throw new Forbidden(refusalMessage(refusal, configuration.command).text);
}

async function refusalOf(
  steps: Steps,
  userId: string,
  command: string,
  configuration: Configuration,
): Promise<Refusal | null> {
  const standing = await steps.people.standing(configuration, userId);
  if (standing !== "member") return { kind: standing };
  if (mayUse(configuration, rolesOf(configuration, userId, []), command)) return null;
  const groups = await steps.people.groupsOf(groupsWithRoles(configuration), userId);
  return mayUse(configuration, rolesOf(configuration, userId, groups), command) ? null : { kind: "policy", command };
}

/**
 * Judges afresh somebody whose click the front door took by what it knew: by today's policy, and by what Slack says now.
 * Who may not is told so, alone.
 * @param command whoever may use it may decide
 */
export async function mayDecide(steps: Steps, userId: string, command: string): Promise<boolean> {
  const { configuration } = await steps.runtime.read(null);
  const refusal = await refusalOf(steps, userId, command, configuration);
  if (refusal)
    await steps.thread.whisper(configuration.slack.channel, userId, refusalMessage(refusal, configuration.command));
  return refusal === null;
}

/**
 * Who cancelled an operation; null while nobody did who may. Whoever looks first judges afresh, and writes it down for the
 * others. While Slack cannot be asked, what the front door judged minutes ago stands: a cancellation only puts things back.
 */
export async function cancelledBy(steps: Steps, id: string): Promise<string | null> {
  const operation = await steps.ledger.operation(id);
  const { cancelledBy: by = null, cancelCause: cause, cancelAllowed } = operation ?? {};
  if (by === null || cause === cancelAllowed || cause === undefined) return by;
  try {
    const allowed = await mayDecide(steps, by, "cancel");
    if (allowed) await steps.ledger.changeOperation(id, { cancelAllowed: cause });
    else await steps.ledger.withdrawCancel(id, cause);
    return allowed ? by : null;
  } catch (error) {
    if (isBusy(error)) return by;
    throw error;
  }
}

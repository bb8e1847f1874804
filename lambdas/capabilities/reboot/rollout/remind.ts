import type { RolloutSeen } from "../../../change/operation/rollout-view.ts";
import { rulesIn } from "../../../commands/approvals.ts";
import { audienceOf } from "../../../commands/policy.ts";
import { Refused } from "../../../errors.ts";
import { pauseReminder } from "../../../messages/rollout/rollout.ts";
import { isReminderDue } from "../../../records/waits.ts";
import { isBusy } from "../../../steps/client-errors.ts";
import type { Steps } from "../../../steps/steps.ts";

/**
 * Reminds those who may let a rollout go on, once for each pause, when it has lasted for a quarter of an hour. While Slack or the
 * rules cannot be read, the next look does it. Belongs into a step.
 */
export async function remindOfPause(
  steps: Steps,
  { operation, rollout }: RolloutSeen,
  messageTs: string,
): Promise<void> {
  const paused = operation.rollout?.paused;
  if (!paused || !isReminderDue(paused.at, undefined, steps.now())) return;
  try {
    const rules = await steps.runtime.rules();
    const called = audienceOf(rulesIn(rules, rollout.pool), "resume");
    const message = pauseReminder(operation, paused, called, steps.timestamp());
    await steps.thread.post(operation.channel, message, `${operation.id} reminded ${paused.at}`, messageTs);
  } catch (error) {
    if (!isBusy(error) && !(error instanceof Refused)) throw error;
  }
}

import { guardedRules, rulesChange } from "../../audit/rules-change.ts";
import { unreadableIn } from "../../commands/approvals.ts";
import type { Steps } from "../../steps/steps.ts";
import { rulesChanged } from "./rules-message.ts";

/**
 * Tells the channel, once, that a deployment changed people, policy or approvals. The first release is no change. Belongs
 * into a step.
 */
export async function announceRules(steps: Steps): Promise<void> {
  const { version, configuration } = await steps.runtime.read(null);
  const known = await steps.announcements.rules();
  // Rules that cannot be read would show as removed; a later sweep announces them when they can.
  if (known?.version === version || unreadableIn(configuration).length > 0) return;
  const rules = guardedRules(configuration);
  const changes = known ? rulesChange(known.rules, rules) : [];
  if (changes.length > 0) {
    const message = rulesChanged(changes, configuration.cluster.name, version);
    // The mark finds the message again if the step is repeated before the rules were kept.
    await steps.thread.post(configuration.slack.channel, message, `rules ${version}`);
  }
  await steps.announcements.keepRules({ version, rules });
}

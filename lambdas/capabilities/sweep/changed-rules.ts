import { guardedRules, rulesChange } from "../../audit/rules-change.ts";
import type { Steps } from "../../steps/steps.ts";
import { rulesChanged } from "./rules-message.ts";

/**
 * Tells the channel, once, that a deployment changed people, policy or approvals. The first release is no change. Belongs
 * into a step.
 */
export async function announceRules(steps: Steps): Promise<void> {
  const { version, configuration } = await steps.runtime.read(null);
  const known = await steps.announcements.rules();
  if (known?.version === version) return;
  const rules = guardedRules(configuration);
  const changes = known ? rulesChange(known.rules, rules) : [];
  if (changes.length > 0) {
    const message = rulesChanged(changes, configuration.cluster.name, version);
    // The mark finds the message again if the step is repeated before the rules were kept.
    await steps.thread.post(configuration.slack.channel, message, `rules ${version}`);
  }
  await steps.announcements.keepRules({ version, rules });
}

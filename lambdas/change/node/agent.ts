import type { Steps } from "../../steps/steps.ts";

/**
 * Milliseconds after which two reports of an agent are missing: it reports every five minutes (amazon-ssm-agent,
 * DefaultSsmHealthFrequencyMinutes). SSM's own "online" may be half an hour old.
 */
const SILENT_AFTER_MS = 11 * 60_000;

/**
 * Tells whether the SSM agent of a machine has stopped reporting, so that no command reaches it. Belongs into a step or
 * a poll.
 */
export async function isAgentSilent(steps: Steps, instanceId: string): Promise<boolean> {
  const { registered, online, lastPingAt } = await steps.health.agent(instanceId);
  return !registered || !online || lastPingAt === null || steps.now() - Date.parse(lastPingAt) > SILENT_AFTER_MS;
}

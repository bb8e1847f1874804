import { isReportOverdue } from "../../health/agent-silence.ts";
import type { Steps } from "../../steps/steps.ts";

/**
 * Tells whether the SSM agent of a machine has stopped reporting, so that no command reaches it. Belongs into a step or
 * a poll.
 */
export async function isAgentSilent(steps: Steps, instanceId: string): Promise<boolean> {
  const { registered, ...report } = await steps.health.agent(instanceId);
  return isReportOverdue(registered ? report : undefined, steps.now());
}

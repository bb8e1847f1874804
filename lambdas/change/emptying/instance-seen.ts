import type { InstanceSeen } from "../../messages/plan/plan.ts";
import { wordsOf } from "../../steps/client-errors.ts";
import type { Steps } from "../../steps/steps.ts";

/**
 * Reads EC2's status checks and scheduled events of an instance for a plan. If EC2 does not answer, the plan is made
 * without them.
 * @returns the facts, or their name for the plan's list of what was not judged
 */
export async function instanceSeen(
  steps: Steps,
  instanceId: string,
): Promise<InstanceSeen | { readonly unread: string }> {
  try {
    const machine = await steps.instances.describe(instanceId);
    const unknown = "insufficient-data";
    if (!machine) return { system: unknown, instance: unknown, volumes: unknown, events: [] };
    const { system, instance, volumes, events = [], hasProfile } = await steps.health.instance(machine);
    return { system, instance, volumes, events, ...(hasProfile === undefined ? {} : { hasProfile }) };
  } catch (error) {
    return { unread: `EC2's status checks and scheduled events (${wordsOf(error)})` };
  }
}

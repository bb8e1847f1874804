import type { Steps } from "../../steps/steps.ts";

/** Gives back slots of executions that have ended without doing so. Belongs into a step. */
export async function releaseLeftSlots(steps: Steps): Promise<void> {
  for (const { owner } of await steps.slots.left()) await steps.slots.release(owner);
}

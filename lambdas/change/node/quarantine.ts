import type { Steps } from "../../steps/steps.ts";

/** Reads from the ledger whether a Node is quarantined; its label is only for people. Belongs into a step or a poll. */
export async function isQuarantined(steps: Steps, uid: string): Promise<boolean> {
  return (await steps.cordons.find(uid))?.unproven?.isQuarantined === true;
}

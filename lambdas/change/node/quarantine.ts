import type { Steps } from "../../steps/steps.ts";

/** Tells whether a Node is quarantined, by the ledger: its label only shows it. Belongs into a step or a poll. */
export async function isQuarantined(steps: Steps, uid: string): Promise<boolean> {
  return (await steps.cordons.find(uid))?.unproven?.isQuarantined === true;
}

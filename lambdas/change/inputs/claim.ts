import type { Input } from "../../inputs/input.ts";
import type { Steps } from "../../steps/steps.ts";

/**
 * Makes an operation the one that gives nodes an input. Call inside a step.
 * @returns false while another operation does so and has not ended
 */
export const claimInput = (steps: Steps, rule: Input["rule"], operation: string): Promise<boolean> =>
  steps.inputWatches
    .of(rule)
    .claim(operation, async (other) => (await steps.ledger.operation(other))?.endedAt !== null);

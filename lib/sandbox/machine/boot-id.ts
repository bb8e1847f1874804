import type { Machine } from "./machine.ts";

/** Time of the boot by the machine's clock, in milliseconds: Windows counts it back from its present time. */
export const bootedAt = ({ state, clock, simulation }: Machine): number =>
  state.bootedAt + clock() - simulation.clock.now();

/** Milliseconds that the time between two questions moves the time of a boot (chosen): it is counted back from now. */
const MOST_JITTER_MS = 900;

/** Does Windows count the machine's boots? */
export const isCounted = ({ faultApplies }: Pick<Machine, "faultApplies">): boolean => !faultApplies("boots-uncounted");

/**
 * Identifies the boot as identity.ps1 does: by Windows' count, or by the boot's time where the value is missing.
 */
export function bootIdOf(machine: Machine): string {
  if (isCounted(machine)) return String(machine.state.bootId);
  return new Date(bootedAt(machine) + Math.floor(machine.simulation.random.between(0, MOST_JITTER_MS))).toISOString();
}

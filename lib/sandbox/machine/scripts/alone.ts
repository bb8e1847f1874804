import type { Machine } from "../machine.ts";
import type { Process } from "../process.ts";

const holders = new WeakMap<Machine, Process>();
/** Enter-Machine in session.ps1 waits so long for the mutex. */
const PATIENCE_MS = 30_000;
/** Time until a released mutex is noticed (assumed; Windows wakes the next one at once). */
const LOOK_MS = 500;

/** Does a command of ours run on this machine now? */
export const commandRuns = (machine: Machine): boolean => holders.get(machine)?.over === false;

/**
 * The machine-wide mutex of our commands; it is free again when the holder's process ends.
 * @throws Error when another command holds it for half a minute
 */
export async function enterMachine(machine: Machine, process: Process): Promise<void> {
  const deadline = machine.foundation.clock.now() + PATIENCE_MS;
  while (commandRuns(machine)) {
    if (machine.foundation.clock.now() >= deadline) {
      throw new Error("another command of Casement is running on this machine");
    }
    await process.pause(LOOK_MS);
  }
  holders.set(machine, process);
}

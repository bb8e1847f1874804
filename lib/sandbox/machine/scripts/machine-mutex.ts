import type { Machine } from "../machine.ts";
import type { Process } from "../process.ts";

const holders = new WeakMap<Machine, Process>();
/** Time that Enter-Machine in session.ps1 waits for the mutex. */
const TIMEOUT_MS = 30_000;
/** Interval at which a waiting command tries the mutex again (assumed; Windows wakes the next one at once). */
const POLL_MS = 500;

/** Is a command of Casement running on this machine? */
export const isCommandRunning = (machine: Machine): boolean => holders.get(machine)?.over === false;

/**
 * Acquires the machine-wide mutex of Casement's commands; it is released when the holder's process ends.
 * @throws Error when another command holds it for half a minute
 */
export async function acquireMachineMutex(machine: Machine, process: Process): Promise<void> {
  const deadline = machine.simulation.clock.now() + TIMEOUT_MS;
  while (isCommandRunning(machine)) {
    if (machine.simulation.clock.now() >= deadline) {
      throw new Error("another command of Casement is running on this machine");
    }
    await process.pause(POLL_MS);
  }
  holders.set(machine, process);
}

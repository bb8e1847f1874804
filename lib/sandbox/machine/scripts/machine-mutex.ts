import type { Machine } from "../machine.ts";
import type { Process } from "../process.ts";

const holders = new WeakMap<Machine, Process>();
/** Seconds that Enter-Machine in session.ps1 waits for the mutex. */
const ENTER_SECONDS = 30;
/** Interval at which a waiting command tries the mutex again (assumed; Windows wakes the next one at once). */
const POLL_MS = 500;

/** Is a command of Casement running on this machine? */
export const isCommandRunning = (machine: Machine): boolean => holders.get(machine)?.over === false;

/**
 * Acquires the machine-wide mutex of Casement's commands; it is released when the holder's process ends.
 * @throws Error when another command still holds it after that many seconds
 */
export async function acquireMachineMutex(machine: Machine, process: Process, seconds = ENTER_SECONDS): Promise<void> {
  const deadline = machine.simulation.clock.now() + seconds * 1_000;
  while (isCommandRunning(machine)) {
    if (machine.simulation.clock.now() >= deadline) {
      throw new Error("another command of Casement is running on this machine");
    }
    await process.pause(POLL_MS);
  }
  holders.set(machine, process);
}

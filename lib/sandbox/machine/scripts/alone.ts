import type { Machine } from "../machine.ts";
import type { Process } from "../process.ts";

const holders = new WeakMap<Machine, Process>();
const PATIENCE_MS = 30_000;

/**
 * The machine-wide mutex of our commands; it is free again when the holder's process ends.
 * @throws Error when another command holds it for half a minute
 */
export async function enterMachine(machine: Machine, process: Process): Promise<void> {
  const deadline = machine.foundation.clock.now() + PATIENCE_MS;
  while (holders.get(machine)?.over === false) {
    if (machine.foundation.clock.now() >= deadline) {
      throw new Error("another command of Casement is running on this machine");
    }
    await process.pause(500);
  }
  holders.set(machine, process);
}

import type { Machine } from "../machine.ts";
import type { Process } from "../process.ts";
import { Fault } from "../scripts/causes.ts";
import { dependents, requireService, startService, stopService } from "../services.ts";
import type { ServiceState } from "../state.ts";

/** service-control.ps1 polls twice a second and counts its polls. */
const POLL_MS = 500;

async function awaitState(
  machine: Machine,
  process: Process,
  name: string,
  states: readonly ServiceState[],
  seconds: number,
): Promise<void> {
  const service = requireService(machine, name);
  for (let look = 0; !states.includes(service.state); look += 1) {
    if (look >= 2 * seconds)
      throw new Fault(
        "service-hangs",
        `${name} is ${service.state} after ${seconds} seconds (process ${service.processId})`,
      );
    await process.pause(POLL_MS);
  }
}

/**
 * Stops a service, and its dependents first, as service-control.ps1 does.
 * @throws Error for a service that does not stop in time
 */
export async function stopBounded(machine: Machine, process: Process, name: string, seconds = 120): Promise<void> {
  for (const dependent of dependents(machine, name))
    if (dependent.state !== "Stopped") await stopBounded(machine, process, dependent.name, seconds);
  await awaitState(machine, process, name, ["Running", "Stopped", "StopPending"], seconds);
  await stopService(machine, name);
  await awaitState(machine, process, name, ["Stopped"], seconds);
}

/**
 * Starts a service as service-control.ps1 does.
 * @throws WindowsError; Error for a service that does not start in time
 */
export async function startBounded(machine: Machine, process: Process, name: string, seconds = 60): Promise<void> {
  await awaitState(machine, process, name, ["Running", "Stopped", "StartPending"], seconds);
  if (requireService(machine, name).state === "Stopped") await startService(machine, name);
  await awaitState(machine, process, name, ["Running", "Stopped"], seconds);
  if (requireService(machine, name).state !== "Running")
    throw new Fault("service-not-started", `${name} stopped while it started`);
}

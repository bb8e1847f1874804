import type { Exit, Machine } from "./machine.ts";
import { ended, launch, restartAfterFailure, setState } from "./services.ts";
import type { Service } from "./state.ts";

/** Exit code of a service that was not started since the boot: ERROR_SERVICE_NEVER_STARTED (winerror.h). */
const NEVER_STARTED = 1077;

/** Starts services as the service control manager does at boot: the automatic ones, each after those it needs. */
export function autostart(machine: Machine): void {
  for (const service of Object.values(machine.state.services)) service.exitCode = NEVER_STARTED;
  const automatic = Object.values(machine.state.services).filter(({ startType }) => startType === "Automatic");
  machine.state.starting = automatic.map(({ name }) => name);
  machine.save();
  void startRest(machine);
}

/** Starts the services that the boot has not reached yet. */
async function startRest(machine: Machine): Promise<void> {
  const boot = machine.state.bootId;
  for (let [name] = machine.state.starting; name !== undefined; [name] = machine.state.starting) {
    await restartAfterFailure(machine, name);
    if (machine.state.bootId !== boot || machine.state.power !== "running") return;
    machine.state.starting = machine.state.starting.slice(1);
    machine.save();
  }
}

/** Restarts the programs after a restart of the simulator; the machine does not notice. */
export function resumeServices(machine: Machine): void {
  for (const service of Object.values(machine.state.services)) {
    if (service.state === "StopPending") setState(machine, service, "Stopped");
    if (service.state === "StartPending") {
      setState(machine, service, "Stopped");
      void restartAfterFailure(machine, service.name);
    }
    if (service.state !== "Running") continue;
    const exit = relaunch(machine, service);
    if (exit) ended(machine, service, exit);
  }
  void startRest(machine);
}

function relaunch(machine: Machine, service: Service): Exit | undefined {
  try {
    return launch(machine, service, true);
  } catch (error) {
    return { code: 1, reason: String(error) };
  }
}

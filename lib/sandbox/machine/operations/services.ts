import type { Operation } from "../../../../lambdas/desired/plan.ts";
import { serviceOf, startService, stopService } from "../services.ts";
import type { Service } from "../state.ts";
import { type Applying, CMDLET_MS, type Doer } from "./applying.ts";

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const definition = (from: Extract<Operation, { do: "service" }> | Service) => ({
  description: from.description,
  commandLine: from.commandLine,
  startType: from.startType,
  dependsOn: [...from.dependsOn],
  environment: [...from.environment],
  restartAfter: [...from.restartAfter],
});

/** Defines a service; a running one keeps running as it was started. */
export const service: Doer<"service"> = async ({ machine, process, restartDue }, wanted) => {
  const known = serviceOf(machine, wanted.name);
  if (known && same(definition(known), definition(wanted))) return false;
  await process.pause(machine.takes(...CMDLET_MS.defineService));
  const fresh = { name: wanted.name, state: "Stopped" as const, failures: 0, exitCode: 0, ...definition(wanted) };
  machine.state.services[wanted.name.toLowerCase()] = known ? Object.assign(known, definition(wanted)) : fresh;
  machine.save();
  if (known?.state === "Running") restartDue.add(wanted.name);
  return true;
};

/** Sets the restarts after a failure of a service that is there already. */
export const serviceRecovery: Doer<"service-recovery"> = async ({ machine }, { name, restartAfter }) => {
  const known = serviceOf(machine, name);
  if (!known) throw new Error("there is no such service");
  if (same(known.restartAfter, restartAfter)) return false;
  known.restartAfter = [...restartAfter];
  machine.save();
  return true;
};

/** apply.ps1 looks again after some seconds: a program that finds its configuration wrong is Running for a moment. */
const SETTLE_MS = 3_000;

async function stayUp({ machine, process }: Applying, name: string): Promise<void> {
  await process.pause(machine.takes(SETTLE_MS, SETTLE_MS));
  const is = serviceOf(machine, name)?.state;
  if (is !== "Running") throw new Error(`it is ${is} after 1 seconds`);
}

/** Starts or stops a service. @throws WindowsError, or Error when it does not stay up */
export const serviceState: Doer<"service-state"> = async (run, { name, state }) => {
  const known = serviceOf(run.machine, name);
  if (!known && state === "Running") throw new Error("there is no such service");
  if (!known || known.state === state) return false;
  if (state === "Stopped") await stopService(run.machine, name);
  else await startService(run.machine, name);
  if (state === "Running") await stayUp(run, name);
  return true;
};

import type { Action } from "../../../../lambdas/machine/plan.ts";
import type { Machine } from "../machine.ts";
import { errorText, Fault, logTail } from "../scripts/causes.ts";
import { serviceOf } from "../services.ts";
import type { Service } from "../state.ts";
import { type ActionHandler, type Applying, CMDLET_MS } from "./applying.ts";
import { startBounded, stopBounded } from "./service-control.ts";

type StateAction = Extract<Action, { do: "service-state" }>;

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

type Wanted = Extract<Action, { do: "service" }>;

/** Definition that a running service uses until it is restarted; the scripts ignore the order of lists (Test-Same). */
const definition = (from: (Wanted & { readonly account: string }) | Service) => ({
  account: from.account,
  description: from.description,
  commandLine: from.commandLine,
  startType: from.startType,
  dependsOn: from.dependsOn.toSorted(),
});

const fresh = (name: string) => ({
  name,
  state: "Stopped" as const,
  environment: [],
  restartAfter: [],
  failureFlag: false,
  failures: 0,
  exitCode: 0,
  processId: 0,
});

/** Defines a service; a running one keeps its old definition until it is restarted. */
export const service: ActionHandler<"service"> = async ({ machine, process, restartDue }, action) => {
  const wanted = definition({ ...action, account: "LocalSystem" });
  const known = serviceOf(machine, action.name);
  const defined = !known || !same(definition(known), wanted);
  if (defined) {
    await process.pause(machine.duration(...CMDLET_MS.defineService));
    machine.state.services[action.name.toLowerCase()] = Object.assign(known ?? fresh(action.name), wanted);
    if (known?.state === "Running") restartDue.add(action.name);
  }
  return setRecovery(machine, action.name, action.restartAfter) || defined;
};

function setRecovery(machine: Machine, name: string, restartAfter: readonly number[]): boolean {
  const known = serviceOf(machine, name);
  if (!known) throw new Error("there is no such service");
  machine.save();
  const none = restartAfter.length === 0 && known.restartAfter.length === 0;
  if (none || (known.failureFlag && same(known.restartAfter, restartAfter))) return false;
  known.restartAfter = [...restartAfter];
  known.failureFlag = true;
  machine.save();
  return true;
}

/** Sets the restarts after a failure of an existing service. */
export const serviceRecovery: ActionHandler<"service-recovery"> = async ({ machine }, { name, restartAfter }) =>
  setRecovery(machine, name, restartAfter);

/** apply.ps1 checks again after some seconds: a program with a wrong configuration is Running for a moment. */
const SETTLE_MS = 3_000;

async function startSettled({ machine, process }: Applying, name: string): Promise<void> {
  await startBounded(machine, process, name);
  await process.pause(machine.duration(SETTLE_MS, SETTLE_MS));
  const is = serviceOf(machine, name)?.state;
  if (is !== "Running") throw new Error(`${name} is ${is} 3 seconds after its start`);
}

/** Builds the message of Get-StartFailure in services.ps1. */
function startFailure(machine: Machine, { name, log }: StateAction, reason: string): string {
  const code = serviceOf(machine, name)?.exitCode ?? 0;
  const tail = log === undefined ? "" : logTail(machine, log);
  return `${reason}${code === 0 ? "" : `; its exit code is ${code}`}${tail === "" ? "" : `; its log ends: ${tail}`}`;
}

/**
 * Starts or stops a service. @throws Error with the cause when the service does not start or stop, or does not stay up
 */
export const serviceState: ActionHandler<"service-state"> = async (run, action) => {
  const { name, state } = action;
  const known = serviceOf(run.machine, name);
  if (!known && state === "Running") throw new Error("there is no such service");
  if (!known || known.state === state) return false;
  if (state === "Stopped") {
    await stopBounded(run.machine, run.process, name);
    return true;
  }
  try {
    await startSettled(run, name);
  } catch (error) {
    const words = startFailure(run.machine, action, errorText(error));
    throw error instanceof Fault ? new Fault(error.failure, words) : new Error(words, { cause: error });
  }
  return true;
};

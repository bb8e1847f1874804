import { guardFile } from "../../../../lambdas/machine/machine-paths.ts";
import { load } from "../loading.ts";
import type { Script, ScriptEnd, ScriptRun } from "../machine.ts";
import { addMetadataRoutes, metadataRoutesOf, removeMetadataRoutes } from "../network.ts";
import { taskOf } from "../tasks.ts";
import { errorText } from "./causes.ts";
import { STATE_FILE } from "./guard.ts";
import { acquireMachineMutex } from "./machine-mutex.ts";
import { readRecord } from "./records.ts";
import { lineOf } from "./request.ts";

/** $WaitSeconds, $RecordSeconds and $MutexSeconds of take-route-away.ps1. */
const WAIT_SECONDS = 150;
const RECORD_SECONDS = 20;
const MUTEX_SECONDS = 90;

interface Result {
  ok: boolean;
  seconds: number;
  by: "guard" | "script" | "none";
  powershellSeconds: number;
  error: string;
}

const secondsSince = ({ machine }: ScriptRun, began: number): number =>
  Math.round((machine.simulation.clock.now() - began) / 100) / 10;

async function waitUntil(run: ScriptRun, isDone: () => boolean, seconds: number): Promise<boolean> {
  const began = run.machine.simulation.clock.now();
  while (!isDone()) {
    if (secondsSince(run, began) >= seconds) return false;
    await run.process.pause(1_000);
  }
  return true;
}

/** @throws Error on a machine without the guard: the route would stay away */
function requireGuard({ machine }: ScriptRun): void {
  if (machine.disk.file(guardFile) === undefined)
    throw new Error("the guard of the metadata route is not on this machine");
  if (!taskOf(machine, "Casement guard")?.enabled) throw new Error("the task of the guard is missing or disabled");
}

async function startOfPowerShell({ machine, process }: ScriptRun): Promise<number> {
  const began = machine.simulation.clock.now();
  await load(machine, process, "powershell");
  return (machine.simulation.clock.now() - began) / 1_000;
}

async function tryGuard(run: ScriptRun, result: Result): Promise<void> {
  const { machine } = run;
  const repairs = () => Number(readRecord(machine, STATE_FILE)?.repairs ?? -1);
  const before = repairs();
  const began = machine.simulation.clock.now();
  removeMetadataRoutes(machine);
  const isBack = await waitUntil(run, () => metadataRoutesOf(machine).length > 0, WAIT_SECONDS);
  result.seconds = secondsSince(run, began);
  if (!isBack) throw new Error(`the guard did not put the route back within ${WAIT_SECONDS} seconds`);
  const isCounted = await waitUntil(run, () => repairs() > before, RECORD_SECONDS);
  if (!isCounted) throw new Error("the route is back, and the guard has counted no repair");
  result.by = "guard";
  result.ok = true;
}

const end = (result: Result): ScriptEnd => ({
  exitCode: result.ok ? 0 : 1,
  stdout: lineOf({ script: "take-route-away", ...result }),
  stderr: "",
});

/** take-route-away.ps1: takes the metadata route away and waits for the guard; puts it back itself when the guard does not. */
export const takeRouteAway: Script = async (run) => {
  const { machine, process } = run;
  const result: Result = { ok: false, seconds: 0, by: "none", powershellSeconds: 0, error: "" };
  await load(machine, process, "powershell");
  try {
    await acquireMachineMutex(machine, process, MUTEX_SECONDS);
    requireGuard(run);
    result.powershellSeconds = await startOfPowerShell(run);
    await load(machine, process, "networking");
    const found = metadataRoutesOf(machine);
    if (found.length === 0) throw new Error("the route to the metadata service is missing already");
    try {
      await tryGuard(run, result);
    } finally {
      if (metadataRoutesOf(machine).length === 0) {
        addMetadataRoutes(machine, found);
        result.by = "script";
      }
    }
  } catch (error) {
    result.error = errorText(error);
  }
  return end(result);
};

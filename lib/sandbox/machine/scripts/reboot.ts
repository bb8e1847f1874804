import { z } from "zod";
import type { RebootRequest, RebootResult } from "../../../../lambdas/desired/plan.ts";
import type { Machine, Script, ScriptEnd } from "../machine.ts";
import { enterMachine } from "./alone.ts";
import { guardAtRest, observation } from "./observe.ts";
import { errorText, requestAs, requireInTime, STARTING_MS } from "./request.ts";

const requestSchema: z.ZodType<RebootRequest> = z.object({
  operation: z.string(),
  notAfter: z.number(),
  bootId: z.string(),
});

/** The agent reboots the machine at this exit code and runs the script once more. */
const REBOOT = 3010;
const MARKER = "C:\\Casement\\reboot.json";

function print(bootIdBefore: string, bootIdAfter: string, error: string | null): ScriptEnd {
  const result: RebootResult = { script: "reboot", ok: error === null, bootIdBefore, bootIdAfter, error };
  return { exitCode: error === null ? 0 : 1, stdout: `${JSON.stringify(result)}\n`, stderr: "" };
}

/** @throws Error on a machine that would come back without its agent */
function requireGuard(machine: Machine): void {
  const { guard, metadataAnswers } = observation(machine);
  const faults = [
    guard.present ? [] : "its script is missing",
    guard.taskEnabled ? [] : "its task is missing or disabled",
    guard.lastResult === 0 ? [] : `its last result is ${guard.lastResult}`,
    guard.paths === 1 ? [] : `it sees ${guard.paths} paths`,
    metadataAnswers ? [] : "the metadata service does not answer",
  ].flat();
  if (faults.length > 0) throw new Error(`no reboot without the guard of the metadata route: ${faults.join(", ")}`);
}

const markerOf = ({ operation, bootId }: RebootRequest): string => JSON.stringify({ operation, bootId });

function askForReboot(machine: Machine, request: RebootRequest): ScriptEnd {
  if (machine.disk.text(MARKER) === markerOf(request))
    throw new Error("the reboot was asked for before and did not happen");
  requireInTime(machine.foundation.clock.now(), request.notAfter);
  requireGuard(machine);
  machine.disk.write(MARKER, Buffer.from(markerOf(request)), "system");
  return { exitCode: REBOOT, stdout: "", stderr: "" };
}

/** reboot.ps1: asks for one reboot per operation and boot; run again after it, it answers with the evidence. */
export const reboot: Script = async ({ machine, process, request: encoded }) => {
  await process.pause(machine.takes(...STARTING_MS));
  let before = "";
  const after = String(machine.state.bootId);
  try {
    await enterMachine(machine, process);
    const request = requestAs(encoded, requestSchema);
    before = request.bootId;
    await guardAtRest({ machine, process });
    return before === after ? askForReboot(machine, request) : print(before, after, null);
  } catch (error) {
    return print(before, after, errorText(error));
  }
};

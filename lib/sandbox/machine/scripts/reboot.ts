import { z } from "zod";
import { isKnownByTime, isSameBoot } from "../../../../lambdas/machine/boots.ts";
import type { RebootRequest, RebootResult } from "../../../../lambdas/machine/plan.ts";
import { bootIdOf } from "../boot-id.ts";
import { load } from "../loading.ts";
import type { Machine, Script, ScriptEnd } from "../machine.ts";
import { Fault, failureOf } from "./causes.ts";
import { acquireMachineMutex } from "./machine-mutex.ts";
import { guardAtRest, observation } from "./observe.ts";
import { readRecord, writeRecord } from "./records.ts";
import { lineOf, requestAs, requireInTime } from "./request.ts";

const requestSchema: z.ZodType<RebootRequest> = z.object({
  operation: z.string(),
  notAfter: z.number(),
  bootId: z.string(),
});

/** The agent reboots the machine at this exit code and runs the script once more. */
const REBOOT = 3010;
const MARKER = "C:\\Casement\\reboot.json";

function print(bootIdBefore: string, bootIdAfter: string, failure: ReturnType<typeof failureOf> | null): ScriptEnd {
  const seen = { script: "reboot", ok: failure === null, bootIdBefore, bootIdAfter } as const;
  const result: RebootResult = { ...seen, ...(failure ?? { error: null }) };
  return { exitCode: failure === null ? 0 : 1, stdout: lineOf(result), stderr: "" };
}

/** @throws Error on a machine that would come back without its agent */
function requireGuard(machine: Machine): void {
  const { guard, metadataAnswers } = observation(machine);
  const faults = [
    guard.present ? [] : "its script is missing",
    guard.taskEnabled ? [] : "its task is missing or disabled",
    guard.lastResult === 0 ? [] : `its last result is ${guard.lastResult} ${guard.error}`.trim(),
    guard.paths === 1 ? [] : `it sees ${guard.paths} paths`,
    metadataAnswers ? [] : "the metadata service does not answer",
  ].flat();
  if (faults.length > 0)
    throw new Fault("guard-not-in-order", `no reboot without the guard of the metadata route: ${faults.join(", ")}`);
}

/** Seconds since the boot. */
const upSeconds = ({ state, simulation }: Machine): number =>
  Math.floor((simulation.clock.now() - state.bootedAt) / 1_000);

/** The marker, if this reboot was asked for already. One that cannot be read counts as no marker. */
function askedBefore(machine: Machine, { operation, bootId }: RebootRequest) {
  const marker = readRecord(machine, MARKER);
  return marker?.operation === operation && isSameBoot(String(marker.bootId), bootId) ? marker : undefined;
}

/** As Test-Booted of reboot.ps1: a machine that is up for less time than when it was asked has booted. */
function hasBooted(machine: Machine, request: RebootRequest, after: string): boolean {
  if (!isSameBoot(request.bootId, after)) return true;
  const up = askedBefore(machine, request)?.upSeconds;
  return typeof up === "number" && upSeconds(machine) < up;
}

function askForReboot(machine: Machine, request: RebootRequest): ScriptEnd {
  if (askedBefore(machine, request))
    throw new Fault("reboot-not-happened", "the reboot was asked for before and did not happen");
  requireInTime(machine.clock(), request);
  requireGuard(machine);
  const { operation, bootId } = request;
  writeRecord(machine, MARKER, {
    operation,
    bootId,
    ...(isKnownByTime(bootId) ? { upSeconds: upSeconds(machine) } : {}),
  });
  return { exitCode: REBOOT, stdout: "", stderr: "" };
}

/**
 * reboot.ps1: asks for one reboot per operation and boot; when it runs again after the boot, it returns the evidence.
 */
export const reboot: Script = async ({ machine, process, request: encoded }) => {
  for (const part of ["powershell", "scheduling", "networking"] as const) await load(machine, process, part);
  let before = "";
  const after = bootIdOf(machine);
  try {
    await acquireMachineMutex(machine, process);
    const request = requestAs(encoded, requestSchema);
    before = request.bootId;
    await guardAtRest({ machine, process });
    return hasBooted(machine, request, after) ? print(before, after, null) : askForReboot(machine, request);
  } catch (error) {
    return print(before, after, failureOf(error));
  }
};

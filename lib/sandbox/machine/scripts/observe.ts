import { z } from "zod";
import type { Observation } from "../../../../lambdas/desired/plan.ts";
import type { Machine, Script, ScriptRun } from "../machine.ts";
import { metadataAnswers } from "../metadata.ts";
import { agentService, launchService, type Service, taskNeverRan } from "../state.ts";
import { scriptNameOf, taskOf } from "../tasks.ts";
import { guardPaths } from "./guard.ts";
import { errorText, requestAs } from "./request.ts";

/** Where observe.ps1 looks for the guard. */
const GUARD_FILE = "C:\\Casement\\guard.ps1";
const GUARD_TASK = "Casement guard";

function guardState(machine: Machine): Observation["guard"] {
  const task = taskOf(machine, GUARD_TASK);
  const file = machine.disk.file(GUARD_FILE);
  const runs = scriptNameOf(machine.disk.text(GUARD_FILE) ?? "") === "guard";
  return {
    present: file !== undefined,
    sha256: file?.sha256 ?? null,
    taskEnabled: task?.enabled ?? false,
    lastResult: task === undefined || task.running || task.lastResult === taskNeverRan ? null : task.lastResult,
    paths: runs ? guardPaths(machine).length : 0,
  };
}

/** As both scripts do: a run of the guard that is under way is waited for, a minute at most. */
export async function guardAtRest({ machine, process }: Pick<ScriptRun, "machine" | "process">): Promise<void> {
  for (let second = 0; second < 60 && taskOf(machine, GUARD_TASK)?.running; second += 1) await process.pause(1_000);
}

const shown = ({ name, description }: Service): boolean =>
  description.startsWith("Casement managed ") || name === agentService || name === launchService;

/** What observe.ps1 sees on this machine. */
export function observation(machine: Machine): Observation {
  const { features, services, hnsNetworks, bootId } = machine.state;
  return {
    script: "observe",
    ok: true,
    bootId: String(bootId),
    build: machine.facts().build ?? "",
    metadataAnswers: metadataAnswers(machine),
    guard: guardState(machine),
    features: features.filter((one) => one.state === "Installed").map((one) => one.name),
    rebootPending: features.some((one) => one.state === "InstallPending"),
    services: Object.values(services)
      .filter(shown)
      .map(({ name, state, startType }) => ({ name, state, startType })),
    hnsNetworks: hnsNetworks.map((network) => network.name).toSorted(),
  };
}

const requestSchema = z.object({});

/** observe.ps1: prints what the machine looks like; a second to three (assumed). */
export const observe: Script = async ({ machine, process, request }) => {
  await process.pause(machine.takes(1_000, 3_000));
  try {
    requestAs(request, requestSchema);
    await guardAtRest({ machine, process });
    return { exitCode: 0, stdout: `${JSON.stringify(observation(machine))}\n`, stderr: "" };
  } catch (error) {
    const stdout = `${JSON.stringify({ script: "observe", ok: false, error: errorText(error) })}\n`;
    return { exitCode: 1, stdout, stderr: "" };
  }
};

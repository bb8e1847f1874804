import { z } from "zod";
import type { FileObservation, Observation } from "../../../../lambdas/machine/plan.ts";
import { answersHash, type Group, type ObservationVerdict, packed } from "../../../../lambdas/machine/questions.ts";
import { bootIdOf } from "../boot-id.ts";
import { load } from "../loading.ts";
import type { Machine, Script, ScriptRun } from "../machine.ts";
import { metadataAnswers } from "../metadata.ts";
import { agentService, launchService, type Service, taskNeverRan } from "../state.ts";
import { scriptNameOf, taskOf } from "../tasks.ts";
import { errorText, Fault, failureOf } from "./causes.ts";
import { guardPaths, STATE_FILE } from "./guard.ts";
import { diskAnswer, lookAt, partsOf } from "./questions.ts";
import { recordedError } from "./records.ts";
import { fitsList, lineOf, requestAs } from "./request.ts";

/** File and task in which observe.ps1 looks for the guard. */
const GUARD_FILE = "C:\\Casement\\guard.ps1";
const GUARD_TASK = "Casement guard";

function guardState(machine: Machine): Observation["guard"] {
  const task = taskOf(machine, GUARD_TASK);
  const file = machine.disk.file(GUARD_FILE);
  const lastResult = task === undefined || task.running || task.lastResult === taskNeverRan ? null : task.lastResult;
  const runs = scriptNameOf(machine.disk.text(GUARD_FILE) ?? "") === "guard";
  return {
    present: file !== undefined,
    sha256: file?.sha256 ?? null,
    taskEnabled: task?.enabled ?? false,
    lastResult,
    paths: runs ? guardPaths(machine).length : 0,
    error: task !== undefined && task.lastResult !== 0 ? recordedError(machine, STATE_FILE) : "",
  };
}

/** Waits for a running guard, a minute at most, as both scripts do. */
export async function guardAtRest({ machine, process }: Pick<ScriptRun, "machine" | "process">): Promise<void> {
  for (let second = 0; second < 60 && taskOf(machine, GUARD_TASK)?.running; second += 1) await process.pause(1_000);
}

const shown = ({ name, description }: Service): boolean =>
  description.startsWith("Casement managed ") || name === agentService || name === launchService;

/** Observes this machine as observe.ps1 does. */
export function observation(machine: Machine): Observation {
  const { features, services, hnsNetworks, awaited = [] } = machine.state;
  const signs = [
    ...(["servicing", "windows-update"] as const).filter((one) => awaited.includes(one)),
    ...features.flatMap(({ name, state }) => (state === "InstallPending" ? [`feature ${name}`] : [])),
  ];
  return {
    script: "observe",
    ok: true,
    bootId: bootIdOf(machine),
    clock: Math.floor(machine.clock() / 1000),
    freeBytes: diskAnswer(machine).freeBytes,
    build: machine.facts().build ?? "",
    metadataAnswers: metadataAnswers(machine),
    guard: guardState(machine),
    features: features.filter((one) => one.state === "Installed").map((one) => one.name),
    rebootPending: signs.length > 0,
    rebootSigns: signs,
    services: Object.values(services)
      .filter(shown)
      .map(({ name, state, startType }) => ({ name, state, startType })),
    hnsNetworks: hnsNetworks.map((network) => network.name).toSorted(),
  };
}

const requestSchema = z.object({
  files: z.array(z.string()).optional(),
  questions: z.record(z.string(), z.unknown()).optional(),
  whole: z.boolean().optional(),
});

/** Answers questions as observe.ps1 does: what fails costs its own group alone. */
async function answersTo({ machine, process }: ScriptRun, questions: Readonly<Record<string, unknown>>) {
  const groups = Object.keys(questions);
  const parts = new Set(groups.flatMap((group) => partsOf[group as Group] ?? []));
  for (const part of ["powershell", ...parts] as const) await load(machine, process, part);
  const answers: Record<string, unknown> = {};
  const failed: Record<string, string> = {};
  for (const group of groups) {
    try {
      answers[group] = lookAt(machine, group, questions[group]);
    } catch (error) {
      failed[group] = errorText(error);
    }
  }
  return { answers, failed };
}

type Seen = Awaited<ReturnType<typeof answersTo>>;

const verdictOf = (machine: Machine, { answers, failed }: Seen, most: number): ObservationVerdict => ({
  script: "observe",
  ok: true,
  bootId: bootIdOf(machine),
  clock: Math.floor(machine.clock() / 1000),
  hashes: Object.fromEntries(Object.entries(answers).map(([group, answer]) => [group, answersHash(answer)])),
  failed: Object.fromEntries(Object.entries(failed).map(([group, why]) => [group, why.slice(0, most)])),
});

/** Prints the verdict, and before it the answers where they are wanted; words are cut so that a list shows the verdict whole. */
async function told(run: ScriptRun, questions: Readonly<Record<string, unknown>>, whole: boolean): Promise<string> {
  const seen = await answersTo(run, questions);
  const [long, short] = [100, 10].map((most) => lineOf(verdictOf(run.machine, seen, most))) as [string, string];
  return `${whole ? `answers ${packed(seen.answers)}\n` : ""}${fitsList(long) ? long : short}`;
}

/** The answer to a look at files alone. */
function fileObservation({ disk }: Machine, paths: readonly string[]): FileObservation {
  const files = paths.map((path) => ({ path, sha256: disk.file(path)?.sha256 ?? null }));
  const seen = { script: "observe", ok: true, files } as const;
  const line = lineOf(seen).trimEnd();
  if (fitsList(line)) return seen;
  throw new Error(`the result has ${line.length} characters, and SSM shows 2,500 of each machine: ask for fewer files`);
}

/** PowerShell and the modules of the cmdlets that observe.ps1 and the guard that it asks name. */
const parts = ["powershell", "scheduling", "networking", "features"] as const;

/** Looks at everything: this takes the modules of Windows, and a guard at rest. */
async function wholeObservation({ machine, process }: ScriptRun): Promise<Observation> {
  for (const part of parts) await load(machine, process, part);
  await guardAtRest({ machine, process });
  // HRESULT 0x800706BA, RPC_S_SERVER_UNAVAILABLE: CIM cmdlets answer so while Windows Management Instrumentation is
  // down.
  if (machine.faultApplies("look-fails")) throw new Fault("wmi-broken", "The RPC server is unavailable.");
  return observation(machine);
}

/** observe.ps1: prints the machine's state, the hashes of the files that it is asked for, or answers to single questions. */
export const observe: Script = async (run) => {
  const { machine, process } = run;
  try {
    const { files, questions, whole = false } = requestAs(run.request, requestSchema);
    if (questions) return { exitCode: 0, stdout: await told(run, questions, whole), stderr: "" };
    if (files) await load(machine, process, "powershell");
    const seen = files ? fileObservation(machine, files) : await wholeObservation(run);
    return { exitCode: 0, stdout: lineOf(seen), stderr: "" };
  } catch (error) {
    const stdout = lineOf({ script: "observe", ok: false, ...failureOf(error) });
    return { exitCode: 1, stdout, stderr: "" };
  }
};

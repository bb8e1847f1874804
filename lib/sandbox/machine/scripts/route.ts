import { z } from "zod";
import type { Action, RouteRequest, RouteResult } from "../../../../lambdas/machine/plan.ts";
import { type Applying, applyingOn } from "../actions/applying.ts";
import { actionName, execute } from "../actions/execute.ts";
import { sha256Of } from "../disk.ts";
import { load } from "../loading.ts";
import type { Machine, Script, ScriptRun } from "../machine.ts";
import { requireService } from "../services.ts";
import { taskOf } from "../tasks.ts";
import { failureOf } from "./causes.ts";
import { acquireMachineMutex } from "./machine-mutex.ts";
import { readRecord, writeEvent, writeRecord } from "./records.ts";
import { lineOf, requestAs, requireInTime } from "./request.ts";

const requestSchema: z.ZodType<RouteRequest> = z.object({
  do: z.enum(["install", "remove"]),
  operation: z.string(),
  notAfter: z.number(),
  madeAt: z.number(),
});

const HOME = "C:\\Casement";
const GUARD = `${HOME}\\guard.ps1`;
const BEFORE = `${HOME}\\before.json`;
const GUARD_TASK = "Casement guard";
const NETWORK_TASK = "Casement network";
const AGENT = "AmazonSSMAgent";

/** Event of the script, in the machine's log. */
const EVENT = 4003;

/** Reads the guard's text that the document carries. */
const carriedGuard = (text: string): Buffer =>
  Buffer.from(/^\$Guard = '([A-Za-z0-9+/=]+)'$/m.exec(text)?.[1] ?? "", "base64");

/** Seconds per day: the period after which Windows counts failures anew, as Casement sets it. */
const DAY = 86_400;

/** Save-Before of route.ps1: how the agent recovers, on a machine that has nothing of Casement yet. */
function saveBefore(machine: Machine): void {
  if (machine.disk.file(GUARD) || [GUARD_TASK, NETWORK_TASK].some((task) => taskOf(machine, task))) return;
  const { restartAfter, failureFlag } = requireService(machine, AGENT);
  writeRecord(machine, BEFORE, {
    reset: restartAfter.length > 0 ? DAY : 0,
    actions: restartAfter.map((seconds) => `restart/${seconds * 1_000}`).join("/"),
    flag: failureFlag ? 1 : 0,
  });
}

/** The actions that install the guard, in the order of route.ps1. */
const installing = (guard: Buffer): readonly Action[] => [
  {
    do: "file",
    path: GUARD,
    source: { from: "inline", base64: guard.toString("base64") },
    sha256: sha256Of(guard),
    access: "inherited",
  },
  { do: "service-recovery", name: AGENT, restartAfter: [30, 60, 60] },
  { do: "task", name: GUARD_TASK, script: GUARD, arguments: [], everyMinutes: 1 },
  { do: "run-task", name: GUARD_TASK, withinSeconds: 240, record: `${HOME}\\guard.json` },
];

/** A run of the script: what it is doing, and what it has changed. */
interface Doing {
  action: string;
  readonly changed: string[];
}

async function act(run: Applying, doing: Doing, action: Action): Promise<void> {
  doing.action = actionName(action);
  if (await execute(run, action)) doing.changed.push(doing.action);
}

async function install({ machine, process, text }: ScriptRun, doing: Doing): Promise<void> {
  const run = applyingOn({ machine, process, text });
  await act(run, doing, { do: "directory", path: HOME, access: "system" });
  doing.action = `file ${BEFORE}`;
  saveBefore(machine);
  for (const action of installing(carriedGuard(text))) await act(run, doing, action);
}

/** A recovery as Get-AgentRecovery of route.ps1 writes it; a record of another form is not read. */
const recoverySchema = z.object({
  reset: z.number().int().min(0),
  actions: z.string().regex(/^((restart|reboot|run)?\/\d{1,10}(\/(restart|reboot|run)?\/\d{1,10})*)?$/),
  flag: z.union([z.literal(0), z.literal(1)]),
});

/** Restore-Recovery of route.ps1. @returns whether the machine's own recovery was written down */
function restoreRecovery(machine: Machine): boolean {
  const { data: before } = recoverySchema.safeParse(readRecord(machine, BEFORE));
  if (!before) return false;
  const service = requireService(machine, AGENT);
  service.restartAfter = [...before.actions.matchAll(/restart\/(\d+)/g)].map(([, ms]) => Number(ms) / 1_000);
  service.failureFlag = before.flag === 1;
  machine.save();
  return true;
}

/** Removes the folder with all that is in it. @returns whether it was there */
function removeHome({ disk }: Machine): boolean {
  const files = disk.filesIn(HOME);
  for (const { path } of files) disk.remove(path);
  return disk.removeDirectory(HOME) || files.length > 0;
}

async function uninstall(run: ScriptRun, doing: Doing): Promise<void> {
  const { machine } = run;
  doing.action = `task ${GUARD_TASK}`;
  if (taskOf(machine, NETWORK_TASK))
    throw new Error("this machine has more of Casement than its guard: Casement launched it");
  const removal: Action = { do: "remove-task", name: GUARD_TASK };
  if (await execute(applyingOn(run), removal)) doing.changed.push(actionName(removal));
  doing.action = `service-recovery ${AGENT}`;
  if (restoreRecovery(machine)) doing.changed.push(doing.action);
  doing.action = `remove-directory ${HOME}`;
  if (removeHome(machine)) doing.changed.push(doing.action);
}

/** route.ps1: installs the guard that its document carries, or takes it away again. */
export const route: Script = async (run) => {
  const { machine, process } = run;
  for (const part of ["powershell", "scheduling"] as const) await load(machine, process, part);
  const doing: Doing = { action: "request", changed: [] };
  let failed: RouteResult["failed"] = null;
  try {
    await acquireMachineMutex(machine, process);
    const request = requestAs(run.request, requestSchema);
    requireInTime(machine.clock(), request);
    await (request.do === "install" ? install(run, doing) : uninstall(run, doing));
    const done = `${request.operation}: ${request.do} the guard of the metadata route`;
    writeEvent(machine, EVENT, `${done}; changed ${doing.changed.join(", ")}`);
  } catch (error) {
    failed = { action: doing.action, ...failureOf(error) };
    writeEvent(machine, EVENT, `The guard of the metadata route failed at ${failed.action}: ${failed.error}`);
  }
  const result: RouteResult = { script: "route", ok: failed === null, changed: doing.changed, failed };
  return { exitCode: failed === null ? 0 : 1, stdout: lineOf(result), stderr: "" };
};

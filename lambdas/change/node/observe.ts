import { StageFailed } from "../../engine/durable.ts";
import { isLostResult, runScript } from "../../engine/run-script.ts";
import { CLOCK_TOLERANCE_MS } from "../../health/clock.ts";
import type { Observation } from "../../machine/plan.ts";
import type { ObservationVerdict, ProxyPlace } from "../../machine/questions.ts";
import { proxyPlacesOf } from "../../machine/seen-machine.ts";
import { codeOfScript, type StageFault } from "../../records/failures.ts";
import { leaseOf, type NodeTask } from "./task.ts";

/** Attempts: right after a boot the agent's worker may start before the metadata route exists, and lose a result. */
const ATTEMPTS = 4;
const PAUSE_SECONDS = 20;

/**
 * Observes the machine by observe.ps1, and repeats an observation whose result was lost.
 * @param name unique within the execution
 * @throws StageFailed if observe.ps1 fails; MachineEnded; Cancelled
 */
export async function observe(task: NodeTask, name: string): Promise<Observation> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await observeOnce(task, attempt === 1 ? name : `${name}, attempt ${attempt}`);
    } catch (error) {
      if (!isLostResult(error) || attempt === ATTEMPTS) throw error;
      await task.ctx.wait(`before ${name}, attempt ${attempt + 1}`, { seconds: PAUSE_SECONDS });
    }
  }
}

async function observeOnce(task: NodeTask, name: string): Promise<Observation> {
  const order = { script: "observe", request: {} } as const;
  const run = { held: leaseOf(task), name, wait: task.wait };
  const seen = await runScript<Observation>(task.ctx, task.steps, run, order);
  if (!seen.ok)
    throw new StageFailed(codeOfScript(seen), `observe.ps1 failed on the machine: ${seen.error ?? "no error message"}`);
  return seen;
}

/**
 * Bytes that the system drive must have free: for the script's marker, the agent's files of a command, and what Windows
 * writes while it boots (assumed; Microsoft names no figure).
 */
const LEAST_FREE_BYTES = 200 * 1024 ** 2;

/**
 * Names a wrong clock: certificates, signed requests and orders with an end would fail later, with errors that may not
 * mention it.
 * @param shown the machine's clock, in milliseconds since the epoch, like the times between which it was read
 */
export function clockFault(shown: number, before: number, after: number): StageFault | null {
  if (shown >= before - CLOCK_TOLERANCE_MS && shown <= after + CLOCK_TOLERANCE_MS) return null;
  const words = (time: number): string => new Date(time).toISOString().slice(0, 19).replace("T", " ");
  const why = `the clock of the machine is wrong: it said ${words(shown)} UTC at ${words(after)} UTC`;
  return { code: "clock-wrong", why };
}

/**
 * Names a system drive on which a script could not write its marker.
 * @param freeBytes undefined if the machine did not say
 */
export function diskFault(freeBytes: number | undefined): StageFault | null {
  if (freeBytes === undefined || freeBytes >= LEAST_FREE_BYTES) return null;
  const megabytes = Math.floor(freeBytes / 1024 ** 2);
  return { code: "disk-full", why: `the system drive of the machine has ${megabytes} MB free` };
}

/** Times between which a machine was observed, in milliseconds since the epoch. */
export interface ObservedBetween {
  readonly from: number;
  readonly until: number;
}

/** Names the fault of a machine for which its scripts would refuse an order; null if they would take it. */
export const scriptFault = (
  { clock, freeBytes }: Pick<Observation, "clock" | "freeBytes">,
  { from, until }: ObservedBetween,
): StageFault | null => diskFault(freeBytes) ?? clockFault(clock * 1_000, from, until);

/**
 * Asks the machine for its SSM agent's proxy.
 * @returns none if the machine reaches AWS without it, or could not look
 * @throws StageFailed if SSM does not deliver the answer; MachineEnded; Cancelled
 */
export async function observeAgent(task: NodeTask, name: string): Promise<readonly ProxyPlace[]> {
  const order = { script: "observe", request: { questions: { agent: true } } } as const;
  const run = { held: leaseOf(task), name, wait: task.wait };
  const { hashes } = await runScript<ObservationVerdict>(task.ctx, task.steps, run, order);
  return proxyPlacesOf(hashes?.agent) ?? [];
}

import { StageFailed } from "../../engine/durable.ts";
import { isLostResult, runScript } from "../../engine/run-script.ts";
import type { Observation } from "../../machine/plan.ts";
import type { ObservationVerdict, ProxyPlace } from "../../machine/questions.ts";
import { proxyPlacesOf } from "../../machine/seen-machine.ts";
import { codeOfScript } from "../../records/failures.ts";
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

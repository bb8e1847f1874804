import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { Retryable } from "../errors.ts";
import { log } from "../logging.ts";
import type { FailureCode } from "../records/failures.ts";
import type { DocumentScript } from "../scripts/documents.ts";
import type { Lease } from "../steps/ledger/leases.ts";
import { isUntaken, mayHaveRun } from "../steps/machine/command-status.ts";
import type { CommandState, Order } from "../steps/machine/machine.ts";
import type { Steps } from "../steps/steps.ts";
import { stepAtMostOnce } from "./at-most-once.ts";
import {
  Cancelled,
  DeadlineExceeded,
  done,
  MachineEnded,
  MINUTE,
  pending,
  StageFailed,
  step,
  until,
  untilTime,
  type WaitOptions,
} from "./durable.ts";

/**
 * Seconds until a command is polled although no event came: EventBridge delivers at best effort. Each round costs the
 * execution two operations, so rounds get longer: after ten minutes, and after an hour.
 * @param round counted from 1
 */
export function roundSeconds(round: number): number {
  if (round <= 13) return 45;
  return round <= 63 ? 60 : 120;
}

/** Errors after which SSM certainly did not take the command. */
export const notTaken = (error: Error): boolean => error instanceof Retryable || error.name === "ThrottlingException";

/** Result of one poll: the state of the command, and whether it was cancelled. */
interface Round {
  readonly command: CommandState;
  readonly cancelledBy: string | null;
  /** End of the machine, in words, while the command still seems to run. */
  readonly end: string | null;
  readonly late: boolean;
  /** Milliseconds since the epoch; missing in executions of the last release. */
  readonly at?: number;
  /** Has SSM lost the result, or never known it? Missing in executions of the last release. */
  readonly isUnsure?: boolean;
}

/** Has a command ended, or its time, without a word of the machine? */
const isUnsure = (command: CommandState, late: boolean): boolean =>
  command.state === "failed"
    ? mayHaveRun(command.code)
    : command.state === "running" && late && isUntaken(command.status);

/** Scripts that may be sent again: they look first, and a second run changes nothing more. */
const SENT_AGAIN: ReadonlySet<DocumentScript> = new Set<DocumentScript>(["apply", "observe"]);

/** Milliseconds after which a command that no agent has taken never runs: the agent must begin within two minutes. */
export const TAKEN_WITHIN_MS = 3 * MINUTE;

/**
 * Will no agent take the command any more, as far as SSM knows?
 * @param since time of the first poll; undefined in executions of the last release, which wait for their deadline
 */
const isNeverTaken = (script: DocumentScript, { command, at = 0 }: Round, since: number | undefined): boolean =>
  command.state === "running" &&
  isUntaken(command.status) &&
  SENT_AGAIN.has(script) &&
  since !== undefined &&
  at - since >= TAKEN_WITHIN_MS;

/** Marks an error after which the machine may have run the script. */
const unsure = <E extends StageFailed>(error: E, { isUnsure = false }: Round): E =>
  Object.assign(error, { mayHaveRun: isUnsure });

/** Reason why a script did not run: its agent was silent until the deadline. */
export const neverTaken = (script: DocumentScript): string =>
  `${script}.ps1: the SSM agent did not take the command in time`;

/** Error that ends the wait for a command that still runs; null while the wait goes on. */
function endOfWait(script: DocumentScript, seen: Round, since: number | undefined): Error | null {
  const { command, cancelledBy, late } = seen;
  if (command.state !== "running") return null;
  if (cancelledBy !== null) return new Cancelled(cancelledBy);
  const { status } = command;
  if (late)
    return unsure(new DeadlineExceeded(`${script}.ps1 (SSM status ${status})`, null, codeOfStatus(status)), seen);
  if (!isNeverTaken(script, seen, since)) return null;
  return unsure(new StageFailed("command-undelivered", neverTaken(script)), { ...seen, isUnsure: true });
}

/** @throws MachineEnded when the machine cannot end the command any more */
function requireMachine({ end }: Round): void {
  if (end !== null) throw new MachineEnded(end);
}

/**
 * Sends the command. SSM refuses one for an instance that is stopped or terminated as it refuses one for an agent that
 * has not registered yet, so EC2 is asked which it is.
 * @throws MachineEnded; the errors of SSM
 */
async function sendNow(steps: Steps, { held, wait }: ScriptRun, order: Order): Promise<string> {
  try {
    return await steps.machine.send(held, order);
  } catch (error) {
    const end = await wait.endOfMachine();
    throw end === null ? error : new MachineEnded(end);
  }
}

/** Milliseconds that a machine may take to end a cancelled command; SSM cancels at best effort. */
const CALLED_OFF_WITHIN_MS = MINUTE;

/** Cancels a command whose wait has ended: a script refuses to run while another one still runs on the machine. */
async function callOff(
  ctx: DurableContext,
  steps: Steps,
  { held: { instanceId }, name, wait: { now } }: ScriptRun,
  { commandId, script }: { readonly commandId: string; readonly script: DocumentScript },
): Promise<void> {
  const patience = await step(ctx, `call off ${name}`, async () => {
    await steps.machine.cancelCommand(commandId, instanceId);
    return now() + CALLED_OFF_WITHIN_MS;
  });
  await until(ctx, `${name} is called off`, untilTime(patience, now), async () => {
    const command = await steps.machine.commandState(script, commandId, instanceId);
    return command.state === "running" ? pending("the agent to end it") : done(true);
  }).catch(() => undefined);
}

/** Code of a command that has not ended by the deadline: its agent still runs it, or has not begun it. */
const codeOfStatus = (status: string): FailureCode => (status === "InProgress" ? "script-slow" : "command-waits");

/** Is the result of a command lost? Then neither the deadline passed nor the machine ended. */
export const isLostResult = (error: unknown): error is StageFailed =>
  error instanceof StageFailed && !(error instanceof DeadlineExceeded) && !(error instanceof MachineEnded);

/** One run of a script on a machine. */
export interface ScriptRun {
  /** Lease on the machine, which the sender must hold. */
  readonly held: Lease;
  /** Unique within the execution. */
  readonly name: string;
  /** Deadline of the run, and what may end it early. */
  readonly wait: WaitOptions;
}

/** Part that the result lines of all scripts have: whether the script did what it was asked. */
interface ScriptResult {
  readonly ok: boolean;
}

/**
 * Runs a script on a machine and waits for its result line. The command's event or the instance's end wakes the wait;
 * if no event comes, it polls. The command is sent exactly once, also across crashes.
 * @returns the script's own result, which may still say `ok: false`
 * @throws StageFailed with the machine's words, or when the deadline passes; MachineEnded; Cancelled
 */
export async function runScript<T extends ScriptResult>(
  ctx: DurableContext,
  steps: Steps,
  run: ScriptRun,
  order: Omit<Order, "mark">,
): Promise<T> {
  const { held, name, wait } = run;
  const mark = `${held.owner} ${name}`;
  const commandId = await stepAtMostOnce(ctx, `send ${name}`, {
    work: async () => {
      const commandId = await sendNow(steps, run, { ...order, mark });
      log("INFO", "command", { instance: held.instanceId, commandId, script: order.script, outcome: "sent" });
      return commandId;
    },
    lookUp: () => steps.machine.sent(held.instanceId, mark),
    isCertain: notTaken,
  });
  let since: number | undefined;
  for (let round = 1; ; round += 1) {
    const [finished, callbackId] = await ctx.createCallback(`${name} finished ${round}`, {
      timeout: { seconds: roundSeconds(round) },
    });
    // The event may have come before the ledger had the callback: poll once after recording it.
    const seen = await step(ctx, `poll ${name} ${round}`, async (): Promise<Round> => {
      await steps.ledger.awaitCommand(commandId, held.instanceId, callbackId);
      const command = await steps.machine.commandState(order.script, commandId, held.instanceId);
      if (command.state !== "running")
        log("INFO", "command", { instance: held.instanceId, commandId, script: order.script, outcome: command.state });
      if (command.state === "running") await wait.onRound?.(callbackId);
      const [at, late] = [wait.now(), wait.now() >= wait.until];
      return {
        command,
        at,
        isUnsure: isUnsure(command, late),
        end: command.state === "running" ? await wait.endOfMachine() : null,
        cancelledBy: await wait.cancelledBy(),
        late,
      };
    });
    since ??= seen.at;
    if (seen.command.state === "done") return seen.command.result as T;
    if (seen.command.state === "failed") throw unsure(new StageFailed(seen.command.code, seen.command.why), seen);
    requireMachine(seen);
    const end = endOfWait(order.script, seen, since);
    if (end !== null) {
      await callOff(ctx, steps, run, { commandId, script: order.script });
      throw end;
    }
    await finished.catch(() => undefined);
  }
}

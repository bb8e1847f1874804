import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Answers } from "../machine/questions.ts";
import { calledOff, calledOffBefore } from "../messages/node/guard.ts";
import type { FailureReason } from "../records/failures.ts";
import type { DocumentScript } from "../scripts/documents.ts";
import { isUntaken, mayHaveRun } from "../steps/machine/command-status.ts";
import type { InvocationVerdict, SendResult } from "../steps/machine/fleet.ts";
import type { Steps } from "../steps/steps.ts";
import { stepAtMostOnce } from "./at-most-once.ts";
import { MINUTE, step } from "./durable.ts";
import { allFailed, type FleetOutcome, failedMachine, unsureMachine } from "./fleet-outcome.ts";
import { neverTaken, notTaken, roundSeconds, TAKEN_WITHIN_MS } from "./run-script.ts";

/** Reading of a script's result line: the value that the workflow needs, or the reason of the failure. */
export type LineReading<T> = { readonly value: T } | FailureReason;

/** A request to many machines, and the way to read their answers. */
export interface FleetRun<T> {
  /** Unique across executions: the marks of the commands begin with it. */
  readonly owner: string;
  /** Unique within the execution. */
  readonly name: string;
  /** Minutes that each batch may take. */
  readonly minutes: number;
  readonly cancelledBy: () => Promise<string | null>;
  /**
   * Reads a result line, and the answers where the request asked for all. The value is kept for every machine: keep it
   * small.
   */
  readonly read: (result: object, answers?: Answers) => LineReading<T>;
}

/** Machines that get the same request in one command. */
export interface Batch {
  readonly name: string;
  readonly script: DocumentScript;
  readonly instanceIds: readonly string[];
  /** It repeats a command whose result SSM lost. */
  readonly isAgain?: true;
  readonly send: (instanceIds: readonly string[], mark: string) => Promise<SendResult>;
}

/** Result of one poll of a batch; it has outcomes only once no command runs any more. */
interface Round<T> {
  readonly running: readonly string[];
  /** Machines of these whose agents have not taken the command. */
  readonly untaken?: readonly string[];
  /** Reason to cancel the commands that still run, in words; null where they continue. */
  readonly offBecause: string | null;
  readonly outcomes: readonly FleetOutcome<T>[];
}

/** Reads one machine's answer. If it cannot be read, only this machine fails, and not the batch. */
function readSafely<T>(
  { result, answers }: Extract<InvocationVerdict, { state: "done" }>,
  run: FleetRun<T>,
): LineReading<T> {
  try {
    return run.read(result, answers);
  } catch (error) {
    const why = error instanceof Error ? error.message : "unknown error";
    return { why: `its answer cannot be read: ${why}`, code: "result-missing" };
  }
}

function outcomeOf<T>(
  verdict: InvocationVerdict,
  ends: ReadonlyMap<string, string>,
  run: FleetRun<T>,
): FleetOutcome<T> | null {
  const { instanceId } = verdict;
  if (verdict.state === "failed")
    return (mayHaveRun(verdict.code) ? unsureMachine : failedMachine)(instanceId, verdict);
  if (verdict.state === "done") {
    const reading = readSafely(verdict, run);
    return "value" in reading
      ? { instanceId, state: "done", value: reading.value }
      : failedMachine(instanceId, reading);
  }
  const end = ends.get(instanceId);
  return end === undefined ? null : failedMachine(instanceId, { why: end, code: "machine-ended" });
}

/** A batch whose command SSM has taken. */
interface SentBatch<T> {
  readonly batch: Batch;
  readonly commandId: string;
  readonly run: FleetRun<T>;
  /** Deadline, in milliseconds since the epoch. */
  readonly until: number;
}

/** Reads all verdicts of a command; a machine that EC2 has stopped or terminated will not answer any more. */
async function poll<T>(steps: Steps, { batch, commandId, run }: SentBatch<T>): Promise<Round<T>> {
  const verdicts = await steps.fleet.verdicts(batch.script, commandId, batch.instanceIds);
  const waiting = verdicts.flatMap(({ state, instanceId }) => (state === "running" ? [instanceId] : []));
  const ends = waiting.length > 0 ? await steps.instances.endsOf(waiting) : new Map<string, string>();
  const outcomes = verdicts.map((verdict) => outcomeOf(verdict, ends, run));
  const running = verdicts.flatMap(({ instanceId }, at) => (outcomes[at] === null ? [instanceId] : []));
  const untaken = verdicts.flatMap((one) => (one.state === "running" && isUntaken(one.status) ? [one.instanceId] : []));
  return {
    running,
    ...(untaken.length > 0 ? { untaken } : {}),
    offBecause: null,
    outcomes: running.length > 0 ? [] : outcomes.filter((one) => one !== null),
  };
}

/** Seconds that machines may take to end a cancelled command. */
const CALLED_OFF_WITHIN_SECONDS = 45;

/**
 * Cancels invocations that still run, then judges each machine by its invocation after a pause: SSM cancels at best
 * effort.
 */
async function callOff<T>(
  ctx: DurableContext,
  steps: Steps,
  { batch, commandId, run }: SentBatch<T>,
  { running, untaken = [], offBecause }: Round<T>,
): Promise<readonly FleetOutcome<T>[]> {
  await step(ctx, `call off ${batch.name}`, () => steps.fleet.cancel(commandId, running));
  await ctx.wait(`${batch.name} is called off`, { seconds: CALLED_OFF_WITHIN_SECONDS });
  const code = offBecause === calledOff.cancelled ? "called-off" : "deadline-passed";
  return step(ctx, `last verdicts of ${batch.name}`, async () => {
    const verdicts = await steps.fleet.verdicts(batch.script, commandId, batch.instanceIds);
    return verdicts.map((verdict) => {
      const isCancelled = verdict.state === "failed" && verdict.isCalledOff === true;
      const isByPerson = offBecause === calledOff.cancelled;
      if (isCancelled && !isByPerson && untaken.includes(verdict.instanceId))
        return unsureMachine(verdict.instanceId, { why: neverTaken(batch.script), code: "command-undelivered" });
      // For a command that missed its deadline SSM's status says more than "called off".
      const outcome = isCancelled && isByPerson ? null : outcomeOf(verdict, new Map(), run);
      const why = `${batch.script}.ps1 was called off: ${offBecause}`;
      return outcome ?? failedMachine(verdict.instanceId, { why, code });
    });
  });
}

/** Has no agent of the machines that still run taken the command, and will none take it any more? */
const isNeverTaken = <T>({ batch, run, until }: SentBatch<T>, { running, untaken = [] }: Round<T>, now: number) =>
  batch.script === "apply" &&
  running.length === untaken.length &&
  now - (until - run.minutes * MINUTE) >= TAKEN_WITHIN_MS;

async function whyCalledOff<T>(steps: Steps, sent: SentBatch<T>, round: Round<T>): Promise<string | null> {
  if ((await sent.run.cancelledBy()) !== null) return calledOff.cancelled;
  const now = steps.now();
  return now >= sent.until || isNeverTaken(sent, round, now) ? calledOff.late : null;
}

/**
 * Waits until a command has ended on all its machines: its event wakes the wait, and a slow poll covers a lost event.
 */
async function awaitCommand<T>(
  ctx: DurableContext,
  steps: Steps,
  sent: SentBatch<T>,
): Promise<readonly FleetOutcome<T>[]> {
  const { batch, commandId } = sent;
  for (let round = 1; ; round += 1) {
    const [ended, callbackId] = await ctx.createCallback(`${batch.name} ended ${round}`, {
      timeout: { seconds: roundSeconds(round) },
    });
    // The event may have come before the ledger had the callback: poll once after recording it.
    const seen = await step(ctx, `verdicts of ${batch.name} ${round}`, async (): Promise<Round<T>> => {
      await steps.ledger.awaitFleet(commandId, callbackId);
      const polled = await poll(steps, sent);
      return polled.running.length > 0 ? { ...polled, offBecause: await whyCalledOff(steps, sent, polled) } : polled;
    });
    if (seen.running.length === 0) return seen.outcomes;
    if (seen.offBecause !== null) return callOff(ctx, steps, sent, seen);
    await ended.catch(() => undefined);
  }
}

/** Sends a batch exactly once, also across crashes. */
const sendOnce = (ctx: DurableContext, steps: Steps, { name, instanceIds, send }: Batch, owner: string) => {
  const mark = `${owner} ${name}`;
  return stepAtMostOnce<SendResult>(ctx, `send ${name}`, {
    work: () => send(instanceIds, mark),
    lookUp: async () => {
      const commandId = await steps.machine.sent(instanceIds[0] ?? "", mark);
      return commandId === null ? null : { state: "sent", commandId };
    },
    isCertain: notTaken,
  });
};

/** Splits a batch that SSM refused: without the machines that SSM named, or in halves where it named none. */
function splitBatch(batch: Batch, unreachable: readonly string[]): readonly Batch[] {
  const rest = batch.instanceIds.filter((id) => !unreachable.includes(id));
  const middle = Math.ceil(rest.length / 2);
  const pieces = unreachable.length > 0 ? [rest] : [rest.slice(0, middle), rest.slice(middle)];
  return pieces
    .filter((piece) => piece.length > 0)
    .map((instanceIds, at) => ({ ...batch, name: `${batch.name}.${at + 1}`, instanceIds }));
}

/** Outcomes of a batch whose command has ended. */
interface EndedBatch<T> {
  readonly run: FleetRun<T>;
  readonly outcomes: readonly FleetOutcome<T>[];
}

/** Sends a plan once more to the machines whose result SSM lost: every action looks first, so that they report what they have. */
async function sendAgain<T>(
  ctx: DurableContext,
  steps: Steps,
  batch: Batch,
  { run, outcomes }: EndedBatch<T>,
): Promise<readonly FleetOutcome<T>[]> {
  const lost = outcomes.flatMap((one) => (one.state === "failed" && one.isUnsure ? [one.instanceId] : []));
  if (batch.script !== "apply" || lost.length === 0) return outcomes;
  const again = { ...batch, name: `${batch.name}, again`, instanceIds: lost, isAgain: true } as const;
  const second = new Map((await runBatch(ctx, steps, again, run)).map((one) => [one.instanceId, one]));
  return outcomes.map((one) => second.get(one.instanceId) ?? one);
}

/**
 * Sends one command to a batch of machines and waits for each of them.
 * @returns an outcome for every machine of the batch
 */
export async function runBatch<T>(
  ctx: DurableContext,
  steps: Steps,
  batch: Batch,
  run: FleetRun<T>,
): Promise<readonly FleetOutcome<T>[]> {
  const bounds = await step(ctx, `begin ${batch.name}`, async () => ({
    cancelledBy: await run.cancelledBy(),
    until: steps.now() + run.minutes * MINUTE,
  }));
  if (bounds.cancelledBy !== null) return allFailed(batch.instanceIds, { why: calledOffBefore, code: "called-off" });
  const sent = await sendOnce(ctx, steps, batch, run.owner);
  if (sent.state === "sent") {
    const { commandId } = sent;
    const outcomes = await awaitCommand(ctx, steps, { batch, commandId, run, until: bounds.until });
    return batch.isAgain ? outcomes : sendAgain(ctx, steps, batch, { run, outcomes });
  }
  const { unreachable, why, code } = sent;
  if (unreachable.length === 0 && batch.instanceIds.length === 1) return allFailed(batch.instanceIds, { why, code });
  const outcomes: FleetOutcome<T>[] = allFailed(unreachable, { why, code });
  for (const piece of splitBatch(batch, unreachable)) outcomes.push(...(await runBatch(ctx, steps, piece, run)));
  return outcomes;
}

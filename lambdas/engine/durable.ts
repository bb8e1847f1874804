import { type DurableContext, DurableOperationError, StepSemantics } from "@aws/durable-execution-sdk-js";
import { codedName, Retryable } from "../errors.ts";
import { bareName, codeOf, type FailureCode, type FailureReason } from "../records/failures.ts";
import { codeOfAnswer, isBusy, wordsOf } from "../steps/client-errors.ts";
import { pauseSeconds } from "./pace.ts";

/** A stage failed; the message says why, in the machine's or service's own words, and the code goes with the name. */
export class StageFailed extends Error {
  override readonly name: string;

  constructor(code: FailureCode, detail: string, kind = "StageFailed") {
    super(detail);
    this.name = codedName(kind, code);
  }
}

/** The stage's deadline passed: trying again would not help. */
export class DeadlineExceeded extends StageFailed {
  /** Reason why the last poll was pending, or the error that a service answered instead. */
  readonly pendingReason: string;

  /** @param answer error of the last poll, null if the poll itself worked */
  constructor(pendingReason: string, answer: string | null = null, code: FailureCode = "deadline-passed") {
    const gaveUp = pendingReason === "" ? "gave up" : `gave up waiting for ${pendingReason}`;
    super(code, answer === null ? gaveUp : `${gaveUp}; the last answer was: ${answer}`, "DeadlineExceeded");
    this.pendingReason = answer ?? pendingReason;
  }
}

/** The instance that the stage waits for is stopped or terminated: nothing will come of it any more. */
export class MachineEnded extends StageFailed {
  constructor(detail: string) {
    super("machine-ended", detail, "MachineEnded");
  }
}

/** The operation was cancelled; the message is the user id of the person. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

/** About five minutes of patience with a busy service, in whole seconds as the engine wants them. */
const MOST_ATTEMPTS = 10;
const LONGEST_PAUSE_SECONDS = 60;

const whenBusyUpTo = (most: number) => (error: Error, attempt: number) =>
  isBusy(error) && attempt < most
    ? { shouldRetry: true, delay: { seconds: Math.min(2 ** attempt, LONGEST_PAUSE_SECONDS) } }
    : { shouldRetry: false };

/** Tries a step again while a service is busy. */
export const whenBusy = whenBusyUpTo(MOST_ATTEMPTS);

/**
 * One step that may run again: it is repeated while a service is busy, and after a crash in the middle of it.
 * @param attempts how often it is tried at most
 * @throws StepError whose cause is what the step threw, see `causeOf`
 */
export const step = <T>(
  ctx: DurableContext,
  name: string,
  work: () => Promise<T>,
  attempts = MOST_ATTEMPTS,
): Promise<T> =>
  ctx.step(name, () => inWords(work), {
    retryStrategy: whenBusyUpTo(attempts),
    semantics: StepSemantics.AtLeastOncePerRetry,
  });

/** Puts an error into the words that people will read: beyond a step only its name and message are left. */
async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = codeOfAnswer(error);
    if (isBusy(error)) throw new Retryable(wordsOf(error), { cause: error, code });
    if (error instanceof Error) {
      error.message = wordsOf(error);
      if (code !== undefined) error.name = codedName(bareName(error), code);
    }
    throw error;
  }
}

/** Finds the error that a step threw: the engine wraps it and keeps only its name and message. */
export const causeOf = (error: unknown): Error => {
  if (error instanceof DurableOperationError && error.cause instanceof Error) return causeOf(error.cause);
  return error instanceof Error ? error : new Error(String(error));
};

/** Words of what ended a stage, and its code where somebody has named it. */
export function failureReason(error: unknown): FailureReason {
  const cause = causeOf(error);
  const code = codeOf(cause);
  return { why: cause.message, ...(code === undefined ? {} : { code }) };
}

/** Things that a poll leaves for the next one, besides its reason. */
interface Onwards<K> {
  /** Handed to the next poll; stored with every poll, so it must be small. */
  readonly kept?: K;
  /** Seconds until the next poll, at least 1; by default the wait's own pace. */
  readonly againIn?: number | null;
  /** Code of the failure that the wait becomes at its deadline; "deadline-passed" by default. */
  readonly code?: FailureCode | undefined;
}

/** Result of one poll: the value, or the reason why there is none yet. */
export type Poll<T, K = never> = { readonly done: T } | ({ readonly pendingReason: string } & Onwards<K>);

/** Ends a wait with its value. */
export const done = <T>(value: T): Poll<T> => ({ done: value });

/**
 * Continues a wait.
 * @param pendingReason what is missing, as it follows "waits for": "the agent to come online"
 */
export const pending = <K = never>(pendingReason: string, onwards: Onwards<K> = {}): Poll<never, K> => ({
  pendingReason,
  ...onwards,
});

type StillWaiting<K> = Onwards<K> & {
  readonly kind: "waiting";
  readonly pendingReason: string;
  readonly since: number;
  readonly pause: number;
};

/** State of a wait between its polls. Its end is acted on outside, because a check must never throw. */
type Waiting<T, K> =
  | StillWaiting<K>
  | { readonly kind: "done"; readonly value: T }
  | {
      readonly kind: "late";
      readonly pendingReason: string;
      readonly answer: string | null;
      readonly code?: FailureCode | undefined;
    }
  | { readonly kind: "cancelled"; readonly by: string }
  | { readonly kind: "ended"; readonly why: string }
  | { readonly kind: "failed"; readonly why: string; readonly code?: FailureCode | undefined };

/** Milliseconds; the configuration counts its deadlines in minutes. */
export const MINUTE = 60_000;

/** Deadline of a wait, what may end it early, and who is told while it lasts. */
export interface WaitOptions {
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Beginning of a longer wait that this one continues, in milliseconds since the epoch; by default its first poll. */
  readonly since?: number;
  readonly now: () => number;
  /** Finds the person who cancelled; null if the operation was not cancelled. */
  readonly cancelledBy: () => Promise<string | null>;
  /** Describes the end of the machine that is waited for; null while it may still answer. */
  readonly endOfMachine: () => Promise<string | null>;
  /** Called after each poll that is pending. @param isNew the reason differs from that of the poll before */
  readonly onPending: (pendingReason: string, isNew: boolean) => Promise<void>;
  /** Called by each poll of a command that still runs. @param callbackId completing it wakes the wait */
  readonly onRound?: (callbackId: string) => Promise<void>;
}

/**
 * A wait that only its deadline ends, without progress: for work that must be finished.
 * @param untilMs milliseconds since the epoch
 */
export const untilTime = (untilMs: number, now: () => number): WaitOptions => ({
  until: untilMs,
  now,
  cancelledBy: async () => null,
  endOfMachine: async () => null,
  onPending: async () => undefined,
});

async function pollOnce<T, K>(
  poll: (kept: K | null) => Promise<Poll<T, K>>,
  before: StillWaiting<K>,
  options: WaitOptions,
): Promise<Waiting<T, K>> {
  const { pendingReason: last, kept } = before;
  const since = before.since || (options.since ?? options.now());
  try {
    const by = await options.cancelledBy();
    if (by !== null) return { kind: "cancelled", by };
    const seen = await poll(kept ?? null);
    if ("done" in seen) return { kind: "done", value: seen.done };
    const end = await options.endOfMachine();
    if (end !== null) return { kind: "ended", why: end };
    await options.onPending(seen.pendingReason, seen.pendingReason !== last);
    return waitingOrLate(options, since, seen, null);
  } catch (error) {
    const why = wordsOf(error);
    const code = codeOfAnswer(error);
    if (!isBusy(error)) return { kind: "failed", why, code };
    // The pace of the poll before is no pace for a service that does not answer.
    return waitingOrLate(options, since, { ...before, againIn: null, code: before.code ?? code }, why);
  }
}

function waitingOrLate<K>(
  { until, now }: WaitOptions,
  since: number,
  { pendingReason, kept, againIn, code }: { readonly pendingReason: string } & Onwards<K>,
  answer: string | null,
): Waiting<never, K> {
  const at = now();
  const secondsLeft = Math.ceil((until - at) / 1_000);
  if (secondsLeft <= 0) return { kind: "late", pendingReason, answer, code };
  // The last poll comes at the deadline.
  const pause = Math.min(againIn ?? pauseSeconds(at - since), secondsLeft);
  return { kind: "waiting", pendingReason, since, pause, code, ...(kept === undefined ? {} : { kept }) };
}

/**
 * Polls until there is a value. A busy service is asked again until the deadline.
 * @param name unique within the execution
 * @param poll given what the poll before has kept; null at the first one
 * @throws DeadlineExceeded; StageFailed when the poll fails for good; MachineEnded; Cancelled
 */
export async function until<T, K = never>(
  ctx: DurableContext,
  name: string,
  options: WaitOptions,
  poll: (kept: K | null) => Promise<Poll<T, K>>,
): Promise<T> {
  const poller = async (state: Waiting<T, K>) => (state.kind === "waiting" ? pollOnce(poll, state, options) : state);
  const end = await ctx.waitForCondition<Waiting<T, K>>(name, poller, {
    initialState: { kind: "waiting", pendingReason: "", since: 0, pause: 0 },
    waitStrategy: (state) =>
      state.kind === "waiting" ? { shouldContinue: true, delay: { seconds: state.pause } } : { shouldContinue: false },
  });
  if (end.kind === "done") return end.value;
  if (end.kind === "cancelled") throw new Cancelled(end.by);
  if (end.kind === "ended") throw new MachineEnded(end.why);
  if (end.kind === "failed") throw new StageFailed(end.code ?? "unexpected", end.why);
  throw new DeadlineExceeded(end.pendingReason, end.kind === "late" ? end.answer : null, end.code);
}

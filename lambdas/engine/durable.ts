import { type DurableContext, DurableOperationError, StepSemantics } from "@aws/durable-execution-sdk-js";
import { codedName, Retryable } from "../errors.ts";
import { bareName, codeOf, type FailureCode, type FailureReason } from "../records/failures.ts";
import { codeOfAnswer, isBusy, wordsOf } from "../steps/client-errors.ts";
import { pauseSeconds } from "./pace.ts";
import { MOST_ATTEMPTS, nextPollAfter, whenBusyUpTo } from "./retries.ts";

/** Failure of a stage. The message is the machine's or service's own error; the error's name carries the code. */
export class StageFailed extends Error {
  override readonly name: string;
  /** Did SSM lose the result of a script, which the machine may have run? */
  mayHaveRun = false;

  constructor(code: FailureCode, detail: string, kind = "StageFailed") {
    super(detail);
    this.name = codedName(kind, code);
  }
}

/** The stage's deadline passed: another try would not help. */
export class DeadlineExceeded extends StageFailed {
  /** Reason why the last poll was pending, or the error with which a service answered it. */
  readonly pendingReason: string;

  /** @param answer error of the last poll, null if the poll itself worked */
  constructor(pendingReason: string, answer: string | null = null, code: FailureCode = "deadline-passed") {
    const gaveUp = pendingReason === "" ? "gave up" : `gave up waiting for ${pendingReason}`;
    super(code, answer === null ? gaveUp : `${gaveUp}; the last answer was: ${answer}`, "DeadlineExceeded");
    this.pendingReason = answer ?? pendingReason;
  }
}

/** The instance that the stage waits for is stopped or terminated, so the wait cannot succeed. */
export class MachineEnded extends StageFailed {
  constructor(detail: string) {
    super("machine-ended", detail, "MachineEnded");
  }
}

/** The operation was cancelled; the message is the user id of the person who cancelled it. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

/**
 * Runs a step that may run again: it is retried while a service is busy, three times if RBAC refuses, and after a crash in the middle
 * of it.
 * @param attempts most attempts
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

/** Rewrites an error in the words that people will read: outside of a step only its name and message survive. */
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

/** Kind of the error that a step threw: its name without a failure's code, such as "Refused". */
export const kindOf = (error: unknown): string => bareName(causeOf(error));

/** Turns the error that ended a stage into its message, and its code if it has one. */
export function failureReason(error: unknown): FailureReason {
  const cause = causeOf(error);
  const code = codeOf(cause);
  return { why: cause.message, ...(code === undefined ? {} : { code }) };
}

/** Values that a poll passes to the next one, besides its reason. */
interface PollOptions<K> {
  /** Passed to the next poll. The execution stores it with every poll, so keep it small. */
  readonly kept?: K;
  /** Seconds until the next poll, at least 1; by default the wait's own pace. */
  readonly againIn?: number | null;
  /** Code of the failure that the wait becomes at its deadline; "deadline-passed" by default. */
  readonly code?: FailureCode | undefined;
}

/** Result of one poll: the value, or the reason why there is none yet. */
export type Poll<T, K = never> = { readonly done: T } | ({ readonly pendingReason: string } & PollOptions<K>);

/** Ends a wait with its value. */
export const done = <T>(value: T): Poll<T> => ({ done: value });

/**
 * Continues a wait.
 * @param pendingReason what is missing, as it follows "waits for": "the agent to come online"
 */
export const pending = <K = never>(pendingReason: string, options: PollOptions<K> = {}): Poll<never, K> => ({
  pendingReason,
  ...options,
});

type StillWaiting<K> = PollOptions<K> & {
  readonly kind: "waiting";
  readonly pendingReason: string;
  readonly since: number;
  readonly pause: number;
  /** Refusals by RBAC in a row. */
  readonly refusals?: number;
};

/** State of a wait between its polls. The end of a wait is a value, because the condition's check must not throw. */
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

/** Milliseconds of a minute: the configuration has its deadlines in minutes. */
export const MINUTE = 60_000;

/** Deadline of a wait, what may end it early, and what it reports while it lasts. */
export interface WaitOptions {
  /** Milliseconds since the epoch. */
  readonly until: number;
  /**
   * Beginning of the wait, in milliseconds since the epoch, if it continues an earlier one; by default its first poll.
   */
  readonly since?: number;
  readonly now: () => number;
  /** Finds the person who cancelled; null if the operation was not cancelled. */
  readonly cancelledBy: () => Promise<string | null>;
  /** Describes how the awaited machine ended; null while it may still answer. */
  readonly endOfMachine: () => Promise<string | null>;
  /** Called after each poll that is pending. @param isNew the reason differs from the previous poll's */
  readonly onPending: (pendingReason: string, isNew: boolean) => Promise<void>;
  /** Called by each poll of a command that still runs. @param callbackId whoever completes it wakes the wait */
  readonly onRound?: (callbackId: string) => Promise<void>;
}

/**
 * Options of a wait that only its deadline ends and that reports no progress: for work that must be finished.
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
    const next = nextPollAfter(error, before.refusals);
    if (next === null) return { kind: "failed", why, code };
    return waitingOrLate(options, since, { ...before, ...next, code: before.code ?? code }, why);
  }
}

function waitingOrLate<K>(
  { until, now }: WaitOptions,
  since: number,
  next: PollOptions<K> & Pick<StillWaiting<K>, "pendingReason" | "refusals">,
  answer: string | null,
): Waiting<never, K> {
  const { pendingReason, kept, againIn, code, refusals = 0 } = next;
  const at = now();
  const secondsLeft = Math.ceil((until - at) / 1_000);
  if (secondsLeft <= 0) return { kind: "late", pendingReason, answer, code };
  // The last poll comes at the deadline.
  const pause = Math.min(againIn ?? pauseSeconds(at - since), secondsLeft);
  const others = { ...(kept === undefined ? {} : { kept }), ...(refusals === 0 ? {} : { refusals }) };
  return { kind: "waiting", pendingReason, since, pause, code, ...others };
}

/**
 * Polls until there is a value. While a service is busy, the polls continue until the deadline; three times also if RBAC refuses.
 * @param name unique within the execution
 * @param poll gets what the previous poll kept; null at the first one
 * @throws DeadlineExceeded; StageFailed when a poll throws an error that is not busy; MachineEnded; Cancelled
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

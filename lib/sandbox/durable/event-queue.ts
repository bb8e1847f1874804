import type { Simulation } from "../core/simulation.ts";
import type { Collection } from "../core/store.ts";
import type { Target } from "./functions.ts";
import type { FunctionError, Invocations, Outcome } from "./invocations.ts";
import { ASYNC_RETRY_SECONDS, EVENT_AGE_SECONDS, THROTTLE_FIRST_SECONDS, THROTTLE_LAST_SECONDS } from "./limits.ts";

/** Milliseconds, least and most, that an asynchronous event waits in the queue without faults (assumed). */
export const QUEUE_MS = [20, 200] as const;

/** An asynchronous invocation of an ordinary function, kept until it has succeeded or was given up. */
interface QueuedEvent {
  readonly id: string;
  readonly functionName: string;
  readonly qualifier: string | undefined;
  /** JSON text. */
  readonly payload: string;
  readonly queuedAt: number;
  readonly dueAt: number;
  /** Invocations that ended in an error. */
  readonly failures: number;
  /** Deliveries refused for lack of concurrency since the last invocation. */
  readonly throttled: number;
}

/** An event that was given up, as a dead-letter queue would hold it. */
export interface DeadLetter extends QueuedEvent {
  readonly error: FunctionError;
}

/** Lambda's queue of asynchronous events. */
export interface EventQueue {
  /** Delivers at least once: after `delayMs`, and again after errors. */
  send(target: { name: string; qualifier: string | undefined }, payload: string, delayMs: number): void;
  deadLetters(): DeadLetter[];
  /** Takes up what a killed process left. */
  resume(): void;
}

interface QueueParts {
  readonly simulation: Simulation;
  readonly runner: Invocations;
  /** Undefined when the function is gone. */
  readonly target: (event: QueuedEvent) => Target | undefined;
  /** Finds out whether the function's role may send to its dead-letter queue. If it may not, the event is lost. */
  readonly mayKeep: (functionName: string) => boolean;
}

/** Builds the queue on the simulator's store. */
export function eventQueue({ simulation, runner, target, mayKeep }: QueueParts): EventQueue {
  const { clock, random, store } = simulation;
  const queued: Collection<QueuedEvent> = store.collection("lambda-events");
  const dead: Collection<DeadLetter> = store.collection("lambda-dead-letters");

  const arm = (event: QueuedEvent): void => {
    queued.set(event.id, event);
    clock.after(Math.max(0, event.dueAt - clock.now()), () => deliver(event));
  };
  const deliver = (event: QueuedEvent): void => {
    const aim = target(event);
    if (!aim) bury(event, gone(event));
    else if (runner.hasRoom(aim.function)) run(event, aim);
    else postpone(event);
  };
  const run = (event: QueuedEvent, aim: Target): void => {
    const invocation = { target: aim, event: JSON.parse(event.payload) as unknown, requestId: event.id };
    void runner.run(invocation).then((outcome) => settle(event, outcome));
  };
  const settle = (event: QueuedEvent, { error }: Outcome): void => {
    const wait = ASYNC_RETRY_SECONDS[event.failures];
    if (error === undefined) queued.delete(event.id);
    else if (wait === undefined) bury(event, error);
    else arm({ ...event, failures: event.failures + 1, throttled: 0, dueAt: clock.now() + wait * 1_000 });
  };
  const postpone = (event: QueuedEvent): void => {
    const wait = Math.min(THROTTLE_FIRST_SECONDS * 2 ** event.throttled, THROTTLE_LAST_SECONDS);
    const dueAt = clock.now() + wait * 1_000;
    if (dueAt - event.queuedAt > EVENT_AGE_SECONDS * 1_000) bury(event, tooOld);
    else arm({ ...event, throttled: event.throttled + 1, dueAt });
  };
  const bury = (event: QueuedEvent, error: FunctionError): void =>
    store.together(() => {
      // Lambda counts what it could not keep as DeadLetterErrors and goes on (developer guide, "Dead-letter queues").
      if (mayKeep(event.functionName)) dead.set(event.id, { ...event, error });
      queued.delete(event.id);
    });
  return {
    send: ({ name, qualifier }, payload, delayMs) => {
      const now = clock.now();
      const fresh = { failures: 0, throttled: 0, queuedAt: now, dueAt: now + delayMs };
      arm({ id: random.uuid(), functionName: name, qualifier, payload, ...fresh });
    },
    deadLetters: () => dead.values(),
    resume: () => {
      for (const event of queued.values()) arm(event);
    },
  };
}

const gone = ({ functionName }: QueuedEvent): FunctionError => ({
  errorType: "ResourceNotFoundException",
  errorMessage: `Function not found: ${functionName}`,
});

const tooOld: FunctionError = {
  errorType: "EventAgeExceeded",
  errorMessage: "The event waited longer than the maximum event age.",
};

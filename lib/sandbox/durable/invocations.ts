import { sleep } from "../core/clock.ts";
import type { Simulation } from "../core/simulation.ts";
import {
  type Functions,
  invocationLimitMs,
  isDurable,
  type LambdaContext,
  type LambdaFunction,
  type Target,
} from "./functions.ts";
import { bytesOf, SYNC_PAYLOAD_BYTES } from "./limits.ts";

/** A runtime's report of a function that failed. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** Outcome of an invocation: a payload of JSON text, or an error. */
export type Outcome =
  | { readonly payload: string; readonly error?: undefined }
  | { readonly error: FunctionError; readonly payload?: undefined };

/** One invocation to be made. */
export interface Invocation {
  readonly target: Target;
  readonly event: unknown;
  readonly requestId: string;
  /** Does a request wait for the outcome? While the environment starts, that request waits for the clock. */
  readonly isAwaited?: true;
}

/** Runs handlers as Lambda does: in environments that start, are used again, and are cut off at the time limit. */
export interface Invocations {
  /** Whether the function's reserved concurrency leaves room for one more. */
  hasRoom(called: LambdaFunction): boolean;
  /** Never rejects. */
  run(invocation: Invocation): Promise<Outcome>;
}

/** Assumed from measured start times of this product's bundles (110 to 390 ms on a whole core). */
const COLD_START_MS = 300;
/** Assumed: how long an idle environment is kept. */
const WARM_MS = 10 * 60_000;
/** Milliseconds that the fault "lambda-slow-start" adds: more than Slack waits for an answer. */
const SLOW_START_MS = 5_000;

type SimulationParts = Pick<Simulation, "clock" | "faults" | "busy" | "delay">;

/** Builds the runner and declares what can happen to it. */
export function invocations(
  simulation: SimulationParts,
  hostTime: (ms: number) => number,
  functions: Functions,
): Invocations {
  const running = new Map<string, number>();
  const environments = idleEnvironments(simulation);
  const count = (name: string, by: number) => running.set(name, (running.get(name) ?? 0) + by);
  simulation.faults.declare({
    kind: "lambda-slow-start",
    sentence: "A function's next invocations begin five seconds late.",
    fields: { function: "name of the function" },
    values: { function: functions.names },
  });
  return {
    hasRoom: ({ name, settings }) => (running.get(name) ?? 0) < (settings.concurrency ?? Number.POSITIVE_INFINITY),
    run: async (invocation) => {
      const { name } = invocation.target.function;
      count(name, 1);
      const delay = startDelay(simulation, name, environments.take(name));
      if (delay > 0) await (invocation.isAwaited ? simulation.delay(delay) : sleep(simulation.clock, delay));
      const answer = withinLimit(simulation, hostTime, invocation);
      // Time waits for a handler that only computes; a durable one also waits for the time.
      const outcome = await (isDurable(invocation.target.function) ? answer : simulation.busy(answer));
      count(name, -1);
      environments.giveBack(name);
      return outcome;
    },
  };
}

function startDelay({ faults }: SimulationParts, name: string, warm: boolean): number {
  const slow = faults.applies("lambda-slow-start", { function: name }) ? SLOW_START_MS : 0;
  return slow + (warm ? 0 : COLD_START_MS);
}

/** Idle environments by function: the times until which they are kept. They are lost with the process. */
function idleEnvironments({ clock }: SimulationParts) {
  const idle = new Map<string, number[]>();
  return {
    take: (name: string): boolean => {
      const alive = (idle.get(name) ?? []).filter((until) => until > clock.now());
      const found = alive.pop() !== undefined;
      idle.set(name, alive);
      return found;
    },
    giveBack: (name: string): void => {
      idle.set(name, [...(idle.get(name) ?? []), clock.now() + WARM_MS]);
    },
  };
}

/**
 * Milliseconds of sandbox time that an invocation gets. A handler computes in the host's time: however fast the sandbox
 * runs, the limit leaves it as many milliseconds of the host as it would have in Lambda.
 */
function patienceMs({ clock }: SimulationParts, hostTime: (ms: number) => number, limit: number): number {
  const now = clock.now();
  const pace = limit / (hostTime(now + limit) - hostTime(now));
  return limit * Math.max(1, pace);
}

function withinLimit(
  simulation: SimulationParts,
  hostTime: (ms: number) => number,
  invocation: Invocation,
): Promise<Outcome> {
  const { clock } = simulation;
  const limit = invocationLimitMs(invocation.target.function);
  const patience = patienceMs(simulation, hostTime, limit);
  const deadline = clock.now() + patience;
  const remaining = () => Math.max(0, Math.floor(hostTime(deadline) - hostTime(clock.now())));
  return new Promise((resolve) => {
    const cancel = clock.after(patience, () => resolve(timedOut(invocation.requestId, limit)));
    void perform(invocation, remaining).then((outcome) => {
      cancel();
      resolve(outcome);
    });
  });
}

async function perform(invocation: Invocation, remaining: () => number): Promise<Outcome> {
  const { handler } = invocation.target.function;
  try {
    // Through JSON, as through Lambda's runtime API: a handler shares no object with its caller.
    const event = JSON.parse(JSON.stringify(invocation.event ?? {}));
    const answer = await handler(event as never, context(invocation, remaining) as never);
    return sized(JSON.stringify(answer) ?? "null");
  } catch (error) {
    return { error: functionError(error) };
  }
}

const sized = (payload: string): Outcome =>
  bytesOf(payload) <= SYNC_PAYLOAD_BYTES
    ? { payload }
    : {
        error: {
          errorType: "Function.ResponseSizeTooLarge",
          errorMessage: `Response payload size exceeded maximum allowed payload size (${SYNC_PAYLOAD_BYTES} bytes).`,
        },
      };

function functionError(error: unknown): FunctionError {
  if (!(error instanceof Error)) return { errorType: "Error", errorMessage: String(error) };
  return { errorType: error.name, errorMessage: error.message, trace: error.stack?.split("\n") ?? [] };
}

const timedOut = (requestId: string, limitMs: number): Outcome => ({
  error: {
    errorType: "Sandbox.Timedout",
    errorMessage: `RequestId: ${requestId} Error: Task timed out after ${(limitMs / 1_000).toFixed(2)} seconds`,
  },
});

function context({ target, requestId }: Invocation, remaining: () => number): LambdaContext {
  return {
    functionName: target.function.name,
    functionVersion: target.version,
    invokedFunctionArn: target.arn,
    awsRequestId: requestId,
    memoryLimitInMB: "1024",
    logGroupName: `/aws/lambda/${target.function.name}`,
    logStreamName: `[${target.version}]${requestId.slice(0, 8)}`,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: remaining,
  };
}

import { AwsError, type AwsService } from "../core/aws-service.ts";
import type { Simulation } from "../core/simulation.ts";
import { json, type WireResponse } from "../core/wire.ts";
import type { Account } from "./arn.ts";
import { durableEngine } from "./engine.ts";
import { type DeadLetter, type EventQueue, eventQueue, QUEUE_MS } from "./event-queue.ts";
import { type FunctionSettings, type Functions, functionRegistry, type Handler } from "./functions.ts";
import { type Invocations, invocations } from "./invocations.ts";
import { declareEventFaults } from "./invoke.ts";
import { answers } from "./lambda-api.ts";
import type { Execution } from "./model.ts";
import { routeOf } from "./routes.ts";

/** Account and region of the service, and the assumptions it makes. */
export interface LambdaOptions extends Account {
  /**
   * The host's milliseconds for sandbox milliseconds: the durable SDK compares times with the host's clock and waits
   * on the host's timers, so what it is shown must be in the host's time.
   */
  readonly hostTime: (sandboxMs: number) => number;
  /** Probability that an unnamed asynchronous event is delivered twice, 0 to 1; default 0.005 (assumed). */
  readonly duplicates?: number;
  /** Finds out whether a function's role may send to its dead-letter queue (default: every role may). */
  readonly mayKeep?: (functionName: string) => boolean;
}

/** Lambda as the simulator sees it. */
export interface LambdaService extends AwsService {
  /** Adds a function. All functions are mounted before `resume`. */
  mount(name: string, settings: FunctionSettings, handler: Handler): void;
  /** Takes up what a killed process left: timers, queued events, invocations that were running. Call it once. */
  resume(): void;
  executions(): Execution[];
  deadLetters(): DeadLetter[];
  /** An asynchronous invocation by the simulator itself (EventBridge has its own right to invoke). */
  send(functionName: string, event: unknown): void;
  /**
   * A synchronous invocation of an ordinary function by the simulator itself (a function URL).
   * @throws Error with the function's error
   */
  call(functionName: string, event: unknown): Promise<unknown>;
}

/** Probability that Lambda delivers an asynchronous event twice without need (assumed; its guide says only that it may). */
const DUPLICATES = 0.005;

/**
 * Builds the Lambda service of the simulator: REST-JSON exactly as @aws-sdk/client-lambda speaks it, with an embedded
 * durable engine that keeps its whole state in the store.
 */
export function lambdaService(simulation: Simulation, options: LambdaOptions): LambdaService {
  const functions = functionRegistry(options);
  const runner = invocations(simulation, options.hostTime, functions);
  const engine = durableEngine({ simulation, account: options, functions, runner, hostTime: options.hostTime });
  const queue = eventQueue({
    simulation,
    runner,
    target: ({ functionName: name, qualifier }) =>
      functions.get(name) ? functions.target({ name, qualifier }) : undefined,
    mayKeep: options.mayKeep ?? (() => true),
  });
  const { hostTime, duplicates = DUPLICATES } = options;
  const parts = { simulation, functions, runner, engine, queue, duplicates, account: options, hostTime };
  declareEventFaults(simulation, functions);
  return {
    name: "lambda",
    action: (request) => routeOf(request).action,
    answer: async (action, request, caller) => {
      const answer = answers[action];
      if (!answer) throw new AwsError("UnknownOperationException", action, 404);
      return answer(parts, routeOf(request), request, caller);
    },
    refuse,
    mount: (name, settings, handler) => functions.mount({ name, settings, handler }),
    resume: () => {
      engine.resume();
      queue.resume();
    },
    executions: () => engine.executions.all(),
    deadLetters: () => queue.deadLetters(),
    ...fromInside(simulation, functions, runner, queue),
  };
}

function fromInside(
  simulation: Simulation,
  functions: Functions,
  runner: Invocations,
  queue: EventQueue,
): Pick<LambdaService, "send" | "call"> {
  const reference = (name: string) => ({ name, qualifier: "live" });
  return {
    send: (name, event) => queue.send(reference(name), JSON.stringify(event), simulation.random.between(...QUEUE_MS)),
    call: async (name, event) => {
      const target = functions.target(reference(name));
      if (!runner.hasRoom(target.function)) throw new AwsError("TooManyRequestsException", "Rate Exceeded.", 429);
      const { payload, error } = await runner.run({ target, event, requestId: simulation.random.uuid() });
      if (error) throw Object.assign(new Error(error.errorMessage), { name: error.errorType });
      return JSON.parse(payload) as unknown;
    },
  };
}

/** Errors whose text the model calls "Message"; the others say "message". */
const CAPITAL = new Set([
  "ResourceNotFoundException",
  "DurableExecutionAlreadyStartedException",
  "CallbackTimeoutException",
  "ServiceException",
  "AccessDeniedException",
]);

const refuse = (error: AwsError): WireResponse =>
  json(
    { Type: error.status < 500 ? "User" : "Service", [CAPITAL.has(error.code) ? "Message" : "message"]: error.message },
    error.status,
    "application/json",
    { "x-amzn-errortype": error.code },
  );

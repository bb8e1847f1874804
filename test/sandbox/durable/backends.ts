import {
  type DurableExecutionClient,
  type DurableExecutionHandler,
  type ErrorObject,
  withDurableExecution,
} from "@aws/durable-execution-sdk-js";
import { LocalDurableTestRunner, WaitingOperationStatus } from "@aws/durable-execution-sdk-js-testing";
import {
  type Event,
  GetDurableExecutionCommand,
  GetDurableExecutionHistoryCommand,
  InvokeCommand,
  type LambdaClient,
  SendDurableExecutionCallbackFailureCommand,
  SendDurableExecutionCallbackHeartbeatCommand,
  SendDurableExecutionCallbackSuccessCommand,
} from "@aws-sdk/client-lambda";
import { vi } from "vitest";
import { durableClient } from "../../../lambdas/clients/durable.ts";
import { directClient, fakeTime, pass, type Raised, raise } from "./harness.ts";

export type Workflow = DurableExecutionHandler<never, unknown>;

/** The outside's hold on one callback of a running workflow. */
export interface CallbackHold {
  /** Resolves when the workflow has handed out the callback's id. */
  begun(): Promise<void>;
  succeed(result?: string): Promise<void>;
  fail(error: ErrorObject): Promise<void>;
  heartbeat(): Promise<void>;
}

/** End of a workflow, told alike by both backends. */
export interface Ended {
  readonly status: string | undefined;
  readonly result: unknown;
  readonly error: { readonly type: string | undefined; readonly message: string | undefined };
  /** History without invocations: "StepSucceeded a". */
  readonly events: string[];
  readonly history: readonly Event[];
}

export interface RunOptions {
  readonly payload?: unknown;
  readonly durable?: Readonly<Record<string, Workflow>>;
  readonly plain?: Readonly<Record<string, (event: unknown) => Promise<unknown>>>;
  /** Acts of the outside while the workflow runs. */
  readonly meanwhile?: (outside: Outside) => Promise<void>;
  /** Name of the execution; the sandbox's engine alone takes one. */
  readonly called?: string | undefined;
  /** Is the test about the workflow alone, so that its requests need no wire? The sandbox's engine alone heeds it. */
  readonly direct?: boolean;
}

/** Means of the outside; its seconds are the backend's: skipped by the one, faked by the other. */
export interface Outside {
  /** "bare" is a callback of createCallback, otherwise it is one of waitForCallback. */
  callback(name: string, bare?: "bare"): CallbackHold;
  sleep(seconds: number): Promise<void>;
}

/** Something that runs workflows. */
export interface Backend {
  readonly name: string;
  setUp(): Promise<void>;
  tearDown(): Promise<void>;
  run(workflow: Workflow, options?: RunOptions): Promise<Ended>;
}

const told = (events: readonly Event[]): string[] =>
  events
    .filter(({ EventType }) => EventType !== "InvocationCompleted")
    .map(({ EventType, Name }) => (EventType?.startsWith("Execution") ? EventType : `${EventType} ${Name ?? "-"}`));

/** AWS's own testing package, its time skipped. */
export const testingPackage: Backend = {
  name: "AWS's testing package",
  setUp: () => LocalDurableTestRunner.setupTestEnvironment({ skipTime: true }),
  tearDown: () => LocalDurableTestRunner.teardownTestEnvironment(),
  run: async (workflow, { payload = {}, durable = {}, plain = {}, meanwhile } = {}) => {
    const runner = new LocalDurableTestRunner({ handlerFunction: withDurableExecution(workflow) });
    for (const [name, other] of Object.entries(durable))
      runner.registerDurableFunction(name, withDurableExecution(other));
    for (const [name, other] of Object.entries(plain)) runner.registerFunction(name, other);
    const running = runner.run({ payload });
    await meanwhile?.({ sleep: realSleep, callback: (name, bare) => packageHold(runner, name, bare) });
    const ended = await running;
    const failed = ended.getStatus() !== "SUCCEEDED";
    return {
      status: ended.getStatus(),
      result: failed ? undefined : ended.getResult(),
      error: {
        type: failed ? ended.getError().errorType : undefined,
        message: failed ? ended.getError().errorMessage : undefined,
      },
      events: told(ended.getHistoryEvents()),
      history: ended.getHistoryEvents(),
    };
  },
};

// The package's worker thread keeps real time: what the outside waits for must be real, too.
const realTimeout = setTimeout;
const realSleep = (seconds: number): Promise<void> =>
  new Promise((resolve) => void realTimeout(resolve, seconds * 1_000));

function packageHold(runner: LocalDurableTestRunner, name: string, bare?: "bare"): CallbackHold {
  const operation = runner.getOperation(name);
  const begun = bare ? WaitingOperationStatus.STARTED : WaitingOperationStatus.SUBMITTED;
  return {
    begun: async () => void (await operation.waitForData(begun)),
    succeed: async (result) => void (await operation.sendCallbackSuccess(result)),
    fail: async (error) => void (await operation.sendCallbackFailure(error)),
    heartbeat: async () => void (await operation.sendCallbackHeartbeat()),
  };
}

/** The sandbox's engine, behind its wire, on faked time. */
export const sandboxEngine: Backend = {
  name: "the sandbox's engine",
  setUp: async () => fakeTime(),
  tearDown: async () => void vi.useRealTimers(),
  run: (workflow, { durable = {}, plain = {}, direct = false, ...options } = {}) => {
    const real = raise();
    const raised = direct ? { ...real, lambda: directClient(real) } : real;
    const client = durableClient(raised.lambda);
    mountDurable(raised, "workflow", workflow, client);
    for (const [name, other] of Object.entries(durable)) mountDurable(raised, name.replace(":live", ""), other, client);
    for (const [name, other] of Object.entries(plain)) raised.service.mount(name, {}, other);
    return pass(start(raised, options));
  },
};

/** Mounts a workflow as a durable function that may take a year. */
export const mountDurable = (
  { service }: Raised,
  name: string,
  workflow: Workflow,
  client: DurableExecutionClient,
): void =>
  service.mount(
    name,
    { executionTimeoutSeconds: 31_000_000 },
    withDurableExecution(workflow, { durableExecutionClient: client }),
  );

async function start(raised: Raised, { payload = {}, meanwhile, called }: RunOptions): Promise<Ended> {
  const { lambda } = raised;
  const arn = await invokeLater(lambda, "workflow:live", payload, called);
  const over = ending(raised, arn);
  await meanwhile?.({ sleep: (seconds) => sleep(seconds * 1_000), callback: (name) => hold(lambda, arn, name) });
  await over;
  const {
    Status,
    Result,
    Error: error,
  } = await lambda.send(new GetDurableExecutionCommand({ DurableExecutionArn: arn }));
  const events = await history(lambda, arn);
  return {
    status: Status,
    result: Result === undefined ? undefined : JSON.parse(Result),
    error: { type: error?.ErrorType, message: error?.ErrorMessage },
    events: told(events),
    history: events,
  };
}

/** Starts an execution asynchronously. */
export async function invokeLater(
  lambda: LambdaClient,
  name: string,
  payload: unknown,
  called?: string,
): Promise<string> {
  const { DurableExecutionArn } = await lambda.send(
    new InvokeCommand({
      FunctionName: name,
      InvocationType: "Event",
      Payload: JSON.stringify(payload),
      DurableExecutionName: called,
    }),
  );
  if (!DurableExecutionArn) throw new Error("no execution was started");
  return DurableExecutionArn;
}

/** Resolves with the status in which the execution ends. */
export const ending = ({ simulation, service }: Raised, arn: string): Promise<string> =>
  new Promise((resolve) => {
    const known = service.executions().find((execution) => execution.arn === arn);
    if (known && known.status !== "RUNNING") resolve(known.status);
    simulation.bus.listen((fact) => {
      if (fact.kind === "execution" && fact.arn === arn && fact.status !== "RUNNING") resolve(fact.status);
    });
  });

/** An execution's whole history, page by page. */
export async function history(lambda: LambdaClient, arn: string): Promise<Event[]> {
  const events: Event[] = [];
  let marker: string | undefined;
  do {
    const command = { DurableExecutionArn: arn, IncludeExecutionData: true, MaxItems: 1_000, Marker: marker };
    const page = await lambda.send(new GetDurableExecutionHistoryCommand(command));
    events.push(...(page.Events ?? []));
    marker = page.NextMarker;
  } while (marker);
  return events;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** Finds a callback by its own name or by that of the waitForCallback around it. */
export async function callbackId(lambda: LambdaClient, arn: string, name: string): Promise<string> {
  for (let look = 0; look < 1_000; look += 1) {
    const events = await history(lambda, arn);
    const around = events.find(({ EventType, Name }) => EventType === "ContextStarted" && Name === name)?.Id;
    const begun = events.find(
      ({ EventType, Name, ParentId }) =>
        EventType === "CallbackStarted" && (Name === name || (around !== undefined && ParentId === around)),
    );
    if (begun?.CallbackStartedDetails?.CallbackId) return begun.CallbackStartedDetails.CallbackId;
    await sleep(100);
  }
  throw new Error(`no callback ${name}`);
}

function hold(lambda: LambdaClient, arn: string, name: string): CallbackHold {
  const id = () => callbackId(lambda, arn, name);
  return {
    begun: async () => void (await id()),
    succeed: async (result) =>
      void (await lambda.send(
        new SendDurableExecutionCallbackSuccessCommand({
          CallbackId: await id(),
          Result: result === undefined ? undefined : Buffer.from(result),
        }),
      )),
    fail: async (error) =>
      void (await lambda.send(
        new SendDurableExecutionCallbackFailureCommand({ CallbackId: await id(), Error: { ...error } }),
      )),
    heartbeat: async () =>
      void (await lambda.send(new SendDurableExecutionCallbackHeartbeatCommand({ CallbackId: await id() }))),
  };
}

/** A function of a workflow that always fails. */
export const throwing = (message: string) => async (): Promise<never> => {
  throw new RangeError(message);
};

/** Kind, message and cause of a caught error, as JSON carries them. */
export const seen = (error: unknown) =>
  error instanceof Error
    ? {
        kind: error.constructor.name,
        message: error.message,
        cause: error.cause instanceof Error ? error.cause.name : null,
      }
    : { kind: "none", message: String(error), cause: null };

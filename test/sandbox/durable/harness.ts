import { LambdaClient } from "@aws-sdk/client-lambda";
import { vi } from "vitest";
import { hostClock } from "../../../bin/host-clock.ts";
import { AwsError, type Caller } from "../../../lib/sandbox/core/aws-service.ts";
import type { Fact } from "../../../lib/sandbox/core/bus.ts";
import type { Clock } from "../../../lib/sandbox/core/clock.ts";
import { createSimulation, type Simulation } from "../../../lib/sandbox/core/simulation.ts";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import type { WireRequest } from "../../../lib/sandbox/core/wire.ts";
import { type LambdaOptions, type LambdaService, lambdaService } from "../../../lib/sandbox/durable/lambda-service.ts";

export const account = { accountId: "111122223333", region: "us-west-2" };

/** A service on its own simulator, and a real client that reaches it in process. */
export interface Raised {
  readonly simulation: Simulation;
  readonly service: LambdaService;
  readonly lambda: LambdaClient;
  readonly facts: Fact[];
}

export interface RaiseOptions extends Partial<LambdaOptions> {
  readonly path?: string;
  readonly clock?: Clock;
  readonly seed?: number;
  readonly caller?: Caller;
  /** Stands in the client's way, before and after each request; what it throws is a broken connection. */
  readonly gate?: Gate;
}

export type Gate = (when: "before" | "after", request: WireRequest) => void;

/** May do everything. */
export const anybody: Caller = { principal: "anybody", require: () => undefined };

/** May do nothing. */
export const nobody: Caller = {
  principal: "nobody",
  require: (action) => {
    throw new AwsError("AccessDeniedException", `User: nobody is not authorized to perform: ${action}`, 403);
  },
};

/** Raises the service; everything it remembers lies at `path`. */
export function raise(options: RaiseOptions = {}): Raised {
  const { path = ":memory:", clock = hostClock, seed = 1, caller = anybody, gate } = options;
  const facts: Fact[] = [];
  const simulation = createSimulation({ clock, store: openStore(path), seed });
  simulation.bus.listen((fact) => void facts.push(fact));
  const service = lambdaService(simulation, { ...account, hostTime: (ms) => ms, duplicates: 0, ...options });
  return { simulation, service, lambda: clientOf(service, caller, gate), facts };
}

/** Requests that are under way, and all that ever were: one that begins and ends between two looks counts, too. */
const requests = { open: 0, made: 0 };

/** Counts a request while it is under way. @param weight 0 for one that the clock must not wait for */
async function underWay<T>(request: () => Promise<T>, weight = 1): Promise<T> {
  requests.open += weight;
  requests.made += 1;
  try {
    return await request();
  } finally {
    requests.open -= weight;
  }
}

/** The AWS SDK's own client, its requests answered by the service without a network. */
export function clientOf(service: LambdaService, caller: Caller, gate: Gate = () => undefined): LambdaClient {
  // A synchronous Invoke takes as long as the function: the clock must not wait for it.
  const weightOf = ({ path }: SmithyRequest): number => (path.endsWith("/invocations") ? 0 : 1);
  const answer = async (request: SmithyRequest) => {
    const wire = wireRequest(request);
    gate("before", wire);
    const response = await answered(service, caller, wire);
    gate("after", wire);
    return { response };
  };
  const handle = (request: SmithyRequest) => underWay(() => answer(request), weightOf(request));
  const credentials = { accessKeyId: "AKIATEST", secretAccessKey: "test" };
  return new LambdaClient({ region: account.region, credentials, maxAttempts: 1, requestHandler: { handle } as never });
}

type Input = Readonly<Record<string, unknown>>;

const pathOf = ({ DurableExecutionArn: arn }: Input): string =>
  `/2025-12-01/durable-executions/${encodeURIComponent(String(arn))}`;

function queryOf({ DurableExecutionArn: _, ...rest }: Input): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) if (value !== undefined) query.set(name, String(value));
  return query.toString();
}

/** The requests that a workflow's test makes most, by the SDK's command. */
const DIRECT: Readonly<Record<string, (input: Input) => Pick<WireRequest, "method" | "url"> & { body?: Input }>> = {
  CheckpointDurableExecutionCommand: (input) => ({ method: "POST", url: `${pathOf(input)}/checkpoint`, body: input }),
  GetDurableExecutionStateCommand: (input) => ({ method: "GET", url: `${pathOf(input)}/state?${queryOf(input)}` }),
  GetDurableExecutionHistoryCommand: (input) => ({ method: "GET", url: `${pathOf(input)}/history?${queryOf(input)}` }),
};

const withDates = (key: string, value: unknown): unknown =>
  typeof value === "number" && key.endsWith("Timestamp") ? new Date(value * 1_000) : value;

/**
 * The client for tests of workflows, which are not about the wire: checkpoints, states and histories reach the service without
 * HTTP and signatures, which would take most of such a test. Everything else, and every refusal, goes through the SDK's client.
 */
export function directClient({ service, lambda }: Pick<Raised, "service" | "lambda">): LambdaClient {
  const send = async (command: { readonly input: Input }) => {
    const request = DIRECT[command.constructor.name]?.(command.input);
    if (!request) return lambda.send(command as never);
    const { body = {}, ...line } = request;
    const wire = { ...line, headers: {}, body: Buffer.from(JSON.stringify(body)) };
    try {
      const answer = await underWay(() => service.answer(service.action(wire), wire, anybody));
      return JSON.parse(answer.body as string, withDates);
    } catch (error) {
      if (error instanceof AwsError) return lambda.send(command as never);
      throw error;
    }
  };
  return { send } as unknown as LambdaClient;
}

interface SmithyRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Record<string, string | string[] | null>;
  readonly headers: Record<string, string>;
  readonly body?: string | Uint8Array;
}

function wireRequest({ method, path, query, headers, body }: SmithyRequest): WireRequest {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? ""]).map(
      (one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`,
    ),
  );
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    method,
    url: pairs.length > 0 ? `${path}?${pairs.join("&")}` : path,
    headers: Object.fromEntries(lower),
    body: typeof body === "string" ? Buffer.from(body) : new Uint8Array(body ?? []),
  };
}

async function answered(service: LambdaService, caller: Caller, request: WireRequest) {
  try {
    const answer = await service.answer(service.action(request), request, caller);
    return { statusCode: answer.status, headers: answer.headers, body: Buffer.from(answer.body as string) };
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    const refusal = service.refuse(error);
    return { statusCode: refusal.status, headers: refusal.headers, body: Buffer.from(refusal.body as string) };
  }
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Lets everything happen that needs no time: promises, immediates, requests that are under way. */
async function quiet(): Promise<void> {
  for (let idle = 0; idle < 4; idle += 1) {
    const { made } = requests;
    await turn();
    if (requests.open > 0 || requests.made !== made) idle = -1;
  }
}

/** Fakes the host's time as journeys do; promises, immediates and ticks stay real. */
export const fakeTime = (): void => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
};

/** Moves faked time from timer to timer, only while nothing is under way, until the work is done. */
export async function pass<T>(work: Promise<T>): Promise<T> {
  let done = false;
  const finished = () => {
    done = true;
  };
  work.then(finished, finished);
  for (let step = 0; step < 50_000 && !done; step += 1) {
    await quiet();
    if (!done) vi.advanceTimersToNextTimer();
  }
  if (!done) throw new Error("the work never ended");
  return work;
}

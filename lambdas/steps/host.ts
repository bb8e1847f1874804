import { type DurableContext, type DurableLambdaHandler, withDurableExecution } from "@aws/durable-execution-sdk-js";
import { clients } from "../clients/clients.ts";
import { durableClient } from "../clients/durable.ts";
import type { Transport } from "../clients/transport.ts";
import type { LogFields } from "../log.ts";
import { withLog } from "../logging.ts";
import { type Settings, settings } from "../settings.ts";
import { type Steps, steps } from "./steps.ts";

/** A workflow that still needs its steps. */
export type Workflow<Payload> = (steps: Steps) => (payload: Payload, ctx: DurableContext) => Promise<unknown>;

/** Runtime of a workflow: its settings, its clock, and the transport of its requests. */
export interface WorkflowRuntime {
  readonly settings: Settings;
  readonly now: () => number;
  readonly transport?: Transport;
  /** Writes a line into the function's log; by default to standard output. */
  readonly log?: (line: string) => void;
  /** Waits for some milliseconds of the clock behind `now`; by default the host's. */
  readonly pause?: (ms: number) => Promise<void>;
}

/** A workflow's handlers: `createHandler` builds one for a given runtime, and Lambda runs `handler`. */
export interface LambdaEntry {
  readonly createHandler: (runtime: WorkflowRuntime) => DurableLambdaHandler;
  readonly handler: DurableLambdaHandler;
}

/** Fields of every line that an execution logs: its ARN, and the operation and node in its payload. */
function aboutExecution(payload: unknown, { executionContext }: DurableContext): LogFields {
  const { operation, index, request } = Object(payload);
  return { execution: executionContext.durableExecutionArn, operation, index, command: Object(request).command };
}

/**
 * Builds the exports of a durable function's entry file.
 * @returns `createHandler` for a given runtime, and `handler`, which reads the environment at its first invocation
 */
export function lambdaEntry<Payload>(workflow: Workflow<Payload>): LambdaEntry {
  const createHandler = (runtime: WorkflowRuntime): DurableLambdaHandler => {
    const made = clients(runtime.settings, runtime.transport);
    const { settings: ofFunction, now, log, pause } = runtime;
    const verbs = steps({ clients: made, settings: ofFunction, now, log, pause });
    const work = workflow(verbs);
    const logged = (payload: Payload, ctx: DurableContext) =>
      withLog(runtime, aboutExecution(payload, ctx), () => work(payload, ctx));
    return withDurableExecution(logged, { durableExecutionClient: durableClient(made.lambda) });
  };
  let kept: DurableLambdaHandler | undefined;
  return {
    createHandler,
    handler: (event, context) => {
      kept ??= createHandler({ settings: settings(), now: Date.now });
      return kept(event, context);
    },
  };
}

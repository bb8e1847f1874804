import { type DurableContext, type DurableLambdaHandler, withDurableExecution } from "@aws/durable-execution-sdk-js";
import { clients } from "../clients/clients.ts";
import { durableClient } from "../clients/durable.ts";
import type { Transport } from "../clients/transport.ts";
import { type Settings, settings } from "../settings.ts";
import { type Steps, steps } from "./steps.ts";

/** A workflow before it knows its world. */
export type Workflow<Payload> = (steps: Steps) => (payload: Payload, ctx: DurableContext) => Promise<unknown>;

/** Surroundings of a workflow: its settings, its clock, and the way its requests leave. */
export interface Host {
  readonly settings: Settings;
  readonly now: () => number;
  readonly transport?: Transport;
  /** Writes a line of the function's log; by default to standard output. */
  readonly log?: (line: string) => void;
}

/** Joins a workflow and its world into a Lambda handler. */
export function hosted<Payload>(workflow: Workflow<Payload>, host: Host): DurableLambdaHandler {
  const made = clients(host.settings, host.transport);
  const verbs = steps({ clients: made, settings: host.settings, now: host.now, log: host.log });
  return withDurableExecution(workflow(verbs), { durableExecutionClient: durableClient(made.lambda) });
}

/** The handler as Lambda runs it: its world is built from the environment at the first invocation and kept. */
export function deployed<Payload>(workflow: Workflow<Payload>): DurableLambdaHandler {
  let handler: DurableLambdaHandler | undefined;
  return (event, context) => {
    handler ??= hosted(workflow, { settings: settings(), now: Date.now });
    return handler(event, context);
  };
}

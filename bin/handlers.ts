import { frontDoorClients } from "../lambdas/clients/front-door-clients.ts";
import type { Transport } from "../lambdas/clients/transport.ts";
import { directoryTick } from "../lambdas/cloud-events/directory-tick.ts";
import type { FrontDoorConfiguration } from "../lambdas/front-door/configuration.ts";
import { type Settings, settings } from "../lambdas/settings.ts";
import { ledger } from "../lambdas/steps/ledger/ledger.ts";
import { documentHashes, scriptDocuments } from "../lib/constructs/script-document.ts";
import { aliasesFor } from "../lib/function-aliases.ts";
import {
  type FunctionName,
  type FunctionShape,
  functionNames,
  functionOf,
  functions,
  type PrincipalName,
} from "../lib/functions.ts";
import { activity } from "../lib/sandbox/core/activity.ts";
import type { Caller } from "../lib/sandbox/core/aws-service.ts";
import type { WireRequest } from "../lib/sandbox/core/wire.ts";
import { demo } from "../lib/sandbox/demo.ts";
import { inProcess } from "../lib/sandbox/in-process.ts";
import { OWNER } from "../lib/sandbox/principals.ts";
import { lambdaName, type Simulator, TOPIC } from "../lib/sandbox/simulator.ts";

/** Addresses at which handlers reach the simulator, and the clocks that they use. */
export interface Addresses {
  readonly aws: string;
  readonly slack: string;
  /** Public URL of the front door; without it, the front door is not checked. */
  readonly frontDoor?: string;
  readonly now: () => number;
  /** Waits for milliseconds of that clock; default: the host's. */
  readonly pause?: (ms: number) => Promise<void>;
  readonly slackNow: () => number;
  /** Configuration that a deployment would bundle with the front door's code. */
  readonly configuration: FrontDoorConfiguration;
  /** Transport that replaces the network. */
  readonly transport?: Transport;
  /** Wraps every invocation of a handler. */
  readonly during?: <T>(work: Promise<T>) => Promise<T>;
}

const DOCUMENTS = JSON.stringify(documentHashes(scriptDocuments(demo.cluster.name)));

/** Builds the environment that a deployment would give a function. */
export const environmentOf = (
  simulator: Simulator,
  name: string,
  { aws, slack, frontDoor }: Addresses,
): Record<string, string> => {
  const { accessKeyId, secretAccessKey } = simulator.keys.of(name);
  const account = functionOf(name)?.account;
  return {
    AWS_REGION: demo.region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_ENDPOINT_URL: aws,
    CASEMENT_CLUSTER: demo.cluster.name,
    CASEMENT_BUCKET: demo.bucket,
    ...(account ? { CASEMENT_ACCOUNT: account } : {}),
    CASEMENT_LEDGER_TABLE: demo.ledgerTable,
    CASEMENT_SLACK_SECRET: demo.slackSecret,
    CASEMENT_SLACK_URL: `${slack}/api/`,
    ...(frontDoor ? { CASEMENT_FRONT_DOOR_URL: frontDoor } : {}),
    CASEMENT_HUMAN_TOPIC: TOPIC,
    CASEMENT_FUNCTIONS: JSON.stringify(
      Object.fromEntries(
        Object.entries(aliasesFor(name as PrincipalName)).map(([each, alias]) => [
          each,
          `${lambdaName(each)}:${alias}`,
        ]),
      ),
    ),
    CASEMENT_DOCUMENTS: DOCUMENTS,
  };
};

type Handler = Parameters<Simulator["lambda"]["mount"]>[2];

/** Runtime of a mounted handler: the input of every function, and fields that only the front door reads. */
type Runtime = Addresses & { readonly settings: Settings; readonly log: (line: string) => void };

/** Exports of a function's entry file. */
interface Entry {
  readonly createHandler: (runtime: Runtime) => Handler;
}

const loaded = new Map<FunctionName, Entry>();

/** Loads the entry file of a function, as Lambda loads its bundle at the first invocation. */
async function entryOf(name: FunctionName): Promise<Entry> {
  const entry: Entry = loaded.get(name) ?? (await import(new URL(`../${functions[name].entry}`, import.meta.url).href));
  loaded.set(name, entry);
  return entry;
}

/** Loads the entry files of all functions, so that no invocation waits for its modules. */
export async function loadHandlers(): Promise<void> {
  for (const name of functionNames) await entryOf(name);
}

/** Wraps a handler that is built at its first invocation. */
function atFirstCall(name: FunctionName, runtime: Runtime): Handler {
  let handler: Handler | undefined;
  return async (event, context) => {
    handler ??= (loaded.get(name) ?? (await entryOf(name))).createHandler(runtime);
    return handler(event, context);
  };
}

/**
 * Mounts the same handlers that are deployed on the simulator; each uses its own principal. A handler whose modules are
 * not loaded yet loads them at its first invocation.
 */
export function mountHandlers(simulator: Simulator, addresses: Addresses): void {
  const watched =
    (handler: Handler): Handler =>
    (event, context) => {
      const work = handler(event, context);
      return addresses.during ? addresses.during(work) : work;
    };
  for (const name of functionNames) {
    const { timeoutSeconds, executionSeconds, aliases = [] }: FunctionShape = functions[name];
    const executions = executionSeconds ? { executionTimeoutSeconds: executionSeconds } : {};
    const limits = { timeoutSeconds, aliases, ...executions };
    const log = (line: string) => simulator.log(name, line);
    const runtime = { ...addresses, log, settings: settings(environmentOf(simulator, name, addresses)) };
    simulator.lambda.mount(lambdaName(name), limits, watched(atFirstCall(name, runtime)));
  }
}

/** Reads the directory as each release does: the front door needs the groups' members before the schedule's tick. */
export async function readDirectory(simulator: Simulator): Promise<void> {
  await simulator.lambda.call(lambdaName("cloud-events"), directoryTick(demo.cluster.name, "at start"));
}

const readOnly: Caller = { principal: OWNER, require: () => undefined };

/**
 * Opens the ledger for the page and for outside tests. Reading it is not recorded as a call, no fault applies to it,
 * and it uses none of the simulation's randomness.
 */
export const ledgerOf = (simulator: Simulator, addresses: Addresses): ReturnType<typeof ledger> => {
  const place = settings(environmentOf(simulator, OWNER, addresses));
  const { service } = simulator.dynamodb;
  const table = { answer: (request: WireRequest) => service.answer(service.action(request), request, readOnly) };
  const transport = inProcess({ ...simulator, aws: table }, activity());
  return ledger({ clients: frontDoorClients(place, transport), settings: place, now: addresses.now });
};

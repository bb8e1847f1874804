import { clients } from "../lambdas/clients/clients.ts";
import type { Transport } from "../lambdas/clients/transport.ts";
import { directoryTick } from "../lambdas/cloud-events/directory-tick.ts";
import { hostedCloudEvents } from "../lambdas/cloud-events/handler.ts";
import type { DoorConfiguration } from "../lambdas/front-door/configuration.ts";
import { hostedFrontDoor } from "../lambdas/front-door/hosted.ts";
import { settings } from "../lambdas/settings.ts";
import { hosted } from "../lambdas/steps/host.ts";
import { ledger } from "../lambdas/steps/ledger/ledger.ts";
import { addNodes } from "../lambdas/workflows/add-nodes.ts";
import { look } from "../lambdas/workflows/look.ts";
import { provisionNode } from "../lambdas/workflows/provision-node.ts";
import { removeNode } from "../lambdas/workflows/remove-node.ts";
import { sweep } from "../lambdas/workflows/sweep.ts";
import { documentHashes, scriptDocuments } from "../lib/constructs/script-document.ts";
import { type FunctionName, type FunctionShape, functions } from "../lib/functions.ts";
import { aliasesFor } from "../lib/permissions.ts";
import type { PrincipalName } from "../lib/place.ts";
import { activity } from "../lib/sandbox/core/activity.ts";
import type { Caller } from "../lib/sandbox/core/aws-service.ts";
import type { WireRequest } from "../lib/sandbox/core/wire.ts";
import { type Ground, lambdaName, TOPIC } from "../lib/sandbox/ground.ts";
import { inProcess } from "../lib/sandbox/in-process.ts";
import { VISITOR } from "../lib/sandbox/principals.ts";
import { town } from "../lib/sandbox/town.ts";

/** Addresses at which handlers find the ground, and the clocks that count for them. */
export interface Addresses {
  readonly aws: string;
  readonly slack: string;
  /** The front door as the internet reaches it; left out, nobody checks whether it answers. */
  readonly frontDoor?: string;
  readonly now: () => number;
  readonly slackNow: () => number;
  /** Configuration that a deployment would put beside the front door's code. */
  readonly configuration: DoorConfiguration;
  /** Another way to the ground than the network. */
  readonly transport?: Transport;
  /** Told of every invocation of a handler. */
  readonly during?: <T>(work: Promise<T>) => Promise<T>;
}

/** The environment that a deployment would give a function. */
export const environmentOf = (
  ground: Ground,
  name: string,
  { aws, slack, frontDoor }: Addresses,
): Record<string, string> => {
  const { accessKeyId, secretAccessKey } = ground.keys.of(name);
  const { account }: Partial<FunctionShape> = functions[name as FunctionName] ?? {};
  return {
    AWS_REGION: town.region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_ENDPOINT_URL: aws,
    CASEMENT_CLUSTER: town.cluster.name,
    CASEMENT_BUCKET: town.bucket,
    ...(account ? { CASEMENT_ACCOUNT: account } : {}),
    CASEMENT_LEDGER_TABLE: town.ledgerTable,
    CASEMENT_SLACK_SECRET: town.slackSecret,
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
    CASEMENT_DOCUMENTS: JSON.stringify(documentHashes(scriptDocuments(town.cluster.name))),
  };
};

type Handler = Parameters<Ground["lambda"]["mount"]>[2];

/** Mounts the very handlers that are deployed on the ground; each acts as its own principal. */
export function mountHandlers(ground: Ground, addresses: Addresses): void {
  const log = (name: string) => (line: string) => ground.log(name, line);
  const host = (name: string) => ({
    ...addresses,
    log: log(name),
    settings: settings(environmentOf(ground, name, addresses)),
  });
  const watched =
    (handler: Handler): Handler =>
    (event, context) => {
      const work = handler(event, context);
      return addresses.during ? addresses.during(work) : work;
    };
  const mount = (name: FunctionName, handler: Handler) => {
    const { timeoutSeconds, executionSeconds }: FunctionShape = functions[name];
    const limits = { timeoutSeconds, ...(executionSeconds ? { executionTimeoutSeconds: executionSeconds } : {}) };
    ground.lambda.mount(lambdaName(name), limits, watched(handler));
  };
  mount("front-door", hostedFrontDoor(host("front-door")));
  mount("cloud-events", hostedCloudEvents(host("cloud-events")));
  mount("add-nodes", hosted(addNodes, host("add-nodes")));
  mount("provision-node", hosted(provisionNode, host("provision-node")));
  mount("remove-node", hosted(removeNode, host("remove-node")));
  mount("sweep", hosted(sweep, host("sweep")));
  mount("look", hosted(look, host("look")));
}

/** As each release does: the front door must know who is in which group before the schedule's first tick. */
export async function readDirectory(ground: Ground): Promise<void> {
  await ground.lambda.call(lambdaName("cloud-events"), directoryTick("at start"));
}

const onlooker: Caller = { principal: VISITOR, require: () => undefined };

/**
 * The ledger for the page and for outside tests. Looking is no call: it is not recorded, no fault applies to it, and it
 * takes no randomness from those who act.
 */
export const ledgerOf = (ground: Ground, addresses: Addresses): ReturnType<typeof ledger> => {
  const place = settings(environmentOf(ground, VISITOR, addresses));
  const { service } = ground.dynamodb;
  const table = { answer: (request: WireRequest) => service.answer(service.action(request), request, onlooker) };
  const transport = inProcess({ ...ground, aws: table }, activity());
  return ledger({ clients: clients(place, transport), settings: place, now: addresses.now });
};

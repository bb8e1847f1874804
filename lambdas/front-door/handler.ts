import { readFileSync } from "node:fs";
import { frontDoorClients, type Patience } from "../clients/front-door-clients.ts";
import type { Transport } from "../clients/transport.ts";
import { withLog } from "../logging.ts";
import { type Settings, settings } from "../settings.ts";
import { CONFIGURATION_FILE, type FrontDoorConfiguration } from "./configuration.ts";
import { frontDoorSteps } from "./front-door.ts";
import { type HttpAnswer, receiver } from "./receive.ts";
import type { HttpEvent } from "./verify.ts";

/** Runtime of the front door: settings, configuration, clocks and transport. */
export interface FrontDoorRuntime {
  readonly settings: Settings;
  readonly configuration: FrontDoorConfiguration;
  readonly now: () => number;
  /** The clock that Slack's timestamps are compared with. */
  readonly slackNow: () => number;
  readonly transport?: Transport;
  /** Writes a line of the function's log; by default to standard output. */
  readonly log?: (line: string) => void;
}

type Handler = (event: HttpEvent, context: unknown) => Promise<HttpAnswer>;

/**
 * Slack waits three seconds for the answer, also while the front door calls Slack: no time is left for a third attempt.
 */
const PATIENCE: Patience = { attempts: 2, slack: 2_000 };

/**
 * Makes the handler for a runtime. Secret and roster, which every request needs, are requested first, before the rest
 * is built.
 */
export function createHandler({
  settings: own,
  configuration,
  now,
  slackNow,
  transport,
  log,
}: FrontDoorRuntime): Handler {
  const clients = frontDoorClients(own, transport, PATIENCE, now);
  const steps = frontDoorSteps({ clients, settings: own, now }, configuration.command);
  const { signingSecret } = clients;
  for (const read of [signingSecret(false), steps.roster.read()]) read.catch(() => undefined);
  const receive = receiver({ configuration, steps, slackNow, signingSecret });
  return (event, context) => withLog({ settings: own, now, log }, {}, () => receive(event, context));
}

/** Reads the configuration from the file next to the bundled code; the deployment has validated it. */
const configuration = (): FrontDoorConfiguration =>
  JSON.parse(readFileSync(new URL(CONFIGURATION_FILE, import.meta.url), "utf8"));

let kept: Handler | undefined;

/** The Lambda entry, behind a Function URL. */
export const handler: Handler = (event, context) => {
  kept ??= createHandler({
    settings: settings(),
    configuration: configuration(),
    now: Date.now,
    slackNow: Date.now,
  });
  return kept(event, context);
};

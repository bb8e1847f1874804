import { type View, WebAPIPlatformError } from "@slack/web-api";
import { doorClients, type Patience } from "../clients/door-clients.ts";
import type { Transport } from "../clients/transport.ts";
import { type Directory, emptyDirectory } from "../commands/membership.ts";
import type { Settings } from "../settings.ts";
import { executionName, executions } from "../steps/executions.ts";
import { ledger } from "../steps/ledger/ledger.ts";
import { directory } from "../steps/slack/roster.ts";
import type { DoorConfiguration } from "./configuration.ts";
import { frontDoor, type HttpAnswer } from "./receive.ts";
import type { HttpEvent } from "./verify.ts";
import type { FrontDoorWorld } from "./front-door.ts";

/** Surroundings of the front door: its settings, its clock, and the way its requests leave. */
export interface FrontDoorHost {
  readonly settings: Settings;
  readonly configuration: DoorConfiguration;
  readonly now: () => number;
  /** The clock that Slack's timestamps are held against. */
  readonly slackNow: () => number;
  readonly transport?: Transport;
}

/** The schedule reads the directory every five minutes: within the minute after, every door knows it. */
const KEEP_DIRECTORY_MS = 60_000;

/** Slack waits three seconds, for its own part too: a kind sentence in time is worth more than a third attempt. */
const PATIENCE: Patience = { attempts: 2, slack: 2_000 };

/** Joins the door and its world; what every request needs is read at once, while the rest is still being built. */
export function hostedFrontDoor(host: FrontDoorHost): (event: HttpEvent, context: unknown) => Promise<HttpAnswer> {
  const world = worldOf(host);
  for (const read of [world.signingSecret(false), world.directory()]) read.catch(() => undefined);
  return frontDoor(world);
}

function worldOf(host: FrontDoorHost): FrontDoorWorld {
  const { settings, configuration, now, slackNow } = host;
  const world = { clients: doorClients(settings, host.transport, PATIENCE, now), settings, now };
  const book = ledger(world);
  const runs = executions(world);
  const { slack, signingSecret } = world.clients;
  return {
    configuration,
    now,
    slackNow,
    signingSecret,
    directory: kept(directory(world).read, now),
    requested: book.requested,
    operation: book.operation,
    changeOperation: book.changeOperation,
    nodes: book.nodes,
    requestCancel: book.requestCancel,
    decideNode: book.decideNode,
    answerDialog: book.answerDialog,
    start: (workflow, name, payload) => runs.start(workflow, executionName(name), payload),
    openDialog: async (triggerId, dialog) => {
      const opened = (await slack()).views.open({ trigger_id: triggerId, view: dialog as unknown as View });
      return opened.then(() => "open" as const, expired);
    },
    completeCallback: runs.complete,
    whisper: async (channel, user, { text, blocks }) => {
      await (await slack()).chat.postEphemeral({ channel, user, text, blocks: [...blocks] as never[] });
    },
  };
}

/** Tells a trigger that is too old (docs: views.open, errors) from every other error, which it throws on. */
function expired(error: unknown): "expired" {
  if (error instanceof WebAPIPlatformError && error.data.error === "expired_trigger_id") return "expired";
  throw error;
}

/**
 * Reads the directory at most once a minute, once for all who ask meanwhile. What could not be read, or was never
 * written (the schedule's first run is yet to come), is asked for again.
 */
function kept(read: () => Promise<Directory | undefined>, now: () => number): () => Promise<Directory> {
  let last: { readonly at: number; readonly directory: Promise<Directory | undefined> } | undefined;
  return async () => {
    if (!last || now() - last.at >= KEEP_DIRECTORY_MS) last = { at: now(), directory: read() };
    const reading = last;
    const found = await reading.directory.catch((error: unknown) => {
      if (last === reading) last = undefined;
      throw error;
    });
    if (!found && last === reading) last = undefined;
    return found ?? emptyDirectory;
  };
}

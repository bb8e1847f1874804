import type { View } from "@slack/web-api";
import { clients } from "../clients/clients.ts";
import type { Transport } from "../clients/transport.ts";
import type { Configuration } from "../configuration.ts";
import { type Settings, settings } from "../settings.ts";
import { executionName, executions } from "../steps/executions.ts";
import { ledger } from "../steps/ledger.ts";
import { runtime } from "../steps/runtime.ts";
import { thread } from "../steps/thread.ts";
import { frontDoor, type HttpAnswer } from "./door.ts";
import { standingOf } from "./standing.ts";
import type { HttpEvent } from "./verify.ts";
import type { FrontDoorWorld } from "./world.ts";

/** Where the front door stands, whose time counts, and how its requests leave. */
export interface FrontDoorHost {
  readonly settings: Settings;
  readonly now: () => number;
  /** The clock that Slack's timestamps are held against. */
  readonly slackNow: () => number;
  readonly transport?: Transport;
}

/** A change of policy counts from the next minute on; clicks and executions read it afresh anyway. */
const KEEP_CONFIGURATION_MS = 60_000;

type Door = ReturnType<typeof frontDoor>;

/** Joins the door and its world; the configuration is read from the runtime document and kept for a minute. */
export function hostedFrontDoor(host: FrontDoorHost): (event: HttpEvent, context: unknown) => Promise<HttpAnswer> {
  const world = { clients: clients(host.settings, host.transport), settings: host.settings, now: host.now };
  const document = runtime(world);
  let kept: { version: string; readAt: number; door: Door } | undefined;
  const doorNow = async (): Promise<Door> => {
    if (kept && host.now() - kept.readAt < KEEP_CONFIGURATION_MS) return kept.door;
    const { version, configuration } = await document.read(null);
    const door = kept?.version === version ? kept.door : frontDoor(worldOf(host, world, configuration));
    kept = { version, readAt: host.now(), door };
    return door;
  };
  return async (event, context) => (await doorNow())(event, context);
}

function worldOf(
  host: FrontDoorHost,
  world: Parameters<typeof ledger>[0],
  configuration: Configuration,
): FrontDoorWorld {
  const book = ledger(world);
  const runs = executions(world);
  const slack = () => world.clients.slack();
  const groups = [...new Set(Object.values(configuration.people).flat())].filter((id) => id.startsWith("S"));
  return {
    configuration,
    now: host.now,
    slackNow: host.slackNow,
    signingSecret: world.clients.signingSecret,
    groupsOf: async (userId) => {
      const members = await Promise.all(
        groups.map(async (usergroup) => (await (await slack()).usergroups.users.list({ usergroup })).users ?? []),
      );
      return groups.filter((_, at) => members[at]?.includes(userId));
    },
    standing: async (userId, channel) => {
      const client = await slack();
      const [person, place] = await Promise.all([
        client.users.info({ user: userId }),
        client.conversations.info({ channel }),
      ]);
      return standingOf(person.user, place.channel);
    },
    requested: book.requested,
    operation: book.operation,
    changeOperation: book.changeOperation,
    nodes: book.nodes,
    node: book.node,
    requestCancel: book.requestCancel,
    start: (workflow, name, payload) => runs.start(workflow, executionName(name), payload),
    openDialog: async (triggerId, dialog) => {
      await (await slack()).views.open({ trigger_id: triggerId, view: dialog as unknown as View });
    },
    completeCallback: runs.complete,
    whisper: thread(world).whisper,
  };
}

let door: ReturnType<typeof hostedFrontDoor> | undefined;

/** The Lambda entry, behind a Function URL. */
export const handler = (event: HttpEvent, context: unknown): Promise<HttpAnswer> => {
  door ??= hostedFrontDoor({ settings: settings(), now: Date.now, slackNow: Date.now });
  return door(event, context);
};

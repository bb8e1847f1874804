import { join } from "node:path";
import { commands } from "../lambdas/commands/list.ts";
import { control } from "../lib/sandbox/control/control.ts";
import { type Activity, activity } from "../lib/sandbox/core/activity.ts";
import { type Foundation, foundationOn } from "../lib/sandbox/core/foundation.ts";
import { type PacedClock, pacedClock } from "../lib/sandbox/core/paced-clock.ts";
import { furnish, payloadManifest } from "../lib/sandbox/furnish.ts";
import { type Ground, ground } from "../lib/sandbox/ground.ts";
import { inhabit } from "../lib/sandbox/inhabitants.ts";
import { mistakeIn } from "../lib/sandbox/neighbours/choice.ts";
import { page } from "../lib/sandbox/page/page.ts";
import { VISITOR } from "../lib/sandbox/principals.ts";
import { sourcesOf } from "../lib/sandbox/sources.ts";
import { town } from "../lib/sandbox/town.ts";
import { townConfiguration } from "../lib/sandbox/town-configuration.ts";
import type { ClusterAccess, Endpoints } from "./endpoints.ts";
import type { Flags } from "./flags.ts";
import { type Addresses, ledgerOf, mountHandlers, readDirectory } from "./handlers.ts";
import { hostClock } from "./host-clock.ts";
import type { Places } from "./listen.ts";
import type { Memory } from "./memory.ts";
import { closed, isControl, openDoors } from "./open-doors.ts";
import { settling } from "./settling.ts";
import { StartError } from "./start-error.ts";

/** A sandbox that runs. */
export interface Sandbox {
  readonly endpoints: Endpoints;
  readonly kubeconfig: ClusterAccess;
  stop(): Promise<void>;
}

/** Address of the API server as machines know it: a name, because ports may change between runs. */
const API_FOR_MACHINES = `https://api-int.${town.cluster.name}.example.com:6443`;

/** Sandbox time that the residents take to join; it passes in a moment before the first banner. */
const MOVING_IN_MS = 4 * 60_000;

/** The clock, what it waits for when it is moved, and what the ground is built from. */
interface Beginning {
  readonly clock: PacedClock;
  readonly requests: Activity;
  readonly invocations: Activity;
  readonly settle: () => Promise<void>;
  readonly foundation: Foundation;
}

function begin({ store, reached, reach, run }: Memory, { seed, speed }: Flags): Beginning {
  const clock = pacedClock(reached ?? Date.now() - MOVING_IN_MS, speed, reach);
  const [requests, invocations] = [activity(), activity()];
  const foundation = foundationOn({ clock, store, seed: seed + run, busy: requests.during });
  return { clock, requests, invocations, settle: settling(requests, invocations), foundation };
}

const addressesOf = (places: Places) => ({
  ui: `http://127.0.0.1:${places.ui.port}`,
  aws: `http://127.0.0.1:${places.aws.port}`,
  slack: `http://127.0.0.1:${places.slack.port}`,
  frontDoor: `http://127.0.0.1:${places.frontDoor.port}/`,
  kubernetes: `https://127.0.0.1:${places.kubernetes.port}`,
});

const controlOf = (stand: Ground, { clock, settle }: Beginning, addresses: Addresses) =>
  control({
    foundation: stand.foundation,
    speed: {
      current: clock.speed,
      set: clock.setSpeed,
      advance: (seconds) => clock.advance(seconds * 1_000, settle),
    },
    sources: sourcesOf(stand, ledgerOf(stand, addresses)),
  });

/** Page and control API share a port. */
function uiOf(stand: Ground, beginning: Beginning, addresses: Addresses, pools: readonly string[]) {
  const api = controlOf(stand, beginning, addresses);
  const setting = {
    cluster: town.cluster.name,
    channels: [{ id: town.slack.channelId, name: town.slack.channelName }],
    bot: { userId: town.slack.botUserId, name: "Casement" },
    people: town.people.map(({ id, realName, roles }) => ({ id, name: realName, roles })),
    vocabulary: { commandWord: "/win", commands, pools },
  };
  const { speed } = beginning.clock;
  const shown = page({ desk: stand.slack.desk, control: api, agents: stand.ssm.pings, speed, setting });
  return (request: Parameters<typeof api.answer>[0]) =>
    isControl(request.url) ? api.answer(request) : shown.answer(request);
}

const endpointsOf = ({ keys }: Ground, urls: ReturnType<typeof addressesOf>, folder: string): Endpoints => ({
  ui: urls.ui,
  frontDoor: urls.frontDoor,
  signingSecret: keys.signingSecret,
  slack: urls.slack,
  botToken: keys.botToken,
  aws: urls.aws,
  region: town.region,
  ...keys.of(VISITOR),
  kubernetes: urls.kubernetes,
  kubeconfig: join(folder, "kubeconfig"),
  control: urls.ui,
});

/** Goes on with what was under way; the first time, the residents move in before the neighbours begin to work. */
async function live(stand: Ground, memory: Memory, beginning: Beginning, household: Household): Promise<void> {
  stand.resume();
  if (!memory.resumed) await moveIn(stand, memory, beginning, household);
  stand.startNeighbours();
}

async function moveIn(
  stand: Ground,
  memory: Memory,
  { clock, settle }: Beginning,
  household: Household,
): Promise<void> {
  await readDirectory(stand);
  const moving = inhabit({ ground: stand, ...household });
  await clock.advance(MOVING_IN_MS, settle);
  await moving;
  memory.settled();
}

/** Handlers that are in the middle of something get a moment to write it down; what waits longer is taken up next time. */
async function lastWords(invocations: Beginning["invocations"]): Promise<void> {
  const patience = Date.now() + 800;
  while (invocations.standing().underWay > 0 && Date.now() < patience) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

type Household = Omit<Parameters<typeof inhabit>[0], "ground">;

/** @throws StartError when a name after --with or --without is unknown; nothing has been touched then */
export function refuseUnknown(flags: Flags): void {
  const mistake = mistakeIn(flags);
  if (mistake) throw new StartError(mistake);
}

/** Raises ground, handlers and page on the given ports. */
export async function raise(memory: Memory, places: Places, flags: Flags, folder: string): Promise<Sandbox> {
  const beginning = begin(memory, flags);
  const { clock, requests, invocations, foundation } = beginning;
  const urls = addressesOf(places);
  const stand = await ground({
    foundation,
    host: hostClock,
    hostTime: clock.hostTime,
    ledgerPath: memory.ledgerPath,
    slackAddress: () => urls.slack,
    neighbours: flags,
  });
  const authority = stand.kubernetes.authorityPem;
  const configuration = townConfiguration({ apiServer: API_FOR_MACHINES, authority });
  await furnish(stand, configuration, urls.kubernetes);
  const addresses = { ...urls, configuration, now: clock.now, slackNow: Date.now, during: invocations.during };
  mountHandlers(stand, addresses);
  const ui = uiOf(stand, beginning, addresses, Object.keys(configuration.pools));
  const doors = await openDoors(stand, places, requests, ui);
  await live(stand, memory, beginning, { configuration, payload: payloadManifest(stand, configuration) });
  return {
    endpoints: endpointsOf(stand, urls, folder),
    kubeconfig: { server: urls.kubernetes, authority, ...(await stand.kubernetes.adminCredentials()) },
    stop: async () => {
      clock.stop();
      const [front, ...others] = doors;
      if (front) await closed(front);
      await lastWords(invocations);
      await Promise.all(others.map(closed));
      await requests.settled();
      await stand.dynamodb.close();
      memory.store.close();
    },
  };
}

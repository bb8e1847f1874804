import { join } from "node:path";
import { commands } from "../lambdas/commands/list.ts";
import { control } from "../lib/sandbox/control/control.ts";
import { type Activity, activity } from "../lib/sandbox/core/activity.ts";
import { type PacedClock, pacedClock } from "../lib/sandbox/core/paced-clock.ts";
import { createSimulation, type Simulation } from "../lib/sandbox/core/simulation.ts";
import { demo } from "../lib/sandbox/demo.ts";
import { demoConfiguration } from "../lib/sandbox/demo-configuration.ts";
import { mistakeIn } from "../lib/sandbox/neighbours/choice.ts";
import { page } from "../lib/sandbox/page/page.ts";
import { VISITOR } from "../lib/sandbox/principals.ts";
import { payloadManifest, seedAccount } from "../lib/sandbox/seed-account.ts";
import { seedNodes } from "../lib/sandbox/seed-nodes.ts";
import { createSimulator, type Simulator } from "../lib/sandbox/simulator.ts";
import { sourcesOf } from "../lib/sandbox/sources.ts";
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
const API_FOR_MACHINES = `https://api-int.${demo.cluster.name}.example.com:6443`;

/** Sandbox time for seed nodes to join; it is skipped before the first banner. */
const SEEDING_MS = 4 * 60_000;

/** The clock, what it waits for when it is moved, and what the simulator is built from. */
interface Beginning {
  readonly clock: PacedClock;
  readonly requests: Activity;
  readonly invocations: Activity;
  readonly settle: () => Promise<void>;
  readonly simulation: Simulation;
}

function begin({ store, reached, reach, run }: Memory, { seed, speed }: Flags): Beginning {
  const clock = pacedClock(reached ?? Date.now() - SEEDING_MS, speed, reach);
  const [requests, invocations] = [activity(), activity()];
  const simulation = createSimulation({ clock, store, seed: seed + run, busy: requests.during });
  return { clock, requests, invocations, settle: settling(requests, invocations), simulation };
}

const addressesOf = (places: Places) => ({
  ui: `http://127.0.0.1:${places.ui.port}`,
  aws: `http://127.0.0.1:${places.aws.port}`,
  slack: `http://127.0.0.1:${places.slack.port}`,
  frontDoor: `http://127.0.0.1:${places.frontDoor.port}/`,
  kubernetes: `https://127.0.0.1:${places.kubernetes.port}`,
});

const controlOf = (simulator: Simulator, { clock, settle }: Beginning, addresses: Addresses) =>
  control({
    simulation: simulator.simulation,
    speed: {
      current: clock.speed,
      set: clock.setSpeed,
      advance: (seconds) => clock.advance(seconds * 1_000, settle),
    },
    sources: sourcesOf(simulator, ledgerOf(simulator, addresses)),
  });

/** Page and control API share a port. */
function uiOf(simulator: Simulator, beginning: Beginning, addresses: Addresses, pools: readonly string[]) {
  const api = controlOf(simulator, beginning, addresses);
  const setting = {
    cluster: demo.cluster.name,
    channels: [{ id: demo.slack.channelId, name: demo.slack.channelName }],
    bot: { userId: demo.slack.botUserId, name: "Casement" },
    people: demo.people.map(({ id, realName, roles }) => ({ id, name: realName, roles })),
    vocabulary: { commandWord: "/win", commands, pools },
  };
  const { speed } = beginning.clock;
  const shown = page({ desk: simulator.slack.desk, control: api, agents: simulator.ssm.pings, speed, setting });
  return (request: Parameters<typeof api.answer>[0]) =>
    isControl(request.url) ? api.answer(request) : shown.answer(request);
}

const endpointsOf = ({ keys }: Simulator, urls: ReturnType<typeof addressesOf>, folder: string): Endpoints => ({
  ui: urls.ui,
  frontDoor: urls.frontDoor,
  signingSecret: keys.signingSecret,
  slack: urls.slack,
  botToken: keys.botToken,
  aws: urls.aws,
  region: demo.region,
  ...keys.of(VISITOR),
  kubernetes: urls.kubernetes,
  kubeconfig: join(folder, "kubeconfig"),
  control: urls.ui,
});

/** Resumes work in progress; on the first start, seeds the nodes before the neighbours start. */
async function resume(simulator: Simulator, memory: Memory, beginning: Beginning, seeding: Seeding): Promise<void> {
  simulator.resume();
  if (!memory.resumed) await seed(simulator, memory, beginning, seeding);
  simulator.startNeighbours();
}

async function seed(
  simulator: Simulator,
  memory: Memory,
  { clock, settle }: Beginning,
  seeding: Seeding,
): Promise<void> {
  await readDirectory(simulator);
  const seeded = seedNodes({ simulator, ...seeding });
  await clock.advance(SEEDING_MS, settle);
  await seeded;
  memory.settled();
}

/** Handlers that are in the middle of something get a moment to write it down; what waits longer is taken up next time. */
async function lastWords(invocations: Beginning["invocations"]): Promise<void> {
  const patience = Date.now() + 800;
  while (invocations.standing().underWay > 0 && Date.now() < patience) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

type Seeding = Omit<Parameters<typeof seedNodes>[0], "simulator">;

/** @throws StartError when a name after --with or --without is unknown; nothing has been touched then */
export function refuseUnknown(flags: Flags): void {
  const mistake = mistakeIn(flags);
  if (mistake) throw new StartError(mistake);
}

/** Raises simulator, handlers and page on the given ports. */
export async function raise(memory: Memory, places: Places, flags: Flags, folder: string): Promise<Sandbox> {
  const beginning = begin(memory, flags);
  const { clock, requests, invocations, simulation } = beginning;
  const urls = addressesOf(places);
  const simulator = await createSimulator({
    simulation,
    host: hostClock,
    hostTime: clock.hostTime,
    ledgerPath: memory.ledgerPath,
    slackAddress: () => urls.slack,
    neighbours: flags,
  });
  const authority = simulator.kubernetes.authorityPem;
  const configuration = demoConfiguration({ apiServer: API_FOR_MACHINES, authority });
  await seedAccount(simulator, configuration, urls.kubernetes);
  const addresses = { ...urls, configuration, now: clock.now, slackNow: Date.now, during: invocations.during };
  mountHandlers(simulator, addresses);
  const ui = uiOf(simulator, beginning, addresses, Object.keys(configuration.pools));
  const doors = await openDoors(simulator, places, requests, ui);
  await resume(simulator, memory, beginning, { configuration, payload: payloadManifest(simulator, configuration) });
  return {
    endpoints: endpointsOf(simulator, urls, folder),
    kubeconfig: { server: urls.kubernetes, authority, ...(await simulator.kubernetes.adminCredentials()) },
    stop: async () => {
      clock.stop();
      const [front, ...others] = doors;
      if (front) await closed(front);
      await lastWords(invocations);
      await Promise.all(others.map(closed));
      await requests.settled();
      await simulator.dynamodb.close();
      memory.store.close();
    },
  };
}

import { join } from "node:path";
import { commands } from "../lambdas/commands/list.ts";
import { profileOf } from "../lambdas/profiles/list.ts";
import { probeImagesOf } from "../lib/manifests/manifest.ts";
import { control } from "../lib/sandbox/control/control.ts";
import { type Activity, activity } from "../lib/sandbox/core/activity.ts";
import { sleep } from "../lib/sandbox/core/clock.ts";
import { defaultFigures, type Figures } from "../lib/sandbox/core/figures.ts";
import { type PacedClock, pacedClock } from "../lib/sandbox/core/paced-clock.ts";
import { createSimulation, type Simulation } from "../lib/sandbox/core/simulation.ts";
import { demo } from "../lib/sandbox/demo.ts";
import { demoConfiguration, demoPools, demoProbe } from "../lib/sandbox/demo-configuration.ts";
import { drainedWorkloads } from "../lib/sandbox/demo-workloads.ts";
import { selectionError } from "../lib/sandbox/neighbours/selection.ts";
import { page } from "../lib/sandbox/page/page.ts";
import { RUNBOOK_ADDRESS } from "../lib/sandbox/page/runbook-address.ts";
import { OWNER } from "../lib/sandbox/principals.ts";
import { payloadManifest, seedAccount } from "../lib/sandbox/seed-account.ts";
import { seedNodes } from "../lib/sandbox/seed-nodes.ts";
import { seedRelease } from "../lib/sandbox/seed-release.ts";
import { createSimulator, type Simulator } from "../lib/sandbox/simulator.ts";
import { type LedgerReader, stateReaders, unbegunOperations } from "../lib/sandbox/state-readers.ts";
import type { ClusterAccess, Endpoints } from "./endpoints.ts";
import type { Flags } from "./flags.ts";
import { type Addresses, ledgerOf, loadHandlers, mountHandlers, readDirectory } from "./handlers.ts";
import { hostClock } from "./host-clock.ts";
import type { Ports } from "./ports.ts";
import { closeServer, isControl, startServers } from "./servers.ts";
import { settling } from "./settling.ts";
import { StartError } from "./start-error.ts";
import type { State } from "./state.ts";

/** Flags of a start, and measured times that replace the simulator's. */
type Start = Flags & { readonly figures?: Figures | undefined };

/** A running sandbox. */
export interface Sandbox {
  readonly endpoints: Endpoints;
  readonly kubeconfig: ClusterAccess;
  /** Loads the modules of the handlers that have not been invoked yet; until then the clock of a resumed sandbox stands still. */
  loadHandlers(): Promise<void>;
  stop(): Promise<void>;
}

/** Address of the API server for machines: a name, because ports may change between runs. */
const API_FOR_MACHINES = `https://api-int.${demo.cluster.name}.${demo.cluster.baseDomain}:6443`;

/** Sandbox time in which seed nodes join; the first start skips it before the banner. */
const SEEDING_MS = 4 * 60_000;

/** The clock, the activity that moving the clock waits for, and the simulator's context. */
interface Runtime {
  readonly clock: PacedClock;
  readonly requests: Activity;
  readonly invocations: Activity;
  readonly settle: () => Promise<void>;
  readonly simulation: Simulation;
}

function createRuntime(
  { store, savedTime, saveTime, run }: State,
  { seed, speed, figures = defaultFigures }: Start,
): Runtime {
  const clock = pacedClock(savedTime ?? Date.now() - SEEDING_MS, speed, saveTime);
  const [requests, invocations] = [activity(), activity()];
  const simulation = createSimulation({
    clock,
    store,
    figures,
    seed: seed + run,
    busy: requests.during,
    waiting: requests.waiting,
  });
  return { clock, requests, invocations, settle: settling(requests, invocations), simulation };
}

const addressesOf = (ports: Ports) => ({
  ui: `http://127.0.0.1:${ports.ui.port}`,
  aws: `http://127.0.0.1:${ports.aws.port}`,
  slack: `http://127.0.0.1:${ports.slack.port}`,
  frontDoor: `http://127.0.0.1:${ports.frontDoor.port}/`,
  kubernetes: `https://127.0.0.1:${ports.kubernetes.port}`,
});

const controlOf = (simulator: Simulator, { clock, settle }: Runtime, ledger: LedgerReader) =>
  control({
    simulation: simulator.simulation,
    speed: {
      current: clock.speed,
      set: clock.setSpeed,
      advance: (seconds) => clock.advance(seconds * 1_000, settle),
    },
    readers: stateReaders(simulator, ledger),
  });

/** Builds the handler of the port that page and control API share. */
function uiOf(simulator: Simulator, runtime: Runtime, addresses: Addresses, pools: readonly string[]) {
  const ledger = ledgerOf(simulator, addresses);
  const api = controlOf(simulator, runtime, ledger);
  const setting = {
    cluster: demo.cluster.name,
    channels: [{ id: demo.slack.channelId, name: demo.slack.channelName }],
    bot: { userId: demo.slack.botUserId, name: "Casement" },
    people: demo.people.map(({ id, realName, roles }) => ({ id, name: realName, roles })),
    vocabulary: { commandWord: "/win", commands, pools },
  };
  const { speed } = runtime.clock;
  const shown = page({
    ...{ ui: simulator.slack.ui, control: api, agents: simulator.ssm.pings, speed, setting },
    unbegun: () => unbegunOperations(ledger),
  });
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
  ...keys.of(OWNER),
  kubernetes: urls.kubernetes,
  kubeconfig: join(folder, "kubeconfig"),
  control: urls.ui,
});

/** Resumes running work. On the first start, seeds the nodes before the neighbours start. */
async function resume(simulator: Simulator, state: State, runtime: Runtime, seeding: Seeding): Promise<void> {
  simulator.resume();
  if (!state.resumed) await seed(simulator, state, runtime, seeding);
  simulator.startNeighbours();
}

async function seed(simulator: Simulator, state: State, { clock, settle }: Runtime, seeding: Seeding): Promise<void> {
  await readDirectory(simulator);
  await seedRelease(simulator);
  const seeded = seedNodes({ simulator, ...seeding });
  await clock.advance(SEEDING_MS, settle);
  await seeded;
  for (const object of drainedWorkloads) simulator.kubernetes.create(object);
  state.markSeeded();
}

/** Gives running handlers 800 ms to save their state; the next run resumes those that take longer. */
async function drainInvocations(invocations: Runtime["invocations"]): Promise<void> {
  const patience = Date.now() + 800;
  while (invocations.standing().underWay > 0 && Date.now() < patience) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

type Seeding = Omit<Parameters<typeof seedNodes>[0], "simulator">;

const OTHER_LEDGER =
  "the ledger in .sandbox is not the one of this state, or has lost its end: start anew with --fresh";

/** Checks the names after --with and --without before anything is changed. @throws StartError for an unknown name */
export function refuseUnknown(flags: Flags): void {
  const error = selectionError(flags);
  if (error) throw new StartError(error);
}

/** Starts simulator, handlers and page on the given ports. */
export async function startSandbox(state: State, ports: Ports, flags: Start, folder: string): Promise<Sandbox> {
  const runtime = createRuntime(state, flags);
  const { clock, requests, invocations, simulation } = runtime;
  // What a fast clock would run on while this computer loads the functions, operations of the last run would be late by.
  const goOn = state.resumed ? clock.hold() : () => undefined;
  const urls = addressesOf(ports);
  const simulator = await createSimulator({
    simulation,
    host: hostClock,
    hostTime: clock.hostTime,
    ledgerPath: state.ledgerPath,
    slackAddress: () => urls.slack,
    neighbours: flags,
    overrides: { probeImages: probeImagesOf(demoProbe, profileOf(demo)) },
  });
  if (!(await simulator.dynamodb.isWhole())) throw new StartError(OTHER_LEDGER);
  const authority = simulator.kubernetes.authorityPem;
  const configuration = demoConfiguration(
    { apiServer: API_FOR_MACHINES, authority },
    { probe: demoProbe, pools: demoPools(state.nodes), runbook: RUNBOOK_ADDRESS },
  );
  await seedAccount(simulator, configuration, urls.kubernetes);
  const pause = (ms: number): Promise<void> => sleep(clock, ms);
  const addresses = { ...urls, configuration, now: clock.now, pause, slackNow: Date.now, during: invocations.during };
  mountHandlers(simulator, addresses);
  const ui = uiOf(simulator, runtime, addresses, Object.keys(configuration.pools));
  const servers = await startServers(simulator, ports, requests, ui);
  await resume(simulator, state, runtime, {
    configuration,
    payload: payloadManifest(simulator, configuration),
    nodes: state.nodes,
  });
  return {
    endpoints: endpointsOf(simulator, urls, folder),
    kubeconfig: { server: urls.kubernetes, authority, ...(await simulator.kubernetes.adminCredentials()) },
    loadHandlers: async () => {
      await loadHandlers();
      goOn();
    },
    stop: async () => {
      clock.stop();
      const [front, ...others] = servers;
      if (front) await closeServer(front);
      await drainInvocations(invocations);
      await Promise.all(others.map(closeServer));
      await requests.settled();
      await simulator.dynamodb.close();
      state.store.close();
    },
  };
}

import { join } from "node:path";
import { commands } from "../lambdas/commands/list.ts";
import { control } from "../lib/sandbox/control/control.ts";
import { activity } from "../lib/sandbox/core/activity.ts";
import { bus } from "../lib/sandbox/core/bus.ts";
import { callRecord } from "../lib/sandbox/core/calls.ts";
import type { Clock } from "../lib/sandbox/core/clock.ts";
import type { Foundation } from "../lib/sandbox/core/foundation.ts";
import { mishapBook } from "../lib/sandbox/core/mishaps.ts";
import { type PacedClock, pacedClock } from "../lib/sandbox/core/paced-clock.ts";
import { seededRandom } from "../lib/sandbox/core/random.ts";
import type { Store } from "../lib/sandbox/core/store.ts";
import { furnish, payloadManifest } from "../lib/sandbox/furnish.ts";
import { type Ground, ground } from "../lib/sandbox/ground.ts";
import { inhabit } from "../lib/sandbox/inhabitants.ts";
import { page } from "../lib/sandbox/page/page.ts";
import { VISITOR } from "../lib/sandbox/principals.ts";
import { sourcesOf } from "../lib/sandbox/sources.ts";
import { town } from "../lib/sandbox/town.ts";
import { townConfiguration } from "../lib/sandbox/town-configuration.ts";
import { type Addresses, ledgerOf, mountDoors } from "./doors.ts";
import type { ClusterAccess, Endpoints } from "./endpoints.ts";
import type { Flags } from "./flags.ts";
import type { Ports } from "./listen.ts";
import { closed, isControl, openDoors } from "./open-doors.ts";

/** A sandbox that runs. */
export interface Sandbox {
  readonly endpoints: Endpoints;
  readonly kubeconfig: ClusterAccess;
  /** It goes on with what an earlier run left. */
  readonly resumed: boolean;
  stop(): Promise<void>;
}

/** Where machines think the API server is: a name, because ports may change between runs. */
const API_FOR_MACHINES = `https://api-int.${town.cluster.name}.example.com:6443`;

/** How long the residents take to join, in sandbox time; passed in a moment before the first banner. */
const MOVING_IN_MS = 4 * 60_000;
const SAVE_CLOCK_MS = 1_000;

const hostClock: Clock = {
  now: Date.now,
  after: (ms, what) => {
    const timer = setTimeout(what, ms);
    return () => clearTimeout(timer);
  },
};

/** What is remembered of the clock, so that the sandbox's time never goes back. */
interface Remembered {
  readonly now: number;
  readonly inhabited: boolean;
}

/** Time that is moved by hand waits for requests and handlers, but not for handlers that wait for time themselves. */
function settling(
  requests: ReturnType<typeof activity>,
  invocations: ReturnType<typeof activity>,
): () => Promise<void> {
  const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
  return async () => {
    await requests.settled();
    for (let before = -1; invocations.standing().underWay > 0; ) {
      const moves = invocations.standing().moves + requests.standing().moves;
      if (moves === before) return;
      before = moves;
      await pause();
    }
  };
}

function foundationOf(store: Store, clock: PacedClock, seed: number, busy: Foundation["busy"]): Foundation {
  const random = seededRandom(seed);
  return { clock, random, store, mishaps: mishapBook(store, random), calls: callRecord(clock), bus: bus(), busy };
}

const addressesOf = (ports: Ports) => ({
  ui: `http://127.0.0.1:${ports.ui}`,
  aws: `http://127.0.0.1:${ports.aws}`,
  slack: `http://127.0.0.1:${ports.slack}`,
  frontDoor: `http://127.0.0.1:${ports.frontDoor}/`,
  kubernetes: `https://127.0.0.1:${ports.kubernetes}`,
});

/** The page's part of the composition. */
function pageOf(
  stand: Ground,
  clock: PacedClock,
  settle: () => Promise<void>,
  addresses: Addresses,
  pools: readonly string[],
) {
  const api = control({
    foundation: stand.foundation,
    speed: {
      current: clock.speed,
      set: clock.setSpeed,
      advance: (seconds) => clock.advance(seconds * 1_000, settle),
    },
    sources: sourcesOf(stand, ledgerOf(stand, addresses)),
  });
  const setting = {
    cluster: town.cluster.name,
    channels: [{ id: town.slack.channelId, name: town.slack.channelName }],
    bot: { userId: town.slack.botUserId, name: "Casement" },
    people: town.people.map(({ id, realName, roles }) => ({ id, name: realName, roles })),
    vocabulary: { commandWord: "/win", commands, pools },
  };
  return {
    api,
    page: page({ desk: stand.slack.desk, control: api, agents: stand.ssm.pings, speed: clock.speed, setting }),
  };
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

/** Raises ground, handlers and page on the given ports. */
export async function raise(
  ports: Ports,
  flags: Flags,
  folder: string,
  open: (path: string) => Store,
): Promise<Sandbox> {
  const store = open(join(folder, "ground.db"));
  const memory = store.collection<Remembered>("sandbox");
  const before = memory.get("clock");
  const clock = pacedClock(before?.now ?? Date.now() - MOVING_IN_MS, flags.speed);
  const requests = activity();
  const invocations = activity();
  const settle = settling(requests, invocations);
  const urls = addressesOf(ports);
  const foundation = foundationOf(store, clock, flags.seed, requests.during);
  const stand = await ground({
    foundation,
    host: hostClock,
    hostTime: clock.hostTime,
    ledgerPath: join(folder, "ledger"),
    slackAddress: () => urls.slack,
  });
  const authority = stand.kubernetes.authorityPem;
  const configuration = townConfiguration({ apiServer: API_FOR_MACHINES, authority });
  await furnish(stand, configuration, urls.kubernetes);
  const addresses: Addresses = {
    aws: urls.aws,
    slack: urls.slack,
    now: clock.now,
    slackNow: Date.now,
    during: invocations.during,
  };
  mountDoors(stand, addresses);
  const { api, page: shown } = pageOf(stand, clock, settle, addresses, Object.keys(configuration.pools));
  const doors = await openDoors(stand, ports, requests, (request) =>
    isControl(request.url) ? api.answer(request) : shown.answer(request),
  );
  stand.resume();
  if (!before?.inhabited) {
    const moving = inhabit({ ground: stand, configuration, payload: payloadManifest(stand, configuration) });
    await clock.advance(MOVING_IN_MS, settle);
    await moving;
  }
  const save = () => memory.set("clock", { now: clock.now(), inhabited: true });
  save();
  const saving = setInterval(save, SAVE_CLOCK_MS);
  return {
    endpoints: endpointsOf(stand, urls, folder),
    kubeconfig: { server: urls.kubernetes, authority, ...(await stand.kubernetes.adminCredentials()) },
    resumed: before?.inhabited === true,
    stop: async () => {
      clearInterval(saving);
      save();
      clock.stop();
      await Promise.all(doors.map(closed));
      await requests.settled();
      await stand.dynamodb.close();
      store.close();
    },
  };
}

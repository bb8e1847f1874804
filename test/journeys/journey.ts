import { loadSharedConfigFiles } from "@smithy/core/config";
import { vi } from "vitest";
import { ledgerOf, loadHandlers, mountHandlers, readDirectory } from "../../bin/handlers.ts";
import { hostClock } from "../../bin/host-clock.ts";
import { ruleName, schedules } from "../../lambdas/capabilities/schedules.ts";
import type { Configuration } from "../../lambdas/configuration/configuration.ts";
import { profileOf } from "../../lambdas/profiles/list.ts";
import type { NodeRecord, OperationRecord } from "../../lambdas/records/records.ts";
import { probeImagesOf } from "../../lib/manifests/manifest.ts";
import { activity } from "../../lib/sandbox/core/activity.ts";
import { createSimulation } from "../../lib/sandbox/core/simulation.ts";
import { openStore, type Snapshot, type Store } from "../../lib/sandbox/core/store.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { demoConfiguration } from "../../lib/sandbox/demo-configuration.ts";
import { FRONT_DOOR, inProcess } from "../../lib/sandbox/in-process.ts";
import type { NeighbourSelection } from "../../lib/sandbox/neighbours/selection.ts";
import { payloadManifest, seedAccount } from "../../lib/sandbox/seed-account.ts";
import { seedNodes } from "../../lib/sandbox/seed-nodes.ts";
import { createSimulator, type Overrides, type Simulator } from "../../lib/sandbox/simulator.ts";
import { recordWrites, repeatWrites, type Write } from "./ledger-writes.ts";
import { watchPlaceholders } from "./placeholders.ts";
import { type SlackUsers, slackUsers } from "./slack-users.ts";

// The SDK reads a person's configuration files once, while time would not move: no file of this machine is read here.
process.env.AWS_CONFIG_FILE = process.env.AWS_SHARED_CREDENTIALS_FILE = "/dev/null";
await loadSharedConfigFiles();

const AWS = "http://aws.sandbox.invalid";
const SLACK = "http://slack.sandbox.invalid";
const KUBERNETES = "https://kubernetes.sandbox.invalid";

/** Beginning of journeys: the same moment each time, so that a seed repeats a run. */
const BEGINNING = Date.UTC(2026, 10, 21, 3, 0, 0);

/** The service ends an execution at 3,000 operations; each keeps a third of them free. */
const MOST_OPERATIONS = 2_000;

const MINUTE = 60_000;
const ASK_EVERY_MS = 500;

type ScheduleName = (typeof schedules)[number]["name"];

/** Options of a journey. */
export interface JourneyOptions {
  readonly seed?: number;
  /** Seed Windows nodes: two of pool web, a protected one, one of a MachineSet. */
  readonly seedNodes?: boolean;
  /** Changes of the configuration, by its top-level fields. */
  readonly configuration?: object;
  /** Writes to the ledger of an earlier journey, for one that is resumed on the same store. */
  readonly ledger?: readonly Write[];
  /** The API server is private: functions that call it sit in a VPC. */
  readonly functionsInVpc?: boolean;
  /** Parts that were set up in another way than the reviewed files say. */
  readonly overrides?: Overrides;
  /** Neighbours and controllers to switch on or off, by name. */
  readonly neighbours?: NeighbourSelection;
  /** Schedules that run; an administrator has disabled the rules of the others (default: all run). For journeys of many hours. */
  readonly schedules?: readonly ScheduleName[];
  /** Beginning of the journey, in milliseconds since the epoch. */
  readonly now?: number;
}

/** A line of a function's log. */
interface LoggedLine {
  readonly principal: string;
  readonly line: string;
}

/** The whole product on the simulator, in this process, on a clock that only moves when nothing is under way. */
export interface Journey extends SlackUsers {
  readonly simulator: Simulator;
  /** Every write that the ledger took, oldest first. */
  readonly ledgerWrites: readonly Write[];
  /** Every line that functions logged, oldest first. */
  readonly logged: readonly LoggedLine[];
  readonly configuration: Configuration;
  /** Lets time pass until the question answers yes; fails loudly when it does not within `minutes`. */
  until(question: () => boolean | Promise<boolean>, minutes: number, what?: string): Promise<void>;
  /** Lets time move until a promise has settled. */
  drive<T>(work: Promise<T>, minutes?: number): Promise<T>;
  /** Lets so much time pass. */
  pass(minutes: number): Promise<void>;
  operations(): Promise<OperationRecord[]>;
  nodes(operation: string): Promise<NodeRecord[]>;
  /** The texts of everything said in the channel so far, threads included, private answers left out. */
  said(): string[];
  close(): Promise<void>;
}

/** Has the time come, or will nothing happen any more? */
const isOver = (end: number): boolean => Date.now() >= end || vi.getTimerCount() === 0;

/** Seed nodes that are Ready, for a journey to begin with. */
interface Seeded {
  readonly snapshot: Snapshot;
  readonly ledger: readonly Write[];
  readonly now: number;
}

const seededJourneys = new Map<string, Seeded>();

/** Seeds the nodes once for all journeys of a worker that ask for the same ones: four machines join, which takes a while. */
async function seededOnce(options: JourneyOptions): Promise<Seeded> {
  const key = JSON.stringify(options);
  const known = seededJourneys.get(key);
  if (known) return known;
  const store = openStore(":memory:");
  const first = await begin(options, store);
  const seeded = { snapshot: store.snapshot(), ledger: [...first.ledgerWrites], now: Date.now() };
  await first.close();
  seededJourneys.set(key, seeded);
  return seeded;
}

/** Sections of the configuration that no machine and no Node depends on: seed nodes are the same whatever they say. */
const PEOPLES = new Set(["approvals", "deadlines", "freezes", "people", "policy", "retention", "runbook"]);

/** A pool without its times: they say when nodes are disturbed, and seed nodes are not. */
const withoutTimes = ([name, pool]: [string, object]): [string, object] => [
  name,
  { ...pool, maintenance: [], freezes: [] },
];

const ofMachines = ({ pools, ...rest }: { readonly pools?: Record<string, object> }): object => ({
  ...Object.fromEntries(Object.entries(rest).filter(([section]) => !PEOPLES.has(section))),
  ...(pools ? { pools: Object.fromEntries(Object.entries(pools).map(withoutTimes)) } : {}),
});

async function journeyWithNodes({ overrides, neighbours, schedules, ...options }: JourneyOptions): Promise<Journey> {
  const { configuration = {} } = options;
  const { snapshot, ledger, now } = await seededOnce({ ...options, configuration: ofMachines(configuration) });
  // What goes on from a snapshot draws other random numbers than what led to it.
  const onwards = { ...options, seedNodes: false, ledger, now, seed: (options.seed ?? 1) + 1 };
  const different = {
    ...(overrides ? { overrides } : {}),
    ...(neighbours ? { neighbours } : {}),
    ...(schedules ? { schedules } : {}),
  };
  return begin({ ...onwards, ...different }, openStore(":memory:", snapshot));
}

/**
 * Starts a journey. Call `close` at the end of the test.
 * @param store the memory of an earlier journey (default: an empty one)
 */
export const startJourney = (options: JourneyOptions = {}, store?: Store): Promise<Journey> =>
  options.seedNodes && !store ? journeyWithNodes(options) : begin(options, store ?? openStore(":memory:"));

async function begin(options: JourneyOptions, store: Store): Promise<Journey> {
  vi.useFakeTimers({
    now: options.now ?? BEGINNING,
    toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"],
  });
  const under = activity();
  const simulation = createSimulation({
    clock: hostClock,
    store,
    seed: options.seed ?? 1,
    busy: under.during,
    waiting: under.waiting,
  });
  const { probe = {} } = (options.configuration ?? {}) as Partial<Pick<Configuration, "probe">>;
  const simulator = await createSimulator({
    simulation,
    host: hostClock,
    hostTime: (ms) => ms,
    slackAddress: () => SLACK,
    ...(options.functionsInVpc ? { functionsInVpc: true } : {}),
    overrides: { probeImages: probeImagesOf(probe, profileOf(demo)), ...options.overrides },
    ...(options.neighbours ? { neighbours: options.neighbours } : {}),
  });
  const { schedules: running = schedules.map(({ name }) => name) } = options;
  for (const { name } of schedules)
    if (!running.includes(name)) simulator.events.disable(ruleName(demo.cluster.name, name));
  const authority = simulator.kubernetes.authorityPem;
  const configuration = demoConfiguration({ apiServer: KUBERNETES, authority }, options.configuration);
  await seedAccount(simulator, configuration, KUBERNETES);
  const ledgerWrites = recordWrites(simulator);
  await repeatWrites(simulator, options.ledger);
  const placeholders = watchPlaceholders(simulator);
  const transport = inProcess({ ...simulator, slack: placeholders.slack }, under);
  const addresses = {
    aws: AWS,
    slack: SLACK,
    frontDoor: FRONT_DOOR,
    now: Date.now,
    slackNow: Date.now,
    configuration,
    transport,
  };
  const logged: LoggedLine[] = [];
  const log: Simulator["log"] = (principal, line) => {
    logged.push({ principal, line });
    simulator.log(principal, line);
  };
  await loadHandlers();
  mountHandlers({ ...simulator, log }, addresses);
  const ledger = ledgerOf(simulator, addresses);
  simulator.resume();

  const move = async (question: () => boolean | Promise<boolean>, minutes: number, what: string, askEvery: number) => {
    const end = Date.now() + minutes * MINUTE;
    for (let asked = Number.NEGATIVE_INFINITY; ; ) {
      await under.settled();
      if (Date.now() - asked >= askEvery) {
        asked = Date.now();
        if (await question()) return;
      }
      if (isOver(end)) throw new Error(`${what} did not come within ${minutes} minutes`);
      vi.advanceTimersToNextTimer();
    }
  };
  // A question is itself a few requests: asked after every timer it would cost more than the journey.
  const until: Journey["until"] = (question, minutes, what = "what the journey waits for") =>
    move(question, minutes, what, ASK_EVERY_MS);
  const driven = async <T>(work: Promise<T>, minutes = 1): Promise<T> => {
    let over = false;
    void work.then(
      () => {
        over = true;
      },
      () => {
        over = true;
      },
    );
    await move(() => over, minutes, "an act", 0);
    return work;
  };
  await driven(readDirectory(simulator));
  if (options.seedNodes)
    await driven(seedNodes({ simulator, configuration, payload: payloadManifest(simulator, configuration) }), 30);
  simulator.startNeighbours();

  return {
    simulator,
    ledgerWrites,
    logged,
    configuration,
    ...slackUsers(simulator, driven),
    until,
    drive: driven,
    pass: async (minutes) => {
      const end = Date.now() + minutes * MINUTE;
      const timer = setTimeout(() => undefined, minutes * MINUTE);
      await until(() => Date.now() >= end, minutes + 1, "the end of a pause");
      clearTimeout(timer);
    },
    operations: () => driven(ledger.operations(100)),
    nodes: (operation) => driven(ledger.nodes(operation)),
    said: () =>
      simulator.slack
        .messages()
        .filter((message) => !message.onlyTo)
        .map((message) => `${message.text} ${JSON.stringify(message.blocks)}`),
    close: async () => {
      const long = simulator.lambda.executions().filter(({ operationCount }) => operationCount > MOST_OPERATIONS);
      await simulator.dynamodb.close();
      store.close();
      vi.useRealTimers();
      const counts = long.map(({ name, operationCount }) => `${name}: ${operationCount}`);
      placeholders.check();
      if (counts.length > 0) throw new Error(`executions passed ${MOST_OPERATIONS} operations: ${counts.join(", ")}`);
    },
  };
}

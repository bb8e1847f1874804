import { hostClock } from "../../bin/host-clock.ts";
import { createHandler } from "../../lambdas/append-audit/handler.ts";
import { type Clients, clients } from "../../lambdas/clients/clients.ts";
import type { Transport } from "../../lambdas/clients/transport.ts";
import type { Configuration } from "../../lambdas/configuration/configuration.ts";
import type { Settings } from "../../lambdas/settings.ts";
import { type Steps, steps } from "../../lambdas/steps/steps.ts";
import { documentHashes } from "../../lib/constructs/script-document.ts";
import { aliasesFor } from "../../lib/function-aliases.ts";
import { type FunctionName, functionOf } from "../../lib/functions.ts";
import { access } from "../../lib/sandbox/aws/access.ts";
import { instanceRole } from "../../lib/sandbox/aws/instance-role.ts";
import { activity } from "../../lib/sandbox/core/activity.ts";
import { pacedClock } from "../../lib/sandbox/core/paced-clock.ts";
import type { InstanceRole } from "../../lib/sandbox/core/ports.ts";
import { createSimulation } from "../../lib/sandbox/core/simulation.ts";
import { openStore, type Snapshot, type Store } from "../../lib/sandbox/core/store.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { documentsOf, permissionsAt, place } from "../../lib/sandbox/demo-account.ts";
import { demoConfiguration } from "../../lib/sandbox/demo-configuration.ts";
import { inProcess } from "../../lib/sandbox/in-process.ts";
import { seedAccount } from "../../lib/sandbox/seed-account.ts";
import { createSimulator, lambdaName, type Simulator } from "../../lib/sandbox/simulator.ts";

/** Beginning of the simulator's time, which stands still unless a test lets it pass. */
export const START = Date.parse("2026-11-21T08:00:00Z");

const SLACK = "http://slack.sandbox.test";
const KUBERNETES = "https://api.sandbox.test:6443";

/** Simulator without handlers and without seed nodes, with the verbs of every function on it. */
export interface TestSimulator extends Simulator {
  readonly configuration: Configuration;
  readonly transport: Transport;
  /** Role with which machines read. */
  readonly nodeRole: InstanceRole;
  settings(principal: FunctionName): Settings;
  /** The verbs as a function has them: with its permissions and no others. */
  as(principal: FunctionName): Steps;
  pass(seconds: number): Promise<void>;
  close(): Promise<void>;
}

const DOCUMENTS = documentHashes(documentsOf(demo.cluster.name));

export const settingsOf = ({ keys }: Simulator, principal: FunctionName): Settings => ({
  region: demo.region,
  credentials: keys.of(principal),
  awsEndpoint: "http://aws.sandbox.test",
  cluster: demo.cluster.name,
  bucket: demo.bucket,
  ledgerTable: demo.ledgerTable,
  account: functionOf(principal)?.account,
  slackSecret: demo.slackSecret,
  slackUrl: `${SLACK}/api/`,
  retentionDays: 400,
  functions: Object.fromEntries(
    Object.entries(aliasesFor(principal)).map(([name, alias]) => [name, `${lambdaName(name)}:${alias}`]),
  ),
  documents: DOCUMENTS,
});

function nodeRoleOf({ s3, secrets, passwords, simulation }: Simulator): InstanceRole {
  const rights = access({ ...demo, permissions: permissionsAt(place), rolePrefix: `casement-${demo.cluster.name}` });
  return instanceRole({
    access: rights,
    s3: s3.service,
    secretsManager: secrets.service,
    ecr: passwords.service,
    simulation,
  });
}

/** Builds the simulator on a store, with a time that stands still. */
async function simulatorOn(store: Store, seed: number) {
  const clock = pacedClock(START, 1e-9);
  const work = activity();
  const simulation = createSimulation({ clock, store, seed, busy: work.during, waiting: work.waiting });
  const here = await createSimulator({
    simulation,
    host: hostClock,
    hostTime: clock.hostTime,
    slackAddress: () => SLACK,
  });
  const configuration = demoConfiguration({ apiServer: KUBERNETES, authority: here.kubernetes.authorityPem });
  await seedAccount(here, configuration, KUBERNETES);
  const close = async (): Promise<void> => {
    clock.stop();
    await here.dynamodb.close();
  };
  return { here, clock, work, configuration, close };
}

let seeded: Promise<Snapshot> | undefined;

/** Seeds cluster and account once for all tests of a worker: keys, certificates and policies take longer than most tests. */
async function seed(): Promise<Snapshot> {
  const store = openStore(":memory:");
  const { close } = await simulatorOn(store, 7);
  await close();
  return store.snapshot();
}

/** Builds the simulator as a deployment leaves it: an empty ledger, the release document, the cluster with the bot's access. */
export async function testSimulator(): Promise<TestSimulator> {
  seeded ??= seed();
  // What goes on from a snapshot draws other random numbers than what led to it.
  const { here, clock, work, configuration, close } = await simulatorOn(openStore(":memory:", await seeded), 8);
  const transport = inProcess(here, work);
  const settings = (principal: FunctionName): Settings => settingsOf(here, principal);
  const append = createHandler({ settings: settings("append-audit"), now: clock.now, transport, log: () => undefined });
  // Without Lambda in between: its cold start would wait for the time, which stands still.
  const invoke = async (name: string, payload: object) =>
    append(JSON.parse(JSON.stringify(payload)), {
      invokedFunctionArn: `arn:aws:lambda:${demo.region}:${demo.accountId}:function:${name}`,
    });
  // A function's clients outlast its invocations; what its steps have read does not.
  const known = new Map<FunctionName, Clients>();
  return {
    ...here,
    configuration,
    transport,
    nodeRole: nodeRoleOf(here),
    settings,
    as: (principal) => {
      const own = settings(principal);
      const reused = known.get(principal) ?? clients(own, transport);
      known.set(principal, reused);
      return steps({ clients: { ...reused, invoke }, settings: own, now: clock.now });
    },
    pass: (seconds) => clock.advance(seconds * 1_000, work.settled),
    close,
  };
}

import { clients } from "../../lambdas/clients/clients.ts";
import type { Transport } from "../../lambdas/clients/transport.ts";
import type { Settings } from "../../lambdas/settings.ts";
import { BY_TIME } from "../../lambdas/steps/ledger.ts";
import { type Steps, steps } from "../../lambdas/steps/steps.ts";
import { type PrincipalName, permissionsFor } from "../../lib/permissions.ts";
import { access } from "../../lib/sandbox/aws/access.ts";
import { awsDoor } from "../../lib/sandbox/aws/door.ts";
import { dynamodb } from "../../lib/sandbox/aws/dynamodb.ts";
import { type Ec2, ec2 } from "../../lib/sandbox/aws/ec2/ec2.ts";
import { type SecretsManager, secretsManager } from "../../lib/sandbox/aws/secrets-manager/secrets-manager.ts";
import { activity } from "../../lib/sandbox/core/activity.ts";
import type { AwsService } from "../../lib/sandbox/core/aws-service.ts";
import { bus } from "../../lib/sandbox/core/bus.ts";
import { callRecord } from "../../lib/sandbox/core/calls.ts";
import type { Foundation } from "../../lib/sandbox/core/foundation.ts";
import { mishapBook } from "../../lib/sandbox/core/mishaps.ts";
import { pacedClock } from "../../lib/sandbox/core/paced-clock.ts";
import { seededRandom } from "../../lib/sandbox/core/random.ts";
import { openStore } from "../../lib/sandbox/core/store.ts";
import { type LambdaService, lambdaService } from "../../lib/sandbox/durable/lambda-service.ts";
import { inProcess } from "../../lib/sandbox/in-process.ts";
import { type Kubernetes, kubernetesApi } from "../../lib/sandbox/kubernetes/api.ts";
import { type AccessKey, functionNames, type Keys, keys } from "../../lib/sandbox/principals.ts";
import { type Slack, slack } from "../../lib/sandbox/slack/slack.ts";
import { town } from "../../lib/sandbox/town.ts";
import { account, place } from "../../lib/sandbox/town-account.ts";

/** When the ground's time begins; it stands still unless a test lets it pass. */
export const START = Date.parse("2026-11-21T08:00:00Z");

const SLACK = "http://slack.sandbox.test";

/** The ledger's table as the stack makes it. */
const ledgerTable = {
  TableName: town.ledgerTable,
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: ["pk", "sk", "listed", "requestedAt"].map((AttributeName) => ({
    AttributeName,
    AttributeType: "S",
  })),
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: BY_TIME,
      KeySchema: [
        { AttributeName: "listed", KeyType: "HASH" },
        { AttributeName: "requestedAt", KeyType: "RANGE" },
      ],
      Projection: { ProjectionType: "ALL" },
    },
  ],
};

/** The parts of the simulated ground that the verbs act on, and the verbs of every function. */
export interface Stand {
  readonly foundation: Foundation;
  readonly ec2: Ec2;
  readonly secrets: SecretsManager;
  readonly kubernetes: Kubernetes;
  readonly lambda: LambdaService;
  readonly slack: Slack;
  readonly transport: Transport;
  settings(principal: PrincipalName): Settings;
  /** The key of a machine with the nodes' role. */
  machineKey(instanceId: string): AccessKey;
  /** The verbs as a function has them: with its permissions and no others. */
  as(principal: PrincipalName): Steps;
  pass(seconds: number): Promise<void>;
  close(): Promise<void>;
}

function foundationOf() {
  const clock = pacedClock(START, 1e-9);
  const work = activity();
  const store = openStore(":memory:");
  const random = seededRandom(7);
  const foundation: Foundation = {
    clock,
    random,
    store,
    mishaps: mishapBook(store, random),
    calls: callRecord(clock),
    bus: bus(),
    busy: work.during,
  };
  return { clock, work, foundation };
}

const settingsOf = (principal: string, ownKeys: Keys): Settings => ({
  region: town.region,
  credentials: ownKeys.of(principal),
  awsEndpoint: "http://aws.sandbox.test",
  cluster: town.cluster.name,
  bucket: town.bucket,
  ledgerTable: town.ledgerTable,
  clusterSecret: town.clusterSecret,
  slackSecret: town.slackSecret,
  slackUrl: `${SLACK}/api/`,
  functions: Object.fromEntries(functionNames.map((name) => [name, `casement-${town.cluster.name}-${name}:live`])),
  documents: {},
});

/** Machines that some tests let act with the nodes' role. */
const machines = ["i-0aaaaaaaaaaaaaaaa", "i-0bbbbbbbbbbbbbbbb", "i-0cccccccccccccccc"].map((id) => `instance/${id}`);

function doorOf(foundation: Foundation, ownKeys: Keys, services: readonly AwsService[]) {
  const rolePrefix = `casement-${town.cluster.name}`;
  return awsDoor(
    {
      foundation,
      hostNow: Date.now,
      keys: new Map(
        [...functionNames, ...machines].map((principal) => {
          const { accessKeyId, secretAccessKey } = ownKeys.of(principal);
          return [accessKeyId, { secret: secretAccessKey, principal }];
        }),
      ),
      services,
      access: access({ ...town, permissions: permissionsFor(place), rolePrefix }),
    },
    (bug) => {
      throw bug;
    },
  );
}

const chatOf = (foundation: Foundation, { signingSecret, botToken }: Keys): Slack =>
  slack(foundation, {
    town,
    signingSecret,
    botToken,
    requestUrl: async () => ({ status: 200, headers: {}, body: "" }),
    host: foundation.clock,
    address: () => SLACK,
  });

/** Builds the ground with an empty ledger and the cluster as the reviewed manifest leaves it. */
export async function stand(): Promise<Stand> {
  const { clock, work, foundation } = foundationOf();
  const ownKeys = keys(foundation.store, foundation.random);
  const cloud = ec2(foundation, account);
  const secrets = secretsManager(foundation, town);
  const ledger = dynamodb(town);
  await ledger.createTable(ledgerTable);
  const lambda = lambdaService(foundation, { ...town, hostTime: clock.hostTime, duplicates: 0 });
  const kubernetes = await kubernetesApi(foundation, cloud.cloud, {
    version: town.cluster.version,
    region: town.region,
    hybridNetwork: town.networks.hybrid,
  });
  kubernetes.resume();
  const token = kubernetes.issueToken({ name: "system:serviceaccount:casement:casement" }, null);
  const server = "https://api.sandbox.test:6443";
  secrets.seed(town.clusterSecret, JSON.stringify({ server, ca: kubernetes.authorityPem, token }));
  secrets.seed(town.slackSecret, JSON.stringify(ownKeys));
  const chat = chatOf(foundation, ownKeys);
  const aws = doorOf(foundation, ownKeys, [cloud.service, secrets.service, lambda, ledger.service]);
  const transport = inProcess({ aws, slack: chat, kubernetes }, work);
  return {
    foundation,
    ec2: cloud,
    secrets,
    kubernetes,
    lambda,
    slack: chat,
    transport,
    machineKey: (instanceId) => ownKeys.of(`instance/${instanceId}`),
    settings: (principal) => settingsOf(principal, ownKeys),
    as: (principal) => {
      const settings = settingsOf(principal, ownKeys);
      return steps({ clients: clients(settings, transport), settings, now: clock.now });
    },
    pass: (seconds) => clock.advance(seconds * 1_000, work.settled),
    close: async () => {
      clock.stop();
      await ledger.close();
    },
  };
}

import { ruleName } from "../../lambdas/capabilities/schedules.ts";
import type { ScriptDocument } from "../constructs/script-document.ts";
import { rulesOf } from "../event-rules.ts";
import { conventionalName, type Place } from "../place.ts";
import { resourcePoliciesFor } from "../role-permissions.ts";
import type { Statement } from "../statement.ts";
import { access } from "./aws/access.ts";
import { type AutoScaling, autoScaling } from "./aws/auto-scaling.ts";
import { type DynamoDb, dynamodb, ledgerFiles } from "./aws/dynamodb.ts";
import type { Account } from "./aws/ec2/account.ts";
import { type Ec2, ec2 } from "./aws/ec2/ec2.ts";
import { windowsImages } from "./aws/ec2/images.ts";
import { type Ecr, ecr } from "./aws/ecr.ts";
import { type EmbeddedMetrics, embeddedMetrics } from "./aws/embedded-metrics.ts";
import { type AwsEndpoint, awsEndpoint } from "./aws/endpoint.ts";
import { type EventBridge, eventBridge } from "./aws/events/events.ts";
import { type HumanTopic, humanTopic } from "./aws/events/human-topic.ts";
import { imageRegistry } from "./aws/image-registry.ts";
import { instanceRole } from "./aws/instance-role.ts";
import { type CustomerKey, encrypting, kms, placeOf } from "./aws/kms.ts";
import { type S3, s3 } from "./aws/s3/s3.ts";
import { type SecretsManager, secretsManager } from "./aws/secrets-manager/secrets-manager.ts";
import { serviceQuotas } from "./aws/service-quotas.ts";
import { type Sns, sns } from "./aws/sns.ts";
import { stackRights } from "./aws/stack-rights.ts";
import { sts } from "./aws/sts.ts";
import type { Clock } from "./core/clock.ts";
import type { Simulation } from "./core/simulation.ts";
import { demo } from "./demo.ts";
import { account, documentsOf, permissionsAt, place } from "./demo-account.ts";
import { functionUrl } from "./durable/function-url.ts";
import { type LambdaService, lambdaService } from "./durable/lambda-service.ts";
import { type Kubernetes, kubernetesApi } from "./kubernetes/api.ts";
import { networkedPods } from "./kubernetes/controllers/nodes.ts";
import { type Machines, machines } from "./machine/machines.ts";
import { type ActiveNeighbours, type NeighbourSelection, selectNeighbours } from "./neighbours/selection.ts";
import { everything, type Keys, keyRing, keys, OWNER } from "./principals.ts";
import { type Registries, registries } from "./registries/registries.ts";
import { type Slack, slack } from "./slack/slack.ts";
import { type Ssm, ssm } from "./ssm/ssm.ts";

/** Options of a simulator. */
export interface SimulatorOptions {
  readonly simulation: Simulation;
  /** The host's clock: signatures are dated by it, and Slack's three seconds are its seconds. */
  readonly host: Clock;
  /** Time that the host's clock will show at a moment of the sandbox. */
  readonly hostTime: (sandboxMs: number) => number;
  /** Directory of the ledger's files; in memory when left out. */
  readonly ledgerPath?: string;
  /** Address at which Slack is reached from outside, without a slash at the end. */
  readonly slackAddress: () => string;
  /** The API server is private: functions that call it sit in a VPC. */
  readonly functionsInVpc?: boolean;
  /** Overrides of the reviewed set-up (default: none). */
  readonly overrides?: Overrides;
  /** Neighbours and controllers to switch on or off, by name; kept in the state. */
  readonly neighbours?: NeighbourSelection;
}

/** Overrides of the reviewed set-up, for tests of what the doctor finds. */
export interface Overrides {
  /** The account as EC2 shows it. */
  readonly account?: Account;
  /** The customer's key with which the stack was deployed. */
  readonly key?: CustomerKey;
  /** Permissions that roles really hold. */
  readonly permissions?: Readonly<Record<string, readonly Statement[]>>;
  /** The SSM documents that are there. */
  readonly documents?: readonly ScriptDocument[];
  /** Images of probes that the administrator's manifest names. */
  readonly probeImages?: readonly string[];
  /** Scopes that Slack's app was installed with. */
  readonly scopes?: readonly string[];
}

/** Services that the handlers run on. */
export interface Simulator {
  readonly simulation: Simulation;
  readonly keys: Keys;
  readonly aws: AwsEndpoint;
  readonly ec2: Ec2;
  readonly s3: S3;
  readonly secrets: SecretsManager;
  readonly passwords: Ecr;
  readonly dynamodb: DynamoDb;
  readonly ssm: Ssm;
  readonly events: EventBridge;
  readonly sns: Sns;
  readonly scaling: AutoScaling;
  /** Topic by which people are told past Slack. */
  readonly topic: HumanTopic;
  /** Figures in the functions' logs. */
  readonly metrics: EmbeddedMetrics;
  /** Writes a line into a function's log; where its role may not, the line is lost and the function goes on. */
  log(principal: string, line: string): void;
  readonly lambda: LambdaService;
  readonly machines: Machines;
  readonly registries: Registries;
  readonly kubernetes: Kubernetes;
  readonly slack: Slack;
  /** The function URL of the front door. */
  readonly frontDoor: ReturnType<typeof functionUrl>;
  /** Resumes where a killed process stopped; call it once the functions are mounted. */
  resume(): void;
  /** Starts the chosen neighbours; call it once in every process, when the cluster has its nodes. */
  startNeighbours(): void;
}

/** Name of a function as Lambda knows it. */
export const lambdaName = (name: string): string => conventionalName(demo.cluster.name, name);

/** Builds the account's services that do not depend on machines or the cluster, and the permissions in it. */
function accountOf({ simulation, overrides = {}, ledgerPath, functionsInVpc = false }: SimulatorOptions) {
  const here: Place = { ...place, functionsInVpc, ...placeOf(overrides.key) };
  const encrypted = encrypting(overrides.key, demo.region);
  const rights = access({
    ...{ accountId: demo.accountId, region: demo.region },
    permissions: { ...permissionsAt(here), ...overrides.permissions, [OWNER]: [everything] },
    resourcePolicies: Object.values(resourcePoliciesFor(here)).flatMap((policy) => policy ?? []),
    rolePrefix: `casement-${demo.cluster.name}`,
  });
  return {
    rights,
    stack: stackRights(rights, here),
    keys: keys(simulation.store, simulation.random),
    ec2: ec2(simulation, overrides.account ?? account),
    scaling: autoScaling(simulation),
    s3: encrypted(s3(simulation)),
    secrets: encrypted(secretsManager(simulation, demo)),
    answering: [kms(overrides.key, here), sts(demo.accountId, rights.arnOf), serviceQuotas()],
    passwords: ecr(simulation, demo),
    sns: sns(simulation, TOPIC, "platform-team@example.com"),
    dynamodb: encrypted(dynamodb({ ...demo, ...ledgerFiles(simulation.store, ledgerPath) })),
  };
}

/** ARN of the topic that reaches people. */
export const TOPIC = `arn:aws:sns:${demo.region}:${demo.accountId}:${demo.topic}`;

type AccountServices = ReturnType<typeof accountOf>;

/** The cluster, the Windows machines beside it, and the service that speaks to their agents. */
async function fleetOf(
  { simulation, overrides }: SimulatorOptions,
  { rights, ec2: { attach, cloud }, s3: buckets, secrets, passwords }: AccountServices,
  { without }: ActiveNeighbours,
) {
  const kubernetes = await kubernetesApi(simulation, cloud, {
    ...{ version: demo.cluster.version, distribution: demo.cluster.distribution, region: demo.region },
    ...{ without, probeImages: overrides?.probeImages ?? [], hybridNetwork: demo.networks.hybrid },
    installation: { ...demo.cluster, region: demo.region, networks: demo.networks },
  });
  const [bucket, secret, ecr] = [buckets.service, secrets.service, passwords.service];
  const role = instanceRole({ access: rights, s3: bucket, secretsManager: secret, ecr, simulation });
  const images = registries(simulation, imageRegistry({ simulation, access: rights, cloud, passwords }));
  const pods = (node: string) => networkedPods(kubernetes.cluster, node);
  const fleet = machines(simulation, { kubernetes, cloud, role, registries: images, pods });
  kubernetes.attach(fleet.kubelets);
  attach(fleet.screens);
  const systems = ssm(simulation, fleet, {
    account: demo.accountId,
    region: demo.region,
    cloud,
    documents: overrides?.documents ?? documentsOf(demo.cluster.name),
    publicParameters: windowsImages,
    callerFor: rights.callerFor,
  });
  return { kubernetes, machines: fleet, registries: images, ssm: systems };
}

/** Sets up the functions, the services that wake them, and the Slack in which people type at them. */
function platformOf(
  { simulation, host, hostTime, slackAddress, overrides }: SimulatorOptions,
  { keys: secrets, stack }: AccountServices,
) {
  const lambda = lambdaService(simulation, { ...demo, hostTime, mayKeep: stack.mayKeep });
  const topic = humanTopic(simulation);
  const events = eventBridge(simulation, {
    ...demo,
    rules: rulesOf(demo.cluster.name).map((rule) => ({ ...rule, name: ruleName(demo.cluster.name, rule.name) })),
    targets: {
      "cloud-events": async (event, rule) => {
        stack.ruleMayInvoke(rule);
        lambda.send(lambdaName("cloud-events"), event);
      },
      "human-topic": async (event, rule) => {
        stack.ruleMayPublish();
        await topic.target(event, rule);
      },
    },
  });
  const frontDoor = functionUrl(async (event) => {
    stack.urlMayInvoke();
    return lambda.call(lambdaName("front-door"), event);
  }, simulation);
  const chat = slack(simulation, {
    demo,
    signingSecret: secrets.signingSecret,
    botToken: secrets.botToken,
    requestUrl: frontDoor,
    host,
    address: slackAddress,
    ...(overrides?.scopes ? { scopes: overrides.scopes } : {}),
  });
  return { lambda, events, topic, metrics: embeddedMetrics(simulation), frontDoor: chat.fromOutside, slack: chat };
}

/** Builds the simulator; it does nothing until functions are mounted and it is told to resume. */
export async function createSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { simulation, host } = options;
  const { rights, stack, ...services } = accountOf(options);
  const choice = selectNeighbours(simulation.store, options.neighbours ?? {});
  const fleet = await fleetOf(options, { rights, stack, ...services }, choice);
  const platform = platformOf(options, { rights, stack, ...services });
  const { ec2: cloud, s3: buckets, secrets, dynamodb: ledger } = services;
  const spoken = [cloud.service, fleet.ssm, buckets.service, secrets.service, platform.lambda, ledger.service];
  const aws = awsEndpoint({
    simulation,
    region: demo.region,
    hostNow: host.now,
    keys: keyRing(services.keys),
    services: [
      ...spoken,
      platform.events.service,
      services.sns.service,
      services.scaling.service,
      ...services.answering,
    ],
    access: rights,
  });
  return {
    simulation,
    aws,
    ...services,
    ...fleet,
    ...platform,
    log: (principal, line) => {
      if (stack.mayLog(principal)) platform.metrics.log(line);
    },
    resume: () => {
      const inOrder = [fleet.kubernetes, cloud, fleet.ssm, fleet.machines, platform.lambda, platform.events];
      for (const part of inOrder) part.resume();
    },
    startNeighbours: () => {
      for (const { start } of choice.neighbours)
        start({ kubernetes: fleet.kubernetes, ec2: cloud, scaling: services.scaling });
    },
  };
}

import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { GetFunctionConfigurationCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { defaultProvider } from "@aws-sdk/credential-provider-node";
import type { Account } from "../../lambdas/cluster/accounts.ts";
import { LIVE } from "../../lambdas/configuration/aliases.ts";
import { profileOf } from "../../lambdas/profiles/list.ts";
import type { Profile } from "../../lambdas/profiles/profile.ts";
import { type Settings, settings } from "../../lambdas/settings.ts";
import { zoneOf } from "../../lambdas/time/calendar.ts";
import { documentHashes, scriptDocuments } from "../../lib/constructs/script-document.ts";
import { type Deployment, readDeployment } from "../../lib/deployment.ts";
import { workflowNames } from "../../lib/functions.ts";
import { type ManifestValues, probeImagesOf } from "../../lib/manifests/manifest.ts";
import { conventionalName } from "../../lib/place.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { demoConfiguration, demoProbe } from "../../lib/sandbox/demo-configuration.ts";
import type { Endpoints } from "../endpoints.ts";
import { withPayloadManifest } from "../payload/name-manifest.ts";
import { StartError } from "../start-error.ts";

/** Fields of a configured pool that a terminal reads. */
interface PoolFacts {
  readonly maximum: number;
  /** Release of Windows Server, such as "2025". */
  readonly windows: string;
  readonly instanceTypes: readonly string[];
}

/** Slack's ids for the app and its channel. */
interface SlackPlace {
  readonly teamId: string;
  readonly appId: string;
  readonly botUserId: string;
  readonly channel: string;
}

/** The cluster that a terminal works on, and the access to it. */
export interface Place {
  /** Folder of the sandbox; null for a deployment. */
  readonly sandbox: string | null;
  /** Values of the configuration that the cluster's manifest names. */
  readonly manifestValues: ManifestValues;
  /** Names of the configured pools. */
  readonly pools: readonly string[];
  /** Returns the time zone of a pool; for null, that of the whole cluster. */
  zoneOf(pool: string | null): string;
  readonly poolFacts: Readonly<Record<string, PoolFacts>>;
  /** Images of `probe.registries`. */
  readonly probeImages: readonly string[];
  readonly cluster: string;
  /** Kubernetes version of the configuration: "1.34.2". */
  readonly clusterVersion: string;
  /** File that takes the manifest of the Slack app. */
  readonly slackAppFile: string;
  /** File that holds the manifest of the payload. */
  readonly manifestFile: string;
  /** Names the manifest in the configuration, where none is named. Returns the next step. */
  nameManifest(): string;
  /** Address at which functions in a network of their own reach the API server; null where they use kubectl's. */
  readonly functionsServer: string | null;
  readonly slack: SlackPlace;
  /** Host milliseconds between two polls of a running operation. */
  readonly pollEveryMs: number;
  readonly profile: Profile;
  readonly commandWord: string;
  /** The administrator's kubeconfig; null for kubectl's default. */
  readonly kubeconfig: string | null;
  /** Reads the functions' clock, in milliseconds since the epoch. */
  clock(): Promise<() => number>;
  /** Reads the address to which Slack sends its requests. Calls AWS. */
  frontDoor(): Promise<string>;
  /** Reads the settings of the functions that use an account, with this terminal's AWS credentials. Calls AWS. */
  settings(account: Account): Promise<Settings>;
}

const manifestValuesOf = ({
  cluster,
  pools,
  probe,
}: Pick<Deployment, "cluster" | "pools" | "probe">): ManifestValues => ({
  labelKeys: Object.values(pools).flatMap(({ labels }) => Object.keys(labels)),
  probeImages: probeImagesOf(probe, profileOf({ cluster })),
});

/** Reads the addresses of a running sandbox. @throws StartError if none has written them into the folder */
export function endpointsIn(folder: string): Endpoints {
  try {
    return JSON.parse(readFileSync(join(folder, "endpoints.json"), "utf8"));
  } catch {
    throw new StartError(`no sandbox has written its addresses into ${folder}: start one with npm start`);
  }
}

/** Opens a running sandbox by the files that it has written. */
export function sandboxPlace(folder: string): Place {
  const endpoints = endpointsIn(folder);
  const configuration = demoConfiguration({ apiServer: endpoints.kubernetes, authority: "" }, { probe: demoProbe });
  const { pools, command, probe } = configuration;
  const name = demo.cluster.name;
  const functions = workflowNames.map((workflow) => [workflow, `${conventionalName(name, workflow)}:${LIVE}`]);
  return {
    sandbox: folder,
    slackAppFile: join(folder, `${demo.cluster.name}.slack-app.yaml`),
    manifestValues: manifestValuesOf(configuration),
    pools: Object.keys(pools),
    zoneOf: (pool) => zoneOf({ pools }, pool),
    poolFacts: pools,
    probeImages: Object.values(probe.registries),
    cluster: name,
    clusterVersion: configuration.cluster.version,
    manifestFile: join(folder, "payload.json"),
    nameManifest: () => "The sandbox goes on with its own payload.",
    functionsServer: null,
    slack: configuration.slack,
    pollEveryMs: 100,
    frontDoor: async () => endpoints.frontDoor,
    profile: profileOf(configuration),
    commandWord: command,
    kubeconfig: join(folder, "kubeconfig"),
    // A sandbox has its own time, which may run faster than the host's, but hardly moves while a report is made.
    clock: async () => {
      const { now } = (await (await fetch(`${endpoints.control}/state`)).json()) as { now: string | number };
      const behind = new Date(now).getTime() - Date.now();
      return () => Date.now() + behind;
    },
    settings: async (account) =>
      settings({
        AWS_REGION: endpoints.region,
        AWS_ACCESS_KEY_ID: endpoints.accessKeyId,
        AWS_SECRET_ACCESS_KEY: endpoints.secretAccessKey,
        AWS_ENDPOINT_URL: endpoints.aws,
        CASEMENT_CLUSTER: name,
        CASEMENT_BUCKET: demo.bucket,
        CASEMENT_LEDGER_TABLE: demo.ledgerTable,
        CASEMENT_ACCOUNT: account,
        CASEMENT_SLACK_SECRET: demo.slackSecret,
        CASEMENT_SLACK_URL: `${endpoints.slack}/api/`,
        CASEMENT_FUNCTIONS: JSON.stringify(Object.fromEntries(functions)),
        CASEMENT_DOCUMENTS: JSON.stringify(documentHashes(scriptDocuments(name))),
      }),
  };
}

/** Reads an output of the stack; empty if the stack has no output of this name. */
async function outputOfStack(name: string, cluster: string, region: string): Promise<string> {
  const { Stacks } = await new CloudFormationClient({ region }).send(
    new DescribeStacksCommand({ StackName: `casement-${cluster}` }),
  );
  return Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue ?? "";
}

/** Reads the environment of the function `look`, which contains everything that the doctor needs. */
async function environmentOfStack(cluster: string, region: string): Promise<Record<string, string>> {
  const names = (await outputOfStack("Workflows", cluster, region)).split(" ");
  const FunctionName = names[workflowNames.indexOf("look")];
  if (!FunctionName) throw new StartError(`the stack casement-${cluster} names no functions: deploy it first`);
  const { Environment } = await new LambdaClient({ region }).send(
    new GetFunctionConfigurationCommand({ FunctionName }),
  );
  return Environment?.Variables ?? {};
}

/** Names a file beside a configuration: "prod-west.yaml" and "payload.json" give "prod-west.payload.json". */
export const fileBeside = (path: string, ending: string): string =>
  join(dirname(path), `${basename(path, extname(path))}.${ending}`);

/** Places the payload's manifest: where the configuration names it, or beside the configuration. */
function manifestPlace(path: string, named: string | undefined): Pick<Place, "manifestFile" | "nameManifest"> {
  const name = named ?? basename(fileBeside(path, "payload.json"));
  return {
    manifestFile: resolve(dirname(path), name),
    nameManifest: () => {
      const deploy = "Deploy the stack to put it to use.";
      if (named !== undefined) return deploy;
      const text = withPayloadManifest(readFileSync(path, "utf8"), name);
      if (text === null) return `Name it in ${path} as aws.payloadManifest: ${name}. ${deploy}`;
      writeFileSync(path, text);
      return `${path} names it now as aws.payloadManifest. ${deploy}`;
    },
  };
}

/**
 * Opens a deployment by its configuration file. AWS is called with the local credentials (profile, SSO, environment).
 * @throws Error that names the file and the fault
 */
export function deployedPlace(path: string): Place {
  const { aws, cluster, command, pools, probe, slack } = readDeployment(path, Date.now());
  return {
    sandbox: null,
    slackAppFile: fileBeside(path, "slack-app.yaml"),
    manifestValues: manifestValuesOf({ cluster, pools, probe }),
    pools: Object.keys(pools),
    zoneOf: (pool) => zoneOf({ pools }, pool),
    poolFacts: pools,
    probeImages: Object.values(probe.registries),
    cluster: cluster.name,
    clusterVersion: cluster.version,
    ...manifestPlace(path, aws.payloadManifest),
    functionsServer: aws.functionsNetwork ? cluster.apiServer : null,
    slack,
    pollEveryMs: 5_000,
    frontDoor: async () => {
      const url = await outputOfStack("FrontDoorUrl", cluster.name, cluster.region);
      if (!url) throw new StartError(`the stack casement-${cluster.name} names no front door: deploy it first`);
      return url;
    },
    profile: profileOf({ cluster }),
    commandWord: command,
    kubeconfig: null,
    clock: async () => Date.now,
    settings: async (account) => {
      const own = await defaultProvider()();
      return settings({
        ...(await environmentOfStack(cluster.name, cluster.region)),
        CASEMENT_ACCOUNT: account,
        AWS_REGION: cluster.region,
        AWS_ACCESS_KEY_ID: own.accessKeyId,
        AWS_SECRET_ACCESS_KEY: own.secretAccessKey,
        AWS_SESSION_TOKEN: own.sessionToken,
      });
    },
  };
}

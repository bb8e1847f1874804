import { readFileSync } from "node:fs";
import { join } from "node:path";
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
import { conventionalName } from "../../lib/place.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { demoConfiguration } from "../../lib/sandbox/demo-configuration.ts";
import type { Endpoints } from "../endpoints.ts";
import { StartError } from "../start-error.ts";

/** A configured pool, as far as a terminal reads it. */
interface PoolFacts {
  readonly maximum: number;
  /** Release of Windows Server, such as "2025". */
  readonly windows: string;
  readonly instanceTypes: readonly string[];
}

/** The Slack app's place in its workspace, by Slack's ids. */
interface SlackPlace {
  readonly teamId: string;
  readonly appId: string;
  readonly channel: string;
}

/** The place from which a terminal works: its cluster, and how the cluster administrator reaches it. */
export interface Place {
  /** Label keys that the configured pools give to nodes. */
  readonly labelKeys: readonly string[];
  /** Names of the configured pools. */
  readonly pools: readonly string[];
  /** The time zone in which people speak of a pool; null for the whole cluster. */
  zoneOf(pool: string | null): string;
  readonly poolFacts: Readonly<Record<string, PoolFacts>>;
  readonly cluster: string;
  readonly slack: SlackPlace;
  /** Host milliseconds between two looks at work under way. */
  readonly lookEveryMs: number;
  readonly profile: Profile;
  readonly commandWord: string;
  /** File with the administrator's way into the cluster; null for kubectl's own choice. */
  readonly kubeconfig: string | null;
  /** The clock that the functions go by, in milliseconds since the epoch. */
  clock(): Promise<() => number>;
  /** Address to which Slack sends its requests. Asks AWS. */
  frontDoor(): Promise<string>;
  /** Settings of the functions that use an account, read with the AWS credentials of this terminal. Asks AWS. */
  settings(account: Account): Promise<Settings>;
}

const keysOf = (pools: Deployment["pools"]): string[] =>
  Object.values(pools).flatMap(({ labels }) => Object.keys(labels));

function endpointsIn(folder: string): Endpoints {
  try {
    return JSON.parse(readFileSync(join(folder, "endpoints.json"), "utf8"));
  } catch {
    throw new StartError(`no sandbox has written its addresses into ${folder}: start one with npm start`);
  }
}

/** A sandbox that runs, by the files it has written. */
export function sandboxPlace(folder: string): Place {
  const endpoints = endpointsIn(folder);
  const configuration = demoConfiguration({ apiServer: endpoints.kubernetes, authority: "" });
  const { pools, command } = configuration;
  const name = demo.cluster.name;
  const functions = workflowNames.map((workflow) => [workflow, `${conventionalName(name, workflow)}:${LIVE}`]);
  return {
    labelKeys: keysOf(pools),
    pools: Object.keys(pools),
    zoneOf: (pool) => zoneOf({ pools }, pool),
    poolFacts: pools,
    cluster: name,
    slack: configuration.slack,
    lookEveryMs: 100,
    frontDoor: async () => endpoints.frontDoor,
    profile: profileOf(configuration),
    commandWord: command,
    kubeconfig: join(folder, "kubeconfig"),
    // A sandbox has its own time, and it may run faster than ours: over a report it hardly moves.
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

/** An output of the stack; empty when it has none of this name. */
async function outputOfStack(name: string, cluster: string, region: string): Promise<string> {
  const { Stacks } = await new CloudFormationClient({ region }).send(
    new DescribeStacksCommand({ StackName: `casement-${cluster}` }),
  );
  return Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue ?? "";
}

/** The functions of a stack by its output; the one that looks is told all that the doctor needs to know. */
async function environmentOfStack(cluster: string, region: string): Promise<Record<string, string>> {
  const names = (await outputOfStack("Workflows", cluster, region)).split(" ");
  const FunctionName = names[workflowNames.indexOf("look")];
  if (!FunctionName) throw new StartError(`the stack casement-${cluster} names no functions: deploy it first`);
  const { Environment } = await new LambdaClient({ region }).send(
    new GetFunctionConfigurationCommand({ FunctionName }),
  );
  return Environment?.Variables ?? {};
}

/**
 * A deployment, by its configuration file. AWS is called with the local credentials (profile, SSO, environment).
 * @throws Error that names the file and what is wrong with it
 */
export function deployedPlace(path: string): Place {
  const { cluster, command, pools, slack } = readDeployment(path, Date.now());
  return {
    labelKeys: keysOf(pools),
    pools: Object.keys(pools),
    zoneOf: (pool) => zoneOf({ pools }, pool),
    poolFacts: pools,
    cluster: cluster.name,
    slack,
    lookEveryMs: 5_000,
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

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EC2Client } from "@aws-sdk/client-ec2";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { type AwsCall, awsCalls } from "../../lambdas/clients/aws-call.ts";
import type { Settings } from "../../lambdas/settings.ts";
import type { Administrator } from "../connect/administrator.ts";
import { fileBeside } from "../connect/place.ts";
import { sandboxLine } from "../connect/place-flags.ts";
import type { Terminal } from "../connect/terminal.ts";
import type { Network } from "../payload/http.ts";
import { newestPatch } from "../payload/release-parts.ts";
import { StartError } from "../start-error.ts";
import { type AccountClients, type AccountFacts, accountFacts } from "./account.ts";
import { type ClusterFacts, clusterFacts } from "./cluster.ts";
import { addressesIn, type DiscoverLine } from "./command-line.ts";
import { difference } from "./difference.ts";
import { type Fact, found, read } from "./fact.ts";
import { type Proposal, type ProposalFacts, proposalOf } from "./proposal.ts";
import { type SlackFacts, slackClient, slackFacts, withoutSlack } from "./slack.ts";
import { slackAppManifest } from "./slack-app.ts";

/** Services that a discovery asks, with the access to them. */
export interface Sources {
  readonly administrator: Administrator;
  readonly network: Network;
  /** Options of AWS's clients beside the region: none for a person's own credentials. */
  readonly aws: { readonly endpoint?: string; readonly credentials?: Settings["credentials"] };
  readonly slackUrl: string;
  /** Token of the sandbox's app; undefined where a person has it. */
  readonly token: string | undefined;
  close(): Promise<void>;
}

const documents = new URL("../../docs/", import.meta.url);
const textOf = (name: string): string => readFileSync(new URL(name, documents), "utf8");

const existing = (file: string): string | null => (existsSync(file) ? readFileSync(file, "utf8") : null);

/**
 * Writes a file. Where there is another text, it shows what would change, and asks.
 * @returns a line for the summary
 */
async function writeProposed(file: string, text: string, { yes }: DiscoverLine, terminal: Terminal): Promise<string> {
  const before = existing(file);
  if (before === text) return `${file} is as it should be.`;
  if (before !== null && !yes) {
    terminal.note(`${file} would change:\n${difference(before, text)}`);
    if (!terminal.isInteractive) throw new StartError(`${file} exists: add --yes to replace it; nothing was written`);
    const answer = await terminal.ask(`Replace ${file}? Type yes: `);
    if (answer.trim().toLowerCase() !== "yes") return `${file} was left as it is.`;
  }
  writeFileSync(file, text);
  return `Wrote ${file}.`;
}

const payloadVersion = async ({ minor }: ClusterFacts, network: Network): Promise<Fact<string>> =>
  "missing" in minor
    ? minor
    : read(`newest patch of Kubernetes ${minor.value}, the cluster's minor, by dl.k8s.io`, () =>
        newestPatch(network, minor.value),
      );

function accountClients({ aws }: Sources, region: string): AccountClients {
  const options = { region, maxAttempts: 3, ...aws };
  const ec2 = new EC2Client(options);
  const call: AwsCall = async (request) => {
    const credentials = await ec2.config.credentials();
    return awsCalls({ region, credentials, awsEndpoint: aws.endpoint })(request);
  };
  return { ec2, lambda: new LambdaClient(options), call };
}

const noToken = "no token of the Slack app was given: run npm run connect -- discover again with it";

/** Asks for the token of the app's bot, after saying where it comes from. */
async function askedToken(line: DiscoverLine, terminal: Terminal, manifest: string): Promise<string> {
  if (line.fromStdin) return (await terminal.read()).trim();
  if (!terminal.isInteractive) return "";
  terminal.note(
    `The Slack app: at https://api.slack.com/apps choose Create New App, From a manifest, and paste ${manifest}.
Install it to the workspace, and invite it to a public channel. Its page OAuth & Permissions has the token.`,
  );
  return (
    await terminal.ask("Bot User OAuth Token (xoxb-…, not shown; Enter leaves Slack's values out): ", true)
  ).trim();
}

async function askSlack(line: DiscoverLine, sources: Sources, token: string): Promise<SlackFacts> {
  if (token === "") return withoutSlack(noToken, Object.keys(line.names.people));
  return slackFacts(slackClient(token, sources.slackUrl), line.names);
}

async function addresses({ notify, sandbox }: DiscoverLine, terminal: Terminal): Promise<ProposalFacts["notify"]> {
  if (notify !== undefined) return { value: notify, source: "--notify" };
  if (sandbox !== undefined) return { value: "none", source: "the sandbox has a subscriber of its own" };
  const typed = terminal.isInteractive
    ? addressesIn(
        await terminal.ask("E-mail addresses that are told of what needs a person, with commas between them: "),
      )
    : undefined;
  if (typed !== undefined) return { value: typed, source: "typed" };
  return { missing: "list e-mail addresses, or write none if something else subscribes to the topic" };
}

/** Executions that must stay unreserved (Lambda quotas), and the front door's own reservation by default. */
const NEEDED_CONCURRENCY = 110;

/** Nodes for which the quota should have room. */
const FEW_NODES = 5;

/** vCPUs of the example's first instance type, m6i.xlarge. */
const NODE_VCPUS = 4;

/** Tells how many nodes the quotas of the account leave room for. */
function quotaLines({ concurrency, vcpus }: AccountFacts): string[] {
  const executions = found(concurrency);
  const few =
    executions !== undefined && executions < NEEDED_CONCURRENCY
      ? [
          `This account may run ${executions} Lambda functions at a time, and the stack needs ${NEEDED_CONCURRENCY}: ask AWS for 1,000 ("Concurrent executions").`,
        ]
      : [];
  if ("missing" in vcpus) return [...few, `The quota of vCPUs was not read: ${vcpus.missing}`];
  const { quota, running } = vcpus.value;
  const room = Math.max(0, Math.floor((quota - running) / NODE_VCPUS));
  const more =
    room < FEW_NODES ? ' For more, ask AWS ("Running On-Demand Standard instances"), which takes a day.' : "";
  return [
    ...few,
    `Of ${quota} vCPUs that this account may run, ${running} run: room for ${room} nodes of ${NODE_VCPUS} vCPUs.${more}`,
  ];
}

function summary({ missing }: Proposal, { account }: ProposalFacts, line: DiscoverLine, file: string): string {
  const few = quotaLines(account);
  if (missing.size === 0)
    return [
      ...few,
      line.sandbox === undefined
        ? `Next: review it, export CASEMENT_CONFIGURATION=${file}, then npx cdk deploy.`
        : `Next: npx cdk synth --quiet -c configuration=${file}`,
    ].join("\n");
  const lines = [...missing].map(([path, why]) => `  ${path}: ${why}`);
  return [...few, "These values are still to be filled in:", ...lines].join("\n");
}

/**
 * Proposes a configuration by what cluster, account and Slack say, and writes it with the manifest of the Slack app.
 * @returns a summary for the terminal
 * @throws StartError if it may not replace a file
 */
export async function discover(line: DiscoverLine, sources: Sources, terminal: Terminal): Promise<string> {
  const note = sandboxLine(line.sandbox);
  if (note) terminal.note(note);
  const cluster = await clusterFacts(sources.administrator);
  const region = found(cluster.region);
  const [version, account] = await Promise.all([
    payloadVersion(cluster, sources.network),
    accountFacts(accountClients(sources, region ?? "us-east-1"), cluster.nodes, cluster.isPrivate),
  ]);
  const name = found(cluster.name) ?? "cluster";
  const file = line.file ?? join(line.sandbox ?? ".", `${name}.yaml`);
  const manifest = fileBeside(file, "slack-app.yaml");
  const app = slackAppManifest(textOf("slack-app-manifest.yaml"), {
    cluster: name,
    command: line.command,
    frontDoor: null,
  });
  const written = existsSync(manifest) ? [] : [await writeProposed(manifest, app, line, terminal)];
  const slack = await askSlack(line, sources, sources.token ?? (await askedToken(line, terminal, manifest)));
  const notify = await addresses(line, terminal);
  const facts = { cluster, version, account, slack, command: line.command, notify };
  const proposal = proposalOf(textOf("configuration.example.yaml"), facts, existing(file));
  written.push(await writeProposed(file, proposal.text, line, terminal));
  return `${[...written, summary(proposal, facts, line, file)].join("\n")}\n`;
}

import { type Document, isCollection, isMap, isScalar, parseDocument } from "yaml";
import { FILL_IN } from "../../lib/fill-in.ts";
import type { AccountFacts } from "./account.ts";
import type { ClusterFacts } from "./cluster.ts";
import { type Fact, found } from "./fact.ts";
import type { SlackFacts } from "./slack.ts";

/** Facts that a configuration is proposed from. */
export interface ProposalFacts {
  readonly cluster: ClusterFacts;
  /** Kubernetes version of the payload: the newest patch of the cluster's minor. */
  readonly version: Fact<string>;
  readonly account: AccountFacts;
  readonly slack: SlackFacts;
  /** The slash command. */
  readonly command: string;
  /** Addresses that are told of what needs a person, or "none". */
  readonly notify: Fact<readonly string[] | "none">;
}

/** A proposed configuration file. */
export interface Proposal {
  readonly text: string;
  /** Path of each value that a person must fill in → reason. */
  readonly missing: ReadonlyMap<string, string>;
}

/** Role that may act without an approval; a configuration may leave it out. */
const ON_CALL = "on-call";

/** Parts of the example that show what is possible: a new configuration goes by their defaults. */
const ONLY_IN_EXAMPLE = [
  ["approvals"],
  ["freezes"],
  ["deadlines"],
  ["mostNotReady"],
  ["retention"],
  ["pools", "web", "maintenance"],
  ["pools", "web", "labels"],
] as const;

const clusterValues = ({ cluster, version }: ProposalFacts) =>
  ({
    ...{ name: cluster.name, id: cluster.id, version, region: cluster.region, apiServer: cluster.apiServer },
    certificateAuthority: cluster.certificateAuthority,
    serviceNetwork: cluster.serviceNetwork,
    clusterNetwork: cluster.clusterNetwork,
    machineNetwork: cluster.machineNetwork,
    hybridOverlayPort: cluster.hybridOverlayPort,
    inputs: cluster.inputs,
  }) as const;

/** A value of the file at its path. */
type Entry = readonly [path: readonly string[], fact: Fact<unknown>];

/** A value that a file needs only where it differs from what is usual, which is null. */
const ifUnusual = (path: readonly string[], fact: Fact<unknown>): Entry[] =>
  "value" in fact && fact.value !== null ? [[path, fact]] : [];

function entriesOf(facts: ProposalFacts): Entry[] {
  const { account, slack } = facts;
  const { people, ...ids } = slack;
  const under = (at: readonly string[], values: Readonly<Record<string, Fact<unknown>>>): Entry[] =>
    Object.entries(values).map(([key, fact]) => [[...at, key], fact]);
  const isFound = (role: string): boolean => "value" in (people[role] ?? {});
  return [
    ...under(["cluster"], clusterValues(facts)),
    ...ifUnusual(["cluster", "dnsAddress"], facts.cluster.dnsAddress),
    ...under(["slack"], ids),
    ...under(["people"], people).filter(([[, role = ""]]) => role !== ON_CALL || isFound(role)),
    [["pools", "web", "subnets"], account.subnets],
    ...under(["aws"], { account: account.account, vpc: account.vpc }),
    ...under(["aws", "securityGroups"], { controlPlane: account.controlPlane, linuxNodes: account.linuxNodes }),
    ...ifUnusual(["aws", "volumeKey"], account.volumeKey),
    ...(account.functionsNetwork ? [[["aws", "functionsNetwork"], account.functionsNetwork] as const] : []),
    [["aws", "notify"], facts.notify],
  ];
}

/** Explains a key in place of the example's words, and sets it off from the lines before. */
function explain(document: Document, path: readonly string[], words: string | null, isApart: boolean): void {
  const map = document.getIn(path.slice(0, -1));
  const pair = isMap(map) ? map.items.find(({ key }) => isScalar(key) && key.value === path.at(-1)) : undefined;
  if (!pair || !isScalar(pair.key)) return;
  pair.key.commentBefore = words;
  pair.key.spaceBefore = isApart;
}

/** Writes a value with a comment behind it. */
function write(document: Document, path: readonly string[], value: unknown, comment: string): void {
  const node = document.createNode(value);
  if (isCollection(node)) node.flow = true;
  if (isScalar(node) || isCollection(node)) node.comment = ` ${comment}`;
  document.setIn(path, node);
}

/** Parts of a file that a person chooses: in a file that is there, they are never proposed anew. */
const CHOSEN: ReadonlySet<string> = new Set(["people", "pools"]);

/** Should the file keep the value that it has? A person's choice, and what was not found now, unless it is to be filled in. */
function isKept(document: Document, path: readonly string[], fact: Fact<unknown>, isNew: boolean): boolean {
  if (isNew || document.getIn(path) === FILL_IN) return false;
  const isChosen = CHOSEN.has(path[0] ?? "") || path.join(".") === "aws.notify";
  return isChosen || ("missing" in fact && document.hasIn(path));
}

/** Without people on call, no one may act without an approval. */
function withoutOnCall(document: Document, { people }: SlackFacts): void {
  if ("value" in (people[ON_CALL] ?? {})) return;
  document.deleteIn(["people", ON_CALL]);
  document.deleteIn(["policy", "break-glass"]);
}

const heading = (cluster: string): string =>
  ` The configuration of the cluster ${cluster}: one file, one stack, one Slack app. npm run connect -- discover proposed it;
 the comment behind a value names its source. docs/configuration.example.yaml explains each value, and those left out.
 Replace each ${FILL_IN}: until then every command refuses this file, and names what is missing.`;

/** Turns the example into the frame of a cluster's own file. */
function frameOf(example: string, { cluster, slack, command }: ProposalFacts): Document {
  const document = parseDocument(example);
  for (const path of ONLY_IN_EXAMPLE) document.deleteIn(path);
  withoutOnCall(document, slack);
  document.setIn(["command"], command);
  explain(document, ["cluster", "certificateAuthority"], " The API server's authority, put on every machine", false);
  explain(document, ["pools"], null, true);
  document.commentBefore = heading(found(cluster.name) ?? FILL_IN);
  return document;
}

/**
 * Proposes a configuration.
 * @param example text of docs/configuration.example.yaml, whose order, policy and explanations a new file has
 * @param earlier text of the file that is there: it stays as it is but for values that a service now names otherwise
 */
export function proposalOf(example: string, facts: ProposalFacts, earlier: string | null): Proposal {
  const document = earlier === null ? frameOf(example, facts) : parseDocument(earlier);
  const missing = new Map<string, string>();
  for (const [path, fact] of entriesOf(facts)) {
    if (isKept(document, path, fact, earlier === null)) continue;
    if ("missing" in fact) missing.set(path.join("."), fact.missing);
    write(document, path, "missing" in fact ? FILL_IN : fact.value, "missing" in fact ? fact.missing : fact.source);
  }
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  return { text: text.endsWith("\n") ? text : `${text}\n`, missing };
}

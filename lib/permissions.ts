import {
  command,
  forgetJoinSecrets,
  images,
  joinSecrets,
  launch,
  node,
  plans,
  seeAgents,
  seeDocuments,
  seeInstances,
  seePayload,
  seeProtection,
  seeSecurityGroups,
  seeSubnets,
  terminate,
} from "./machine-statements.ts";
import type { Statement } from "./statement.ts";
import {
  callPeople,
  clusterSecret,
  durable,
  followExecutions,
  keepDirectory,
  publishRelease,
  readDirectoryAtOnce,
  readLedger,
  runtimeDocument,
  slackSecret,
  start,
  wakeExecutions,
  writeLedger,
} from "./statements.ts";

/** Who holds permissions: one name per function, and "node" for the role of the Windows nodes. */
export type PrincipalName =
  | "front-door"
  | "cloud-events"
  | "add-nodes"
  | "provision-node"
  | "remove-node"
  | "look"
  | "sweep"
  | "release"
  | "node";

/** Where the permissions apply; fills the placeholders of the statements. */
export interface Place {
  readonly account: string;
  readonly region: string;
  /** Cluster name, as in the tag casement:cluster. */
  readonly cluster: string;
  readonly bucket: string;
  /** DynamoDB table of the ledger. */
  readonly table: string;
  /** Subnets of the pools. */
  readonly subnets: readonly string[];
  /** Security group of the Windows nodes. */
  readonly nodeGroup: string;
  /** Principal → name of its function or role in the account; where nobody chose, by convention. */
  readonly names?: Readonly<Partial<Record<PrincipalName, string>>>;
}

/** How functions and the nodes' role are called where names are free to choose: in the sandbox. The stack chooses none. */
export const conventionalName = (cluster: string, principal: string): string => `casement-${cluster}-${principal}`;

/** Function → the workflows that it starts; it is told their names. */
export const starts: Readonly<Partial<Record<PrincipalName, readonly PrincipalName[]>>> = {
  "front-door": ["add-nodes", "remove-node", "look"],
  "cloud-events": ["sweep", "look"],
  "add-nodes": ["provision-node"],
  // The doctor asks those that change something to try their own rights.
  look: ["provision-node", "remove-node"],
};

/** What each function may do, and the nodes. The stack grants exactly this and the sandbox enforces it. */
const permissions: Readonly<Record<PrincipalName, readonly Statement[]>> = {
  "front-door": [
    readLedger,
    writeLedger,
    slackSecret,
    start(starts["front-door"]),
    wakeExecutions("add-nodes", "provision-node", "remove-node"),
  ],
  "cloud-events": [
    runtimeDocument,
    readLedger,
    keepDirectory,
    slackSecret,
    wakeExecutions("provision-node"),
    start(starts["cloud-events"]),
  ],
  "add-nodes": [
    durable("add-nodes"),
    runtimeDocument,
    readLedger,
    writeLedger,
    slackSecret,
    seeInstances,
    seeSecurityGroups,
    images,
    start(starts["add-nodes"]),
    followExecutions("provision-node"),
    forgetJoinSecrets,
  ],
  "provision-node": [
    durable("provision-node"),
    wakeExecutions("add-nodes"),
    runtimeDocument,
    readLedger,
    writeLedger,
    slackSecret,
    clusterSecret,
    seeInstances,
    seeAgents,
    ...launch,
    terminate,
    plans,
    ...command,
    joinSecrets,
    callPeople,
  ],
  "remove-node": [
    durable("remove-node"),
    runtimeDocument,
    readLedger,
    writeLedger,
    slackSecret,
    clusterSecret,
    seeInstances,
    seeProtection,
    terminate,
    callPeople,
  ],
  sweep: [
    durable("sweep"),
    runtimeDocument,
    readLedger,
    writeLedger,
    slackSecret,
    followExecutions("add-nodes", "provision-node", "remove-node", "look"),
    forgetJoinSecrets,
    callPeople,
  ],
  look: [
    durable("look"),
    runtimeDocument,
    readLedger,
    writeLedger,
    slackSecret,
    clusterSecret,
    seeInstances,
    seeSubnets,
    seeSecurityGroups,
    images,
    seeDocuments,
    seeAgents,
    seePayload,
    start(starts.look),
  ],
  release: [publishRelease, readDirectoryAtOnce],
  node,
};

/** Does the function call the cluster's API, and so need a way to it? */
export const callsKubernetes = (principal: PrincipalName): boolean => permissions[principal].includes(clusterSecret);

const PLACEHOLDER = /\$\{(?:name:([a-z-]+)|(account|region|cluster|bucket|table|nodeGroup))\}/g;

/** A resource that there is one of for each subnet of the pools. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder is filled by permissionsFor.
const SUBNET = "${subnet}";

/**
 * The permissions of one cluster's stack.
 * @param place fills `${account}`, `${region}`, `${cluster}`, `${bucket}`, `${table}`, `${nodeGroup}`, `${name:…}`, and
 *   `${subnet}` by each of the subnets; IAM's own policy variables (`${ec2:SourceInstanceARN}`) stay for the evaluation
 * @returns the statements of every principal
 */
export function permissionsFor(place: Place): Readonly<Record<PrincipalName, readonly Statement[]>> {
  const nameOf = (principal: string): string =>
    place.names?.[principal as PrincipalName] ?? conventionalName(place.cluster, principal);
  const perSubnet = (resource: string): string[] =>
    resource.includes(SUBNET) ? place.subnets.map((subnet) => resource.replace(SUBNET, subnet)) : [resource];
  const spread = (key: string, value: unknown): unknown =>
    key === "resources" ? (value as string[]).flatMap(perSubnet) : value;
  const filled = JSON.stringify(permissions, spread).replace(
    PLACEHOLDER,
    (_, principal: string | undefined, field: string) => (principal ? nameOf(principal) : place[field as "account"]),
  );
  return JSON.parse(filled);
}

import { LIVE, RIGHTS } from "../lambdas/aliases.ts";
import { BY_TIME, UNFINISHED } from "../lambdas/records.ts";
import { asynchronousNames, callsKubernetes } from "./functions.ts";
import { launch, seeVolumeKey, useVolumeKey } from "./launch-statements.ts";
import {
  command,
  forgetJoinSecrets,
  images,
  joinSecrets,
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
import { node } from "./node-statements.ts";
import { filled, type Place, type PrincipalName, type ServicePlace } from "./place.ts";
import { type PolicyHolder, resourcePolicies } from "./resource-policies.ts";
import {
  keepFailedEvents,
  leaveNetworkToLambda,
  plugIntoVpc,
  publishToPeople,
  writeOwnLog,
} from "./service-statements.ts";
import type { ResourceStatement, Statement } from "./statement.ts";
import {
  callPeople,
  durable,
  followExecutions,
  keepCredential,
  keepDirectory,
  newestRuntime,
  publishRelease,
  reachCluster,
  readCallbacks,
  readDirectoryAtOnce,
  readLedger,
  readList,
  runtimeDocument,
  seeSubscribers,
  slackSecret,
  start,
  tryRights,
  wakeExecutions,
  withdrawRelease,
  writeLedger,
} from "./statements.ts";

/** Function → the workflows that it starts. */
const starts: Readonly<Partial<Record<PrincipalName, readonly PrincipalName[]>>> = {
  "front-door": ["add-nodes", "remove-node", "look"],
  "cloud-events": ["sweep", "look"],
  "add-nodes": ["provision-node"],
};

/** Functions that the doctor asks, in `look`, to try their own rights: those that change something in the account. */
const tried: readonly PrincipalName[] = ["provision-node", "remove-node"];

/** Is a function asked to try its own rights? */
export const isTried = (principal: PrincipalName): boolean => tried.includes(principal);

/** Workflow → the alias by which a function calls it; of others it is not told. */
export const aliasesFor = (principal: PrincipalName): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ...(starts[principal] ?? []).map((name) => [name, LIVE]),
    ...(principal === "look" ? tried : []).map((name) => [name, RIGHTS]),
  ]);

/** Permissions of each function's code, and of the nodes. The stack grants exactly these and the sandbox enforces them. */
const permissions: Readonly<Record<PrincipalName, readonly Statement[]>> = {
  "front-door": [
    readLedger,
    writeLedger,
    slackSecret,
    start(starts["front-door"]),
    wakeExecutions("add-nodes", "provision-node", "remove-node"),
  ],
  "cloud-events": [
    newestRuntime,
    readCallbacks,
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
    reachCluster("look"),
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
    reachCluster("join"),
    keepCredential("join"),
    seeInstances,
    seeAgents,
    ...launch,
    ...useVolumeKey,
    terminate,
    plans,
    ...command,
    ...joinSecrets,
    callPeople,
  ],
  "remove-node": [
    durable("remove-node"),
    runtimeDocument,
    readLedger,
    writeLedger,
    slackSecret,
    reachCluster("act"),
    keepCredential("act"),
    seeInstances,
    seeProtection,
    terminate,
    callPeople,
  ],
  sweep: [
    durable("sweep"),
    runtimeDocument,
    readLedger,
    readList(UNFINISHED),
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
    readList(BY_TIME),
    writeLedger,
    slackSecret,
    reachCluster("look"),
    keepCredential("look"),
    callPeople,
    seeInstances,
    seeSubnets,
    seeVolumeKey,
    seeSecurityGroups,
    images,
    seeDocuments,
    seeAgents,
    seePayload,
    seeSubscribers,
    tryRights(tried),
  ],
  release: [publishRelease, withdrawRelease, readDirectoryAtOnce],
  publisher: [publishToPeople],
  node,
};

/** Everybody who holds permissions. */
export const principals = Object.keys(permissions) as readonly PrincipalName[];

/** Roles that are no function's. */
const noFunction: ReadonlySet<string> = new Set<PrincipalName>(["publisher", "node"]);

/** Permissions that AWS's services use by a function's role; the role holds them before there is a function. */
const serviceStatements = (principal: PrincipalName, inVpc: boolean): readonly Statement[] => {
  if (noFunction.has(principal)) return [];
  const asynchronous = asynchronousNames.some((name) => name === principal);
  return [
    writeOwnLog(principal),
    ...(asynchronous ? [keepFailedEvents(principal)] : []),
    ...(inVpc && callsKubernetes(principal) ? [plugIntoVpc] : []),
  ];
};

/** Permissions granted to a function's code, and those of its role that the code is denied. */
const codeStatements = (principal: PrincipalName, inVpc: boolean): readonly Statement[] => [
  ...permissions[principal],
  ...(inVpc && callsKubernetes(principal) ? [leaveNetworkToLambda(principal)] : []),
];

/** Permissions that a function's role must hold before the function can be made. */
export const servicePermissionsFor = (principal: PrincipalName, place: ServicePlace): readonly Statement[] =>
  filled(serviceStatements(principal, place.functionsInVpc), place);

/** Permissions of a function's code, and denials of its role's further ones: the stack adds them once it knows all names. */
export const codePermissionsFor = (principal: PrincipalName, place: Place): readonly Statement[] =>
  // A statement for what is not configured, such as a key of volumes, has no resource left.
  filled(codeStatements(principal, place.functionsInVpc), place).filter(({ resources }) => resources.length > 0);

/**
 * The permissions of one cluster's stack.
 * @param place fills the statements' placeholders; one with `${subnet}` is repeated for each of the pools' subnets
 * @returns every statement that the role of each principal holds, allowing or denying
 */
export function permissionsFor(place: Place): Readonly<Record<PrincipalName, readonly Statement[]>> {
  const statementsOf = (principal: PrincipalName): readonly Statement[] => [
    ...servicePermissionsFor(principal, place),
    ...codePermissionsFor(principal, place),
  ];
  return Object.fromEntries(principals.map((principal) => [principal, statementsOf(principal)]) as unknown[][]);
}

/**
 * The policies that the stack's resources carry themselves.
 * @returns what each of them allows and denies to whom
 */
export const resourcePoliciesFor = (
  place: Place,
): Readonly<Partial<Record<PolicyHolder, readonly ResourceStatement[]>>> => filled(resourcePolicies, place);

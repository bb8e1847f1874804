import { LIVE, RIGHTS } from "../lambdas/aliases.ts";
import { BY_TIME, UNFINISHED } from "../lambdas/ledger-table.ts";
import {
  asynchronousNames,
  callsKubernetes,
  type FunctionName,
  functionNames,
  functionOf,
  functions,
  isFunction,
  type PermissionsName,
  type PrincipalName,
  triedNames,
} from "./functions.ts";
import { launch, seeVolumeKey, useVolumeKey } from "./launch-statements.ts";
import {
  command,
  fleetCommand,
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
import { filled, type Place, type ServicePlace } from "./place.ts";
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
  appendAudit,
  callPeople,
  durable,
  followExecutions,
  keepCredential,
  keepDirectory,
  leaveAudit,
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

/** The alias by which a function is asked to try its own rights, as far as it is asked. */
const rightsAliases = (asker: PrincipalName): readonly (readonly [string, string])[] =>
  asker === "look" ? triedNames.map((name) => [name, RIGHTS] as const) : [];

/** Workflow → the alias by which a function calls it; of others it is not told. */
export const aliasesFor = (principal: PrincipalName): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ...(functionOf(principal)?.starts ?? []).map((name) => [name, LIVE]),
    ...rightsAliases(principal),
  ]);

/**
 * Permissions by the name that a function's row gives, and those of the principals that have no row. The stack grants exactly
 * these and the sandbox enforces them.
 */
const permissions: Readonly<Record<PermissionsName | Exclude<PrincipalName, FunctionName>, readonly Statement[]>> = {
  "front-door": [
    readLedger,
    writeLedger,
    leaveAudit,
    slackSecret,
    start(functions["front-door"].starts),
    wakeExecutions("add-nodes", "provision-node", "cordon-node", "remove-node"),
  ],
  "cloud-events": [
    newestRuntime,
    readCallbacks,
    keepDirectory,
    slackSecret,
    wakeExecutions("provision-node", "update-authority"),
    start(functions["cloud-events"].starts),
  ],
  "add-nodes": [
    durable("add-nodes"),
    runtimeDocument,
    readLedger,
    writeLedger,
    ...appendAudit,
    slackSecret,
    reachCluster("look"),
    seeInstances,
    seeSecurityGroups,
    images,
    start(functions["add-nodes"].starts),
    followExecutions("provision-node"),
    forgetJoinSecrets,
  ],
  "provision-node": [
    durable("provision-node"),
    wakeExecutions("add-nodes"),
    runtimeDocument,
    readLedger,
    writeLedger,
    ...appendAudit,
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
  "cordon-node": [
    durable("cordon-node"),
    runtimeDocument,
    readLedger,
    writeLedger,
    slackSecret,
    reachCluster("act"),
    seeInstances,
    callPeople,
  ],
  "remove-node": [
    durable("remove-node"),
    runtimeDocument,
    readLedger,
    writeLedger,
    ...appendAudit,
    slackSecret,
    reachCluster("act"),
    keepCredential("act"),
    seeInstances,
    seeProtection,
    terminate,
    callPeople,
  ],
  "update-authority": [
    durable("update-authority"),
    runtimeDocument,
    readLedger,
    writeLedger,
    ...appendAudit,
    slackSecret,
    reachCluster("act"),
    seeInstances,
    seeAgents,
    plans,
    ...fleetCommand,
    callPeople,
  ],
  sweep: [
    durable("sweep"),
    runtimeDocument,
    readLedger,
    readList(UNFINISHED),
    writeLedger,
    ...appendAudit,
    slackSecret,
    reachCluster("act"),
    seeInstances,
    followExecutions("add-nodes", "provision-node", "cordon-node", "remove-node", "look", "sweep", "update-authority"),
    forgetJoinSecrets,
    callPeople,
  ],
  look: [
    durable("look"),
    runtimeDocument,
    readLedger,
    readList(BY_TIME, UNFINISHED),
    writeLedger,
    leaveAudit,
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
    tryRights(triedNames),
  ],
  release: [publishRelease, withdrawRelease, readDirectoryAtOnce],
  publisher: [publishToPeople],
  node,
};

/** Every principal that holds permissions. */
export const principals: readonly PrincipalName[] = [...functionNames, "release", "publisher", "node"];

const permissionsOf = (principal: PrincipalName): readonly Statement[] =>
  permissions[isFunction(principal) ? functions[principal].permissions : principal];

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
  ...permissionsOf(principal),
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

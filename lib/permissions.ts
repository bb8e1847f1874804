import type { Account } from "../lambdas/desired/accounts.ts";
import { BY_TIME, UNFINISHED } from "../lambdas/ledger-table.ts";
import { seeScalingGroups, tagAssisted } from "./assist-statements.ts";
import {
  type FunctionName,
  functionNames,
  functions,
  type PermissionsName,
  type PrincipalName,
  triedNames,
} from "./functions.ts";
import { launch, seeVolumeKey, useVolumeKey } from "./launch-statements.ts";
import {
  assistCommand,
  command,
  fleetCommand,
  fleetLook,
  forgetJoinSecrets,
  guardCommand,
  images,
  joinSecrets,
  lookCommand,
  plans,
  rebootCommand,
  rebootThroughEc2,
  seeAgents,
  seeAssociations,
  seeDocuments,
  seeInstances,
  seePayload,
  seeProtection,
  seeSecurityGroups,
  seeStatusChecks,
  seeSubnets,
  terminate,
} from "./machine-statements.ts";
import { node } from "./node-statements.ts";
import { publishToPeople } from "./service-statements.ts";
import type { Statement } from "./statement.ts";
import {
  appendAudit,
  durable,
  followExecutions,
  keepCredential,
  keepDirectory,
  leaveAudit,
  newestRuntime,
  publishRelease,
  putNotices,
  reachCluster,
  readAuditCopies,
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

/** Permissions of a durable function that reads the cluster, knows its machines, and speaks in Slack. */
const asksCluster = (name: FunctionName, account: Account): Statement[] => [
  durable(name),
  runtimeDocument,
  readLedger,
  writeLedger,
  slackSecret,
  reachCluster(account),
  seeInstances,
];

/** Permissions of every function that changes nodes by the account `act`. */
const actsOnNodes = (name: FunctionName): Statement[] => [...asksCluster(name, "act"), ...appendAudit, putNotices];

/** Functions whose executions wait for people: a button or a dialog wakes them. */
const whichAsk = [
  "add-nodes",
  "provision-node",
  "assist-node",
  "cordon-node",
  "guard-node",
  "drain-node",
  "reboot-node",
  "reboot-nodes",
  "remove-node",
] as const;

/** Asks, while waiting for a slot, whether its holder still runs. */
const followHoldersOfSlots = followExecutions("drain-node", "reboot-node", "remove-node");

/**
 * Permissions by the name that a function's row gives, and those of the principals that have no row. The stack grants exactly
 * these and the sandbox enforces them.
 */
export const permissions: Readonly<
  Record<PermissionsName | Exclude<PrincipalName, FunctionName>, readonly Statement[]>
> = {
  "front-door": [
    readLedger,
    writeLedger,
    leaveAudit,
    slackSecret,
    start(functions["front-door"].starts),
    wakeExecutions(...whichAsk),
  ],
  "cloud-events": [
    newestRuntime,
    readCallbacks,
    keepDirectory,
    slackSecret,
    wakeExecutions(
      "provision-node",
      "assist-node",
      "guard-node",
      "reboot-node",
      "reboot-nodes",
      "watch-reboots",
      "update-authority",
    ),
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
    putNotices,
  ],
  "assist-node": [
    ...actsOnNodes("assist-node"),
    seeAgents,
    seeAssociations,
    seeScalingGroups,
    ...tagAssisted,
    ...assistCommand,
  ],
  "cordon-node": [...actsOnNodes("cordon-node"), seeAssociations, seeScalingGroups],
  "guard-node": [...asksCluster("guard-node", "look"), ...appendAudit, seeAgents, putNotices, ...guardCommand],
  "drain-node": [
    ...actsOnNodes("drain-node"),
    seeAssociations,
    seeScalingGroups,
    seeAgents,
    ...lookCommand,
    followHoldersOfSlots,
  ],
  "reboot-nodes": [
    ...actsOnNodes("reboot-nodes"),
    seeAssociations,
    seeScalingGroups,
    seeAgents,
    ...fleetLook,
    start(functions["reboot-nodes"].starts),
    followExecutions("reboot-node"),
    wakeExecutions("reboot-node"),
    forgetJoinSecrets,
  ],
  "reboot-node": [
    wakeExecutions("reboot-nodes"),
    ...actsOnNodes("reboot-node"),
    seeAssociations,
    seeScalingGroups,
    seeStatusChecks,
    seeAgents,
    ...rebootCommand,
    ...rebootThroughEc2,
    followHoldersOfSlots,
  ],
  "remove-node": [...actsOnNodes("remove-node"), keepCredential("act"), seeProtection, followHoldersOfSlots, terminate],
  "stop-changes": [...asksCluster("stop-changes", "look"), ...appendAudit],
  "probe-nodes": [...asksCluster("probe-nodes", "act"), leaveAudit, putNotices],
  "watch-reboots": [...asksCluster("watch-reboots", "look"), leaveAudit, seeAgents, ...fleetLook],
  "update-authority": [...actsOnNodes("update-authority"), seeAgents, plans, ...fleetCommand],
  sweep: [
    durable("sweep"),
    start(functions.sweep.starts),
    runtimeDocument,
    readLedger,
    readList(UNFINISHED),
    writeLedger,
    ...appendAudit,
    slackSecret,
    reachCluster("act"),
    seeInstances,
    followExecutions(...whichAsk, "stop-changes", "look", "sweep", "update-authority"),
    forgetJoinSecrets,
    putNotices,
  ],
  look: [
    durable("look"),
    runtimeDocument,
    readLedger,
    readList(BY_TIME, UNFINISHED),
    writeLedger,
    leaveAudit,
    readAuditCopies,
    slackSecret,
    reachCluster("look"),
    keepCredential("look"),
    putNotices,
    seeInstances,
    seeSubnets,
    seeVolumeKey,
    seeSecurityGroups,
    images,
    seeDocuments,
    seeAgents,
    seeStatusChecks,
    ...lookCommand,
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

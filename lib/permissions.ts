import type { Appender } from "../lambdas/audit/appenders.ts";
import type { WorkflowName } from "../lambdas/capabilities/list.ts";
import type { Account } from "../lambdas/cluster/accounts.ts";
import { BY_TIME, UNFINISHED } from "../lambdas/records/ledger-table.ts";
import { seeScalingGroups, tagAssisted } from "./assist-statements.ts";
import { functionNames, functions, type PrincipalName, triedNames } from "./functions.ts";
import { clusterInputs, inputContents, machineInputs, seeInputSecrets } from "./input-statements.ts";
import { seeKey } from "./key-statements.ts";
import { launch, seeNetwork, seeVolumeKey, seeVpcDns } from "./launch-statements.ts";
import {
  appendAudit,
  askToAppend,
  closeKeptMachine,
  keepDirectory,
  readAuditCopies,
  readCallbacks,
  readLedger,
  readList,
  settleLeftWork,
  writeLedger,
} from "./ledger-statements.ts";
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
  restartCommand,
  seeAgents,
  seeAssociations,
  seeDocuments,
  seeInstances,
  seePayload,
  seeProtection,
  seeStatusChecks,
  seeSubnets,
  terminate,
} from "./machine-statements.ts";
import { node } from "./node-statements.ts";
import { publishToPeople } from "./service-statements.ts";
import type { Statement } from "./statement.ts";
import {
  durable,
  followExecutions,
  keepCredential,
  newestRuntime,
  publishRelease,
  putNotices,
  reachCluster,
  readDirectoryAtOnce,
  runtimeDocument,
  seeSubscribers,
  slackSecret,
  start,
  tryRights,
  wakeExecutions,
  withdrawRelease,
} from "./statements.ts";

/** Permissions of a durable function that reads the cluster and its machines, and posts in Slack. */
const asksCluster = (name: WorkflowName, account: Account): Statement[] => [
  durable(name),
  runtimeDocument,
  readLedger,
  writeLedger(name),
  slackSecret,
  reachCluster(account),
  seeInstances,
];

/** Permissions of every function that changes nodes with the account `act`; its cards name other operations on them. */
const actsOnNodes = (name: Appender): Statement[] => [
  ...asksCluster(name, "act"),
  askToAppend(name),
  ...[putNotices, readList(UNFINISHED)],
];

/** Functions of single nodes and rollouts whose executions wait for people and are woken by a button or a dialog. */
const whichAsk = [
  "add-nodes",
  "provision-node",
  "assist-node",
  "cordon-node",
  "guard-node",
  "drain-node",
  "reboot-node",
  "reboot-nodes",
  "restart-node",
  "remove-node",
] as const;

/** Shows what others do to a machine: SSM associations and Auto Scaling groups. */
const seeOthersWork = [seeAssociations, seeScalingGroups];

/**
 * Checks, while waiting for a slot, that the execution that holds the slot still runs; and that an own execution has
 * left the operation that this one continues.
 */
const followHoldersOfSlots = followExecutions("drain-node", "reboot-node", "restart-node", "remove-node");

/** Permissions of a function that reboots one node or restarts its services, alone or in a rollout, and proves it. */
const provesNodes = (name: Appender): Statement[] => [
  wakeExecutions("reboot-nodes"),
  ...actsOnNodes(name),
  settleLeftWork,
  ...seeOthersWork,
  seeStatusChecks,
  seeAgents,
  followHoldersOfSlots,
];

/** Permissions of every principal. The stack grants exactly these, and the sandbox enforces them. */
export const permissions: Readonly<Record<PrincipalName, readonly Statement[]>> = {
  "front-door": [
    readLedger,
    writeLedger("front-door"),
    slackSecret,
    start(functions["front-door"].starts),
    wakeExecutions(...whichAsk, "reconcile"),
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
      "restart-node",
      "watch-reboots",
      "update-authority",
      "reconcile",
    ),
    start(functions["cloud-events"].starts),
  ],
  "append-audit": [readLedger, ...appendAudit],
  "add-nodes": [
    ...asksCluster("add-nodes", "look"),
    askToAppend("add-nodes"),
    ...seeNetwork,
    images,
    start(functions["add-nodes"].starts),
    followExecutions("provision-node"),
    forgetJoinSecrets,
  ],
  "provision-node": [
    ...asksCluster("provision-node", "join"),
    askToAppend("provision-node"),
    wakeExecutions("add-nodes"),
    start(functions["provision-node"].starts),
    keepCredential("join"),
    seeAgents,
    ...launch,
    terminate,
    plans,
    ...machineInputs,
    ...command,
    ...joinSecrets,
    putNotices,
  ],
  "assist-node": [...actsOnNodes("assist-node"), seeAgents, ...seeOthersWork, ...tagAssisted, ...assistCommand],
  "cordon-node": [...actsOnNodes("cordon-node"), settleLeftWork, ...seeOthersWork],
  "guard-node": [
    ...asksCluster("guard-node", "look"),
    askToAppend("guard-node"),
    seeAgents,
    putNotices,
    ...guardCommand,
  ],
  "drain-node": [
    ...actsOnNodes("drain-node"),
    settleLeftWork,
    ...seeOthersWork,
    seeStatusChecks,
    seeAgents,
    ...lookCommand,
    followHoldersOfSlots,
  ],
  "reboot-nodes": [
    ...actsOnNodes("reboot-nodes"),
    ...seeOthersWork,
    seeAgents,
    ...fleetLook,
    start(functions["reboot-nodes"].starts),
    followExecutions("reboot-node", "reboot-nodes", "restart-node"),
    wakeExecutions("reboot-node", "restart-node"),
    forgetJoinSecrets,
  ],
  "reboot-node": [...provesNodes("reboot-node"), ...rebootCommand, ...rebootThroughEc2],
  "restart-node": [...provesNodes("restart-node"), ...restartCommand],
  "remove-node": [
    ...actsOnNodes("remove-node"),
    settleLeftWork,
    closeKeptMachine,
    keepCredential("act"),
    seeProtection,
    followHoldersOfSlots,
    terminate,
  ],
  "stop-changes": [...asksCluster("stop-changes", "look"), askToAppend("stop-changes")],
  "probe-nodes": [...asksCluster("probe-nodes", "act"), putNotices],
  "watch-reboots": [...asksCluster("watch-reboots", "look"), seeAgents, seeStatusChecks, ...fleetLook],
  "update-authority": [...actsOnNodes("update-authority"), seeAgents, plans, ...inputContents, ...fleetCommand],
  reconcile: [...actsOnNodes("reconcile"), seeAgents, plans, ...clusterInputs, ...fleetCommand],
  sweep: [
    ...asksCluster("sweep", "act"),
    askToAppend("sweep"),
    start(functions.sweep.starts),
    readList(UNFINISHED),
    followExecutions(...whichAsk, "stop-changes", "look", "sweep", "update-authority", "reconcile"),
    forgetJoinSecrets,
    putNotices,
    seeAgents,
  ],
  look: [
    ...asksCluster("look", "look"),
    readList(BY_TIME, UNFINISHED),
    ...readAuditCopies,
    keepCredential("look"),
    putNotices,
    seeSubnets,
    seeVpcDns,
    seeVolumeKey,
    seeKey,
    ...seeNetwork,
    images,
    seeDocuments,
    seeAgents,
    seeStatusChecks,
    ...lookCommand,
    seePayload,
    seeInputSecrets,
    seeSubscribers,
    tryRights(triedNames),
  ],
  release: [publishRelease, withdrawRelease, readDirectoryAtOnce],
  publisher: [publishToPeople],
  node,
};

/** Every principal that holds permissions. */
export const principals: readonly PrincipalName[] = [...functionNames, "release", "publisher", "node"];

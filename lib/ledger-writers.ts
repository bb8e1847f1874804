import type { WorkflowName } from "../lambdas/capabilities/list.ts";
import { commands } from "../lambdas/commands/list.ts";
import { clusterInputs } from "../lambdas/inputs/list.ts";
import {
  AUDIT_PARTITION,
  COMMAND_PARTITION,
  CORDON_PARTITION,
  DOOR_PARTITION,
  EXPORT_PARTITION,
  FILE_LISTS,
  keys,
  LEASE_PARTITION,
  MACHINE_PARTITION,
  MACHINES,
  MESSAGE_PARTITION,
  OPERATION_PARTITION,
  POOL_PARTITION,
  REMINDERS,
  RESPONSE_PARTITION,
  SLOTS,
  STOPS,
  TURN_PARTITION,
} from "../lambdas/records/ledger-table.ts";
import { lastRelease } from "../lambdas/records/machine-record.ts";
import type { FunctionName } from "./functions.ts";

/** Words of the commands that a workflow carries out, with that of the operation that its schedule requests. */
const wordsOf = (workflow: WorkflowName): readonly string[] => {
  if (workflow === "update-authority") return ["authority"];
  if (workflow === "reconcile") return [...new Set(clusterInputs.map(({ request }) => request.command))];
  // A child writes into the operation of its parent.
  const asked = workflow === "provision-node" ? "add-nodes" : workflow;
  return commands.filter((one) => one.workflow === asked || one.workflowOfMany === asked).map(({ name }) => name);
};

/** The partitions of the operations that a workflow carries out: an operation's id begins with its command. */
export const operationsOf = (workflow: WorkflowName): readonly string[] =>
  wordsOf(workflow).map((word) => `${OPERATION_PARTITION}${word}-*`);

/** The partitions of the audits of these operations. */
export const auditsOf = (workflow: WorkflowName): readonly string[] =>
  wordsOf(workflow).map((word) => `${AUDIT_PARTITION}${word}-*`);

/** The partitions of all operations. */
export const everyOperation = `${OPERATION_PARTITION}*`;

/** The partitions of all audits. */
export const everyAudit = `${AUDIT_PARTITION}*`;

const messages = `${MESSAGE_PARTITION}*`;
const leases = `${LEASE_PARTITION}*`;
const cordons = `${CORDON_PARTITION}*`;
const fleetCommands = `${COMMAND_PARTITION}*`;

/** Callbacks of executions that wait for a command or its machine. */
const callbacks = [fleetCommands, `${MACHINE_PARTITION}*`];

/** A message, the list of messages that Slack refused, and that of audit entries whose copies are missing. */
const published = [messages, keys.unsaid.pk, `${EXPORT_PARTITION}*`];

/** Partitions of a function that gives back what a dead child of it held: lease, slot, place, and the start-up taint of a Node. */
const heldByChildren = [leases, SLOTS, cordons, keys.registering.pk];

/** Partitions of a function that takes nodes out of service: slots, cordons, changes without an approval. */
const emptying = [leases, SLOTS, cordons, keys.breakGlass.pk, ...published];

/**
 * The partitions of the ledger that each function writes. People's requests and decisions are the front door's, freezes
 * and holds are those of `stop-changes`; docs/security.md has this table.
 */
export const ledgerWriters: Readonly<Record<Exclude<FunctionName, "cloud-events">, readonly string[]>> = {
  "front-door": [`${DOOR_PARTITION}*`, everyOperation, `${RESPONSE_PARTITION}*`],
  "add-nodes": [...operationsOf("add-nodes"), `${POOL_PARTITION}*`, ...heldByChildren, ...published],
  "provision-node": [
    ...operationsOf("provision-node"),
    ...[leases, keys.registering.pk, MACHINES, FILE_LISTS],
    ...callbacks,
    ...published,
  ],
  "assist-node": [...operationsOf("assist-node"), leases, MACHINES, ...callbacks, ...published],
  "cordon-node": [...operationsOf("cordon-node"), leases, cordons, ...published],
  "guard-node": [...operationsOf("guard-node"), leases, ...callbacks, ...published],
  "drain-node": [...operationsOf("drain-node"), ...emptying, ...callbacks],
  "reboot-nodes": [...operationsOf("reboot-nodes"), ...heldByChildren, MACHINES, fleetCommands, ...published],
  "reboot-node": [...operationsOf("reboot-node"), ...emptying, MACHINES, ...callbacks],
  "restart-node": [...operationsOf("restart-node"), ...emptying, MACHINES, ...callbacks],
  "remove-node": [...operationsOf("remove-node"), ...emptying],
  "stop-changes": [...operationsOf("stop-changes"), STOPS, ...published],
  "probe-nodes": [MACHINES, messages],
  "watch-reboots": [MACHINES, fleetCommands, messages],
  "update-authority": [
    ...operationsOf("update-authority"),
    ...[keys.inputWatch("authority").pk, leases, MACHINES, fleetCommands],
    ...published,
  ],
  reconcile: [
    ...operationsOf("reconcile"),
    ...clusterInputs.map(({ rule }) => keys.inputWatch(rule).pk),
    ...[leases, MACHINES, FILE_LISTS, fleetCommands],
    ...published,
  ],
  sweep: [
    ...[everyOperation, ...emptying, MACHINES, FILE_LISTS, keys.registering.pk, `${POOL_PARTITION}*`],
    ...[REMINDERS, `${TURN_PARTITION}*`, keys.announcedRules.pk],
    // What the last release kept of machines; the sweep moves it into their records.
    ...Object.values(lastRelease),
  ],
  look: [...operationsOf("look"), keys.inputWatch("credentials").pk, ...callbacks, messages],
};

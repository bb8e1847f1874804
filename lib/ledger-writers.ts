import type { WorkflowName } from "../lambdas/capabilities/list.ts";
import { commandsOf } from "../lambdas/commands/of-workflow.ts";
import { clusterInputs } from "../lambdas/inputs/list.ts";
import {
  AUDIT_PARTITION,
  COMMAND_PARTITION,
  CORDON_PARTITION,
  DOOR_PARTITION,
  EXPORT_PARTITION,
  FILE_LISTS,
  FLEET_CALLS,
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

/** The partitions of the operations that a workflow carries out: an operation's id begins with its command. */
export const operationsOf = (workflow: WorkflowName): readonly string[] =>
  commandsOf(workflow).map((word) => `${OPERATION_PARTITION}${word}-*`);

/** The partitions of all operations. */
export const everyOperation = `${OPERATION_PARTITION}*`;

const messages = `${MESSAGE_PARTITION}*`;
const leases = `${LEASE_PARTITION}*`;
const cordons = `${CORDON_PARTITION}*`;
const fleetCommands = `${COMMAND_PARTITION}*`;

/** Callbacks of executions that wait for a command or its machine. */
const callbacks = [fleetCommands, `${MACHINE_PARTITION}*`];

/** A message, and the list of messages that Slack refused. */
const published = [messages, keys.unsaid.pk];

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
  "append-audit": [`${AUDIT_PARTITION}*`, `${EXPORT_PARTITION}*`],
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
  "drain-node": [...operationsOf("drain-node"), ...emptying],
  "reboot-nodes": [...operationsOf("reboot-nodes"), ...heldByChildren, MACHINES, fleetCommands, ...published],
  "reboot-node": [...operationsOf("reboot-node"), ...emptying, MACHINES, ...callbacks],
  "restart-node": [...operationsOf("restart-node"), ...emptying, MACHINES, ...callbacks],
  "remove-node": [...operationsOf("remove-node"), ...emptying],
  "stop-changes": [...operationsOf("stop-changes"), STOPS, ...published],
  "probe-nodes": [MACHINES, messages],
  "watch-reboots": [MACHINES, fleetCommands, keys.strays.pk, keys.machineEvents.pk, messages],
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
    ...[REMINDERS, FLEET_CALLS, `${TURN_PARTITION}*`, keys.announcedRules.pk],
    // What the last release kept of machines; the sweep moves it into their records.
    ...Object.values(lastRelease),
  ],
  look: [...operationsOf("look"), keys.inputWatch("credentials").pk, messages],
};

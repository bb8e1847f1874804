import { LONGEST_COMMAND } from "../../commands/normalize.ts";
import { isOperationId } from "../../commands/operation-id.ts";
import { offerPartition, operationPartition } from "../../records/ledger-table.ts";
import { parseGroup } from "../../records/node-work.ts";
import type { Message } from "../../records/records.ts";
import {
  APPROVE_OPERATION,
  CANCEL_OPERATION,
  CONTINUE_DRAIN,
  CONTINUE_REBOOT,
  CONTINUE_REMOVAL,
  DENY_OPERATION,
  DO_NEXT,
  EC2_REBOOT,
  INSTALL_GUARD,
  KEEP_ALL,
  KEEP_CORDONED,
  KEEP_INSTANCE,
  KEEP_ONE,
  LOOK_AGAIN,
  OPEN_AWS,
  OPEN_RUNBOOK,
  OPEN_SCREENSHOT,
  PAUSE_ROLLOUT,
  PROVE_AGAIN,
  REBOOT_THROUGH_EC2,
  REBOOT_WITH_PODS,
  RESTART_SERVICES,
  RESUME_ROLLOUT,
  RESUME_WITH_MORE,
  RUN_UNAPPROVED,
  TAKE_WAIT,
  TERMINATE_ALL,
  TERMINATE_INSTANCE,
  TRY_AGAIN,
  UNCORDON_NODE,
} from "./buttons.ts";

/**
 * Message that carries a kind of button: "operation" is one of the operation that the value names, "command" one that
 * offers the command in the value, or a private answer; "wait" one that calls people to the wait in the value; "any" for a
 * link, which does nothing.
 */
export type Carrier = "operation" | "command" | "wait" | "any";

/** Carriers of all kinds of buttons, by action id. */
export const carriers: Readonly<Record<string, Carrier>> = {
  ...{ [APPROVE_OPERATION]: "operation", [DENY_OPERATION]: "operation", [CANCEL_OPERATION]: "operation" },
  [RUN_UNAPPROVED]: "operation",
  ...{ [PAUSE_ROLLOUT]: "operation", [RESUME_ROLLOUT]: "operation", [RESUME_WITH_MORE]: "operation" },
  ...{ [KEEP_INSTANCE]: "operation", [TERMINATE_INSTANCE]: "operation", [TRY_AGAIN]: "operation" },
  ...{ [KEEP_ONE]: "operation", [KEEP_ALL]: "operation", [TERMINATE_ALL]: "operation" },
  ...{ [CONTINUE_DRAIN]: "operation", [CONTINUE_REBOOT]: "operation", [CONTINUE_REMOVAL]: "operation" },
  ...{ [REBOOT_WITH_PODS]: "operation", [EC2_REBOOT]: "operation" },
  ...{ [LOOK_AGAIN]: "command", [DO_NEXT]: "command", [RESTART_SERVICES]: "command", [INSTALL_GUARD]: "command" },
  ...{ [PROVE_AGAIN]: "command", [KEEP_CORDONED]: "command", [UNCORDON_NODE]: "command" },
  [REBOOT_THROUGH_EC2]: "command",
  [TAKE_WAIT]: "wait",
  ...{ [OPEN_RUNBOOK]: "any", [OPEN_AWS]: "any", [OPEN_SCREENSHOT]: "any" },
};

/** Finds the operation in a button's value: "add-3f9c2a71", or the same with numbers; null for any other text. */
export function operationOf(value: string): string | null {
  const operation = parseGroup(value)?.operation ?? value;
  return isOperationId(operation) ? operation : null;
}

/**
 * Finds the partition that lists the messages with a button; null for a link, and for a value that is not Casement's. The
 * longest command fits into DynamoDB's partition keys, which hold 2,048 bytes (Developer Guide, "Quotas").
 */
export function cardPartition(actionId: string, value: string): string | null {
  const operation = operationOf(value);
  if (carriers[actionId] === "operation") return operation && operationPartition(operation);
  const isOffer = carriers[actionId] === "command" || carriers[actionId] === "wait";
  return isOffer && value !== "" && value.length <= LONGEST_COMMAND ? offerPartition(value) : null;
}

/** A button as Slack takes it. */
interface SentButton {
  readonly action_id: string;
  readonly value: string;
}

/** Finds the partitions that must list a message, by its buttons. */
export function cardPartitions({ blocks }: Message): string[] {
  const rows = blocks.filter(({ type }) => type === "actions") as readonly { readonly elements?: SentButton[] }[];
  const found = rows
    .flatMap(({ elements = [] }) => elements)
    .flatMap(({ action_id, value }) => cardPartition(action_id, value) ?? []);
  return [...new Set(found)];
}

/** Does a message have a button that runs a command? */
export const hasOffers = (message: Message): boolean =>
  cardPartitions(message).some((partition) => partition.startsWith(offerPartition("")));

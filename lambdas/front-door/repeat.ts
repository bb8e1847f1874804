import { commandOf, isChange } from "../commands/list.ts";
import { operationId } from "../commands/operation-id.ts";
import { parse } from "../commands/parse.ts";
import type { Request } from "../commands/request.ts";
import {
  alreadyTriedAgain,
  lateClick,
  notTriedAgain,
  staleClick,
  startedAnswer,
} from "../messages/command/acknowledgements.ts";
import { refusalMessage } from "../messages/command/refusals.ts";
import { retryOf } from "../messages/operation/retry.ts";
import type { NodeWork } from "../records/node-work.ts";
import { isKept, type Message, type OperationRecord, type OperationStatus } from "../records/records.ts";
import { accept } from "./accept.ts";
import type { PlacedClick } from "./carrier.ts";
import { followPressed } from "./follow-up.ts";
import type { FrontDoor } from "./front-door.ts";
import { refusalOf } from "./permission.ts";

/** A person who presses a button that starts an operation. */
export interface ButtonPress extends PlacedClick {
  readonly userName: string;
  /** Slack's id of the click: the same for a repeated delivery. */
  readonly triggerId: string;
}

/** The answer that an operation was started. */
interface StartAnswer extends Message {
  readonly isStarted?: true;
}

/**
 * Starts a request with the same checks as if the person had typed it. The answer of a look replaces the private message
 * whose button was pressed.
 * @param cause names the operation: the same cause again is the same operation
 * @returns the private answer; null if a dialog opened instead, or the look's answer is enough
 */
async function start(
  door: FrontDoor,
  presser: ButtonPress,
  request: Request,
  cause: string,
): Promise<StartAnswer | null> {
  const refusal = await refusalOf(door, presser, request.command);
  if (refusal) return refusalMessage(refusal);
  const { userId, userName, channel, triggerId } = presser;
  const isLook = !isChange(request.command);
  const responseUrl = isLook ? presser.responseUrl : undefined;
  const requester = { userId, userName, channel };
  const operation = await accept(door, {
    request,
    requester,
    triggerId,
    cause,
    ...(responseUrl ? { responseUrl } : {}),
  });
  if (operation.executionArn !== null) return alreadyTriedAgain(operation);
  if (!isLook) await followPressed(door, presser, operation);
  if (operation.status !== "requested") return startedAnswer(operation);
  return commandOf(request.command).dialog || responseUrl ? null : { ...startedAnswer(operation), isStarted: true };
}

/** Ends of attempts that did none of the work, so that the one repetition is still available. */
const DID_NOTHING: ReadonlySet<OperationStatus> = new Set(["not-started", "refused"]);

/**
 * Finds the cause that names the operation of a button that may do its work once. If an attempt did nothing, the next one
 * is named after that attempt: of all presses, only one ever does the work.
 * @param cause that names the first attempt
 */
export async function causeOfAttempt(
  door: FrontDoor,
  command: Request["command"],
  cause: string,
  didNothing: (attempt: OperationRecord) => boolean = ({ status }) => DID_NOTHING.has(status),
): Promise<string> {
  const attempt = await door.steps.ledger.operation(operationId(door.configuration.cluster.name, command, cause));
  return attempt && didNothing(attempt) ? causeOfAttempt(door, command, `again ${attempt.id}`, didNothing) : cause;
}

/**
 * Starts the request of a failed operation again. An `add` is repeated only once, no matter how often and by whom the
 * button is pressed; if that attempt was not started or was refused, it can be repeated. A removal opens its dialog
 * each time.
 * @param id of the operation that failed
 * @returns the private answer; null if a dialog opened instead
 */
export async function tryAgain(door: FrontDoor, presser: ButtonPress, id: string): Promise<Message | null> {
  const operation = await door.steps.ledger.operation(id);
  if (!operation) return staleClick;
  const request = retryOf(operation, await door.steps.ledger.nodes(id));
  if (!request) return notTriedAgain(operation);
  const { command } = request;
  const cause = commandOf(command).dialog ? presser.triggerId : await causeOfAttempt(door, command, `again ${id}`);
  return start(door, presser, request, cause);
}

/** Commands that a button may run: those that show a node, and those whose workflow checks the person again. */
const TYPED: ReadonlySet<string> = new Set<Request["command"]>([
  "node",
  "why",
  "cordon",
  "uncordon",
  "assist",
  "guard",
  "drain",
  "reboot",
  "restart",
  "prove",
  "remove",
  "thaw",
  "unhold",
]);

/**
 * Starts the command that a button contains as if the person had typed it.
 * @param text the command without the command word
 * @returns the private answer; null if a dialog opened instead
 */
export async function typeAgain(door: FrontDoor, presser: ButtonPress, text: string): Promise<Message | null> {
  const { command, pools } = door.configuration;
  const parsed = parse(text, { pools: Object.keys(pools), commandWord: command });
  if ("problem" in parsed || !TYPED.has(parsed.request.command)) return staleClick;
  return start(door, presser, parsed.request, presser.triggerId);
}

/**
 * Starts the removal of a kept machine, for a button whose workflow no longer waits.
 * @returns the private answer; null if a dialog opened instead
 */
export async function terminateKept(
  door: FrontDoor,
  presser: ButtonPress,
  { operation, index }: NodeWork,
): Promise<Message | null> {
  const node = (await door.steps.ledger.nodes(operation)).find((one) => one.index === index);
  if (!node?.instanceId || !isKept(node)) return lateClick(`node ${index + 1} of ${operation}`);
  const request = { command: "remove", node: node.instanceId, dryRun: false } as const;
  return start(door, presser, request, presser.triggerId);
}

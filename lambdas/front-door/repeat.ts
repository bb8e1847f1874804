import { commandOf } from "../commands/list.ts";
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
import { isKept, type Message, type OperationStatus } from "../records/records.ts";
import { accept } from "./accept.ts";
import type { FrontDoor } from "./front-door.ts";
import { refusalOf, type SlackSender } from "./permission.ts";

/** A person who presses a button that starts an operation. */
export interface ButtonPress extends SlackSender {
  readonly userName: string;
  /** Slack's id of the click: the same for a repeated delivery. */
  readonly triggerId: string;
}

/**
 * Starts a request as if the person had typed it, and judges them like it.
 * @param cause names the operation: the same cause again is the same operation
 * @returns null when a dialog says everything
 */
async function start(door: FrontDoor, presser: ButtonPress, request: Request, cause: string): Promise<Message | null> {
  const refusal = await refusalOf(door, presser, request.command);
  if (refusal) return refusalMessage(refusal);
  const { userId, userName, channel, triggerId } = presser;
  const operation = await accept(door, { request, requester: { userId, userName, channel }, triggerId, cause });
  if (operation.executionArn !== null) return alreadyTriedAgain(operation);
  return commandOf(request.command).dialog && operation.status === "requested" ? null : startedAnswer(operation);
}

/** An end without an execution, or with a refusal: it did none of the work, so it does not use the one repetition up. */
const DID_NOTHING: ReadonlySet<OperationStatus> = new Set(["not-started", "refused"]);

/**
 * Names the cause of the repetition of an `add`. One that did nothing is a link of a chain: the next attempt is named after it,
 * so that there is never more than one that works.
 * @param id of the operation that failed
 */
async function causeOfRetry(door: FrontDoor, id: string): Promise<string> {
  const cause = `again ${id}`;
  const attempt = await door.steps.ledger.operation(operationId(door.configuration.cluster.name, "add", cause));
  return attempt && DID_NOTHING.has(attempt.status) ? causeOfRetry(door, attempt.id) : cause;
}

/**
 * Starts the request of a failed operation again. An `add` is tried again once, however often and by whomever the button is
 * pressed, and once more if that attempt was not started or was refused; a removal asks by its dialog each time.
 * @param id of the operation that failed
 * @returns what the person alone reads
 */
export async function tryAgain(door: FrontDoor, presser: ButtonPress, id: string): Promise<Message | null> {
  const operation = await door.steps.ledger.operation(id);
  if (!operation) return staleClick;
  const request = retryOf(operation, await door.steps.ledger.nodes(id));
  if (!request) return notTriedAgain(operation);
  return start(
    door,
    presser,
    request,
    commandOf(request.command).dialog ? presser.triggerId : await causeOfRetry(door, id),
  );
}

/** Commands that a button may type: those that show a node, and those that the workflow judges again before it acts. */
const TYPED: ReadonlySet<string> = new Set<Request["command"]>([
  "node",
  "why",
  "cordon",
  "uncordon",
  "assist",
  "guard",
  "drain",
  "reboot",
  "prove",
  "remove",
]);

/**
 * Starts the command that a button holds as if the person had typed it.
 * @param text behind the command word
 * @returns what the person alone reads; null when a dialog says everything
 */
export async function typeAgain(door: FrontDoor, presser: ButtonPress, text: string): Promise<Message | null> {
  const { command, pools } = door.configuration;
  const parsed = parse(text, { pools: Object.keys(pools), commandWord: command });
  if ("problem" in parsed || !TYPED.has(parsed.request.command)) return staleClick;
  return start(door, presser, parsed.request, presser.triggerId);
}

/**
 * Asks for the removal of a kept machine: nothing waits for its button any more.
 * @returns what the person alone reads
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

import type { Foundation } from "../core/foundation.ts";
import type { Collection } from "../core/store.ts";
import { type Agenda, agenda } from "../machine/agenda.ts";
import type { ControlPlane, Job, StepResult, StepStatus } from "../machine/control-plane.ts";
import type { Machines } from "../machine/machines.ts";
import { errorsOf } from "./aggregate.ts";
import { contentOf, type Documents, stepsOf } from "./documents.ts";
import { type Command, type Invocation, type InvocationStatus, isOver, type StatusDetails } from "./model.ts";

/** A machine that a command is for. */
export interface Recipient {
  readonly instanceId: string;
  readonly computerName: string;
  /** Reason why it will not be delivered there; null when it will. */
  readonly refused: Extract<StatusDetails, "AccessDenied" | "InvalidPlatform"> | null;
}

/** Brings commands to agents, and results back. */
export interface Delivery {
  /** Takes a new command over, with what is known of each of its machines. */
  send(command: Command, recipients: readonly Recipient[]): void;
  /** Number of invocations that wait for an agent. */
  pending(): number;
  /** Cancels it on these machines. */
  cancel(command: Command, instanceIds: readonly string[]): void;
  invocationsOf(command: Command): Invocation[];
  /** The agents' side of it. */
  readonly agents: Pick<ControlPlane, "ready" | "report">;
  /** The instance is gone for good: nothing can be delivered there. */
  forget(instanceId: string): void;
  resume(): void;
}

/** A message reaches an agent within a second or so (assumed). */
const DISPATCH_MS = 900;
/** Not taken by then it is "Delayed", and tried again each minute (assumed). */
const RETRY_MS = 60_000;

interface Post {
  readonly foundation: Foundation;
  readonly machines: Machines;
  readonly documents: Documents;
  readonly commands: Collection<Command>;
  readonly invocations: Collection<Invocation>;
  agenda: Agenda | undefined;
}

const keyOf = (commandId: string, instanceId: string): string => `${commandId}/${instanceId}`;

const invocationsOf = (post: Post, command: Command): Invocation[] =>
  command.instanceIds.flatMap((id) => post.invocations.get(keyOf(command.commandId, id)) ?? []);

function move(post: Post, invocation: Invocation, status: InvocationStatus, details: StatusDetails = status): void {
  invocation.status = status;
  invocation.details = details;
  post.invocations.set(keyOf(invocation.commandId, invocation.instanceId), invocation);
  const { commandId, instanceId } = invocation;
  const documentName = post.commands.get(commandId)?.documentName ?? "";
  const requestedAt = new Date(invocation.requestedAt).toISOString();
  post.foundation.bus.announce({
    kind: "command-invocation",
    commandId,
    documentName,
    instanceId,
    status,
    requestedAt,
  });
}

function jobOf(post: Post, command: Command): Job {
  const document = post.documents.find(command.documentName, command.documentVersion);
  const { commandId, documentName, parameters } = command;
  return { commandId, documentName, parameters, steps: stepsOf(contentOf(document.content)) };
}

const waits = (invocation: Invocation): boolean => invocation.deliveredAt === null && !isOver(invocation);

/** May one more machine begin? */
function hasRoom(post: Post, command: Command): boolean {
  const busy = invocationsOf(post, command).filter((one) => one.deliveredAt !== null && !isOver(one)).length;
  return busy < command.maxConcurrency;
}

const inTime = (post: Post, command: Command): boolean =>
  post.foundation.clock.now() <= command.requestedAt + command.timeoutSeconds * 1000;

function tryDeliver(post: Post, command: Command, invocation: Invocation): void {
  if (!waits(invocation) || !inTime(post, command) || !hasRoom(post, command)) return;
  if (!post.machines.deliver(invocation.instanceId, jobOf(post, command))) return;
  invocation.deliveredAt = post.foundation.clock.now();
  move(post, invocation, "InProgress");
}

/** After too many errors, what has not begun is not begun any more. */
function stopAtErrors(post: Post, command: Command): void {
  const all = invocationsOf(post, command);
  const stuck = all.length > command.maxConcurrency && errorsOf(all) > command.maxErrors;
  if (!stuck) return;
  for (const invocation of all) if (waits(invocation)) move(post, invocation, "Failed", "Terminated");
}

function dispatch(post: Post, commandId: string): void {
  const command = post.commands.get(commandId);
  if (!command) return;
  stopAtErrors(post, command);
  for (const invocation of invocationsOf(post, command)) tryDeliver(post, command, invocation);
}

/** Tries again what no agent took, and calls it delayed. */
function retry(post: Post, commandId: string): void {
  dispatch(post, commandId);
  const command = post.commands.get(commandId);
  const waiting = command ? invocationsOf(post, command).filter(waits) : [];
  for (const invocation of waiting) if (invocation.status === "Pending") move(post, invocation, "Delayed");
  if (command && waiting.length > 0 && inTime(post, command)) plan(post, "retry", commandId, RETRY_MS);
}

/** Delivery and execution time together are over (user guide, "Understanding command statuses"). */
function expire(post: Post, commandId: string): void {
  const command = post.commands.get(commandId);
  for (const invocation of command ? invocationsOf(post, command) : []) {
    if (isOver(invocation)) continue;
    move(post, invocation, "TimedOut", invocation.deliveredAt === null ? "DeliveryTimedOut" : "ExecutionTimedOut");
  }
}

const plan = (post: Post, what: string, commandId: string, ms: number): void =>
  post.agenda?.set(`${what}/${commandId}`, ms, what, { commandId });

function send(post: Post, command: Command, recipients: readonly Recipient[]): void {
  const { commandId, requestedAt } = command;
  post.commands.set(commandId, command);
  if (command.verdict) return;
  for (const { instanceId, computerName, refused } of recipients) {
    const blank = { status: "Pending", details: "Pending", deliveredAt: null, steps: [] } as const;
    const invocation = { commandId, instanceId, computerName, requestedAt, ...blank };
    if (refused) move(post, invocation, "Failed", refused);
    else move(post, invocation, "Pending");
  }
  plan(post, "dispatch", commandId, DISPATCH_MS);
  plan(post, "retry", commandId, RETRY_MS);
  plan(post, "expire", commandId, (command.timeoutSeconds + command.executionSeconds) * 1000);
}

function cancel(post: Post, command: Command, instanceIds: readonly string[]): void {
  command.cancelled = true;
  post.commands.set(command.commandId, command);
  for (const invocation of invocationsOf(post, command)) {
    if (isOver(invocation) || !instanceIds.includes(invocation.instanceId)) continue;
    if (invocation.deliveredAt === null) {
      move(post, invocation, "Cancelled");
      continue;
    }
    move(post, invocation, "Cancelling");
    post.machines.cancel(invocation.instanceId, command.commandId);
  }
}

const outcomes: Readonly<Record<StepStatus, readonly [InvocationStatus, StatusDetails]>> = {
  Success: ["Success", "Success"],
  Failed: ["Failed", "Failed"],
  TimedOut: ["TimedOut", "ExecutionTimedOut"],
  Cancelled: ["Cancelled", "Cancelled"],
};

function report(
  post: Post,
  instanceId: string,
  commandId: string,
  status: StepStatus,
  steps: readonly StepResult[],
): void {
  const invocation = post.invocations.get(keyOf(commandId, instanceId));
  if (!invocation || isOver(invocation)) return;
  invocation.steps = steps;
  move(post, invocation, ...outcomes[status]);
  dispatch(post, commandId);
}

const waitingAt = (post: Post, instanceId: string): Invocation[] =>
  post.invocations.values().filter((one) => one.instanceId === instanceId && waits(one));

/**
 * Opens the delivery of commands.
 * @param documents where a command's steps are looked up
 */
export function openDelivery(foundation: Foundation, machines: Machines, documents: Documents): Delivery {
  const commands: Collection<Command> = foundation.store.collection("ssm-commands");
  const invocations: Collection<Invocation> = foundation.store.collection("ssm-invocations");
  const post: Post = { foundation, machines, documents, commands, invocations, agenda: undefined };
  post.agenda = agenda(foundation, "ssm-agenda", {
    dispatch: ({ commandId = "" }) => dispatch(post, commandId),
    retry: ({ commandId = "" }) => retry(post, commandId),
    expire: ({ commandId = "" }) => expire(post, commandId),
  });
  return {
    send: (command, recipients) => send(post, command, recipients),
    pending: () => invocations.values().filter(waits).length,
    cancel: (command, instanceIds) => cancel(post, command, instanceIds),
    invocationsOf: (command) => invocationsOf(post, command),
    agents: {
      ready: (instanceId) => {
        for (const one of waitingAt(post, instanceId)) dispatch(post, one.commandId);
      },
      report: (instanceId, commandId, status, steps) => report(post, instanceId, commandId, status, steps),
    },
    forget: (instanceId) => {
      for (const one of waitingAt(post, instanceId)) move(post, one, "Failed", "Undeliverable");
    },
    resume: () => post.agenda?.resume(),
  };
}

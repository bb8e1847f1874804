import type { FaultKind } from "../core/faults.ts";
import type { Simulation } from "../core/simulation.ts";
import type { Collection } from "../core/store.ts";
import type { Machines } from "../machine/machines.ts";
import { type PersistentTimers, persistentTimers } from "../machine/persistent-timers.ts";
import type { Job, SsmBackend, StepResult, StepStatus } from "../machine/ssm-backend.ts";
import { commandStatus, errorsOf } from "./aggregate.ts";
import { contentOf, type Documents, stepsOf } from "./documents.ts";
import { type Command, type Invocation, type InvocationStatus, isOver, type StatusDetails } from "./model.ts";

/** A machine that a command is addressed to. */
export interface Recipient {
  readonly instanceId: string;
  readonly computerName: string;
  /** Reason why the command will not be delivered; null when it will. */
  readonly refused: Extract<StatusDetails, "AccessDenied" | "InvalidPlatform"> | null;
}

/** Delivers commands to agents, and takes results back. */
export interface Delivery {
  /** Accepts a new command with its recipients. */
  send(command: Command, recipients: readonly Recipient[]): void;
  /** Number of invocations that wait for an agent. */
  pending(): number;
  /** Cancels a command on these machines. */
  cancel(command: Command, instanceIds: readonly string[]): void;
  invocationsOf(command: Command): Invocation[];
  /** The agents' side of the delivery. */
  readonly agents: Pick<SsmBackend, "ready" | "report">;
  /** Fails the invocations that wait for an instance that is gone. */
  forget(instanceId: string): void;
  resume(): void;
}

/** A message reaches an agent within a second or so (assumed). */
const DISPATCH_MS = 900;
/** A command that no agent has taken by then is "Delayed", and retried each minute (assumed). */
const RETRY_MS = 60_000;

interface Outbox {
  readonly simulation: Simulation;
  readonly machines: Machines;
  readonly documents: Documents;
  readonly commands: Collection<Command>;
  readonly invocations: Collection<Invocation>;
  timers: PersistentTimers | undefined;
}

const keyOf = (commandId: string, instanceId: string): string => `${commandId}/${instanceId}`;

const invocationsOf = (outbox: Outbox, command: Command): Invocation[] =>
  command.instanceIds.flatMap((id) => outbox.invocations.get(keyOf(command.commandId, id)) ?? []);

const statusOf = (outbox: Outbox, command: Command): string =>
  commandStatus(command, invocationsOf(outbox, command)).status;

function announceCommand({ simulation }: Outbox, command: Command, status: string): void {
  const { commandId, documentName } = command;
  const requestedAt = new Date(command.requestedAt).toISOString();
  simulation.bus.announce({ kind: "command", commandId, documentName, requestedAt, status });
}

function move(outbox: Outbox, invocation: Invocation, status: InvocationStatus, details: StatusDetails = status): void {
  const { commandId, instanceId } = invocation;
  const command = outbox.commands.get(commandId);
  const before = command && statusOf(outbox, command);
  invocation.status = status;
  invocation.details = details;
  outbox.invocations.set(keyOf(commandId, instanceId), invocation);
  const documentName = command?.documentName ?? "";
  const requestedAt = new Date(invocation.requestedAt).toISOString();
  outbox.simulation.bus.announce({
    kind: "command-invocation",
    commandId,
    documentName,
    instanceId,
    status,
    requestedAt,
  });
  const after = command && statusOf(outbox, command);
  if (command && after && after !== before) announceCommand(outbox, command, after);
}

function jobOf(outbox: Outbox, command: Command): Job {
  const document = outbox.documents.find(command.documentName, command.documentVersion);
  const { commandId, documentName, parameters } = command;
  return { commandId, documentName, parameters, steps: stepsOf(contentOf(document.content), parameters) };
}

const waits = (invocation: Invocation): boolean =>
  invocation.deliveredAt === null && !invocation.isUnheard && !isOver(invocation);

const resultScripts = ["apply", "observe", "reboot", "route"];

/**
 * The agent runs a command, and nothing that it says of it arrives: SSM lets the delivery time out (aws/amazon-ssm-agent, issue
 * 316).
 */
const resultLost: FaultKind = {
  kind: "command-result-lost",
  sentence: "A machine runs a command, and SSM hears nothing of it: the command ends as DeliveryTimedOut.",
  fields: { instanceId: "The instance.", script: resultScripts.join(" or ") },
  values: { script: resultScripts },
};

const isResultLost = ({ simulation }: Outbox, { documentName }: Command, { instanceId }: Invocation): boolean =>
  simulation.faults.applies(resultLost.kind, { instanceId, script: documentName.split("-").at(-2) ?? "" });

/** May one more machine start the command? */
function hasRoom(outbox: Outbox, command: Command): boolean {
  const busy = invocationsOf(outbox, command).filter((one) => one.deliveredAt !== null && !isOver(one)).length;
  return busy < command.maxConcurrency;
}

const inTime = (outbox: Outbox, command: Command): boolean =>
  outbox.simulation.clock.now() <= command.requestedAt + command.timeoutSeconds * 1000;

function tryDeliver(outbox: Outbox, command: Command, invocation: Invocation): void {
  if (!waits(invocation) || !inTime(outbox, command) || !hasRoom(outbox, command)) return;
  if (!outbox.machines.deliver(invocation.instanceId, jobOf(outbox, command))) return;
  if (isResultLost(outbox, command, invocation)) {
    invocation.isUnheard = true;
    outbox.invocations.set(keyOf(command.commandId, invocation.instanceId), invocation);
    return;
  }
  invocation.deliveredAt = outbox.simulation.clock.now();
  move(outbox, invocation, "InProgress");
}

/** After too many errors, fails the invocations that have not started. */
function stopAtErrors(outbox: Outbox, command: Command): void {
  const all = invocationsOf(outbox, command);
  const stuck = all.length > command.maxConcurrency && errorsOf(all) > command.maxErrors;
  if (!stuck) return;
  for (const invocation of all) if (waits(invocation)) move(outbox, invocation, "Failed", "Terminated");
}

function dispatch(outbox: Outbox, commandId: string): void {
  const command = outbox.commands.get(commandId);
  if (!command) return;
  stopAtErrors(outbox, command);
  for (const invocation of invocationsOf(outbox, command)) tryDeliver(outbox, command, invocation);
}

/** Retries the invocations that no agent took, and marks them as delayed. */
function retry(outbox: Outbox, commandId: string): void {
  dispatch(outbox, commandId);
  const command = outbox.commands.get(commandId);
  const waiting = command ? invocationsOf(outbox, command).filter(waits) : [];
  for (const invocation of waiting) if (invocation.status === "Pending") move(outbox, invocation, "Delayed");
  if (command && waiting.length > 0 && inTime(outbox, command)) plan(outbox, "retry", commandId, RETRY_MS);
}

/**
 * Times invocations out: delivery and execution time together are over (user guide, "Understanding command statuses").
 */
function expire(outbox: Outbox, commandId: string): void {
  const command = outbox.commands.get(commandId);
  for (const invocation of command ? invocationsOf(outbox, command) : []) {
    if (isOver(invocation)) continue;
    move(outbox, invocation, "TimedOut", invocation.deliveredAt === null ? "DeliveryTimedOut" : "ExecutionTimedOut");
  }
}

const plan = (outbox: Outbox, what: string, commandId: string, ms: number): void =>
  outbox.timers?.set(`${what}/${commandId}`, ms, what, { commandId });

function send(outbox: Outbox, command: Command, recipients: readonly Recipient[]): void {
  const { commandId, requestedAt } = command;
  outbox.commands.set(commandId, command);
  if (command.verdict) return;
  for (const { instanceId, computerName, refused } of recipients) {
    const blank = { status: "Pending", details: "Pending", deliveredAt: null, steps: [] } as const;
    const invocation = { commandId, instanceId, computerName, requestedAt, ...blank };
    if (refused) move(outbox, invocation, "Failed", refused);
    else move(outbox, invocation, "Pending");
  }
  plan(outbox, "dispatch", commandId, DISPATCH_MS);
  plan(outbox, "retry", commandId, RETRY_MS);
  plan(outbox, "expire", commandId, (command.timeoutSeconds + command.executionSeconds) * 1000);
}

function cancel(outbox: Outbox, command: Command, instanceIds: readonly string[]): void {
  command.cancelled = true;
  outbox.commands.set(command.commandId, command);
  for (const invocation of invocationsOf(outbox, command)) {
    if (isOver(invocation) || !instanceIds.includes(invocation.instanceId)) continue;
    if (invocation.deliveredAt === null) {
      move(outbox, invocation, "Cancelled");
      continue;
    }
    move(outbox, invocation, "Cancelling");
    outbox.machines.cancel(invocation.instanceId, command.commandId);
  }
}

const outcomes: Readonly<Record<StepStatus, readonly [InvocationStatus, StatusDetails]>> = {
  Success: ["Success", "Success"],
  Failed: ["Failed", "Failed"],
  TimedOut: ["TimedOut", "ExecutionTimedOut"],
  Cancelled: ["Cancelled", "Cancelled"],
};

function report(
  outbox: Outbox,
  instanceId: string,
  commandId: string,
  status: StepStatus,
  steps: readonly StepResult[],
): void {
  const invocation = outbox.invocations.get(keyOf(commandId, instanceId));
  if (!invocation || isOver(invocation) || invocation.isUnheard) return;
  invocation.steps = steps;
  move(outbox, invocation, ...outcomes[status]);
  dispatch(outbox, commandId);
}

const waitingAt = (outbox: Outbox, instanceId: string): Invocation[] =>
  outbox.invocations.values().filter((one) => one.instanceId === instanceId && waits(one));

/**
 * Opens the delivery of commands.
 * @param documents source of a command's steps
 */
export function openDelivery(simulation: Simulation, machines: Machines, documents: Documents): Delivery {
  simulation.faults.declare(resultLost);
  const commands: Collection<Command> = simulation.store.collection("ssm-commands");
  const invocations: Collection<Invocation> = simulation.store.collection("ssm-invocations");
  const outbox: Outbox = { simulation, machines, documents, commands, invocations, timers: undefined };
  outbox.timers = persistentTimers(simulation, "ssm-timers", {
    dispatch: ({ commandId = "" }) => dispatch(outbox, commandId),
    retry: ({ commandId = "" }) => retry(outbox, commandId),
    expire: ({ commandId = "" }) => expire(outbox, commandId),
  });
  return {
    send: (command, recipients) => send(outbox, command, recipients),
    pending: () => invocations.values().filter(waits).length,
    cancel: (command, instanceIds) => cancel(outbox, command, instanceIds),
    invocationsOf: (command) => invocationsOf(outbox, command),
    agents: {
      ready: (instanceId) => {
        for (const one of waitingAt(outbox, instanceId)) dispatch(outbox, one.commandId);
      },
      report: (instanceId, commandId, status, steps) => report(outbox, instanceId, commandId, status, steps),
    },
    forget: (instanceId) => {
      for (const one of waitingAt(outbox, instanceId)) move(outbox, one, "Failed", "Undeliverable");
    },
    resume: () => outbox.timers?.resume(),
  };
}

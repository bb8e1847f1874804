import { z } from "zod";
import { AwsError } from "../core/aws-service.ts";
import type { Simulation } from "../core/simulation.ts";
import type { Collection } from "../core/store.ts";
import type { StepResult } from "../machine/ssm-backend.ts";
import { commandStatus } from "./aggregate.ts";
import type { Delivery } from "./delivery.ts";
import { contentOf, type Documents } from "./documents.ts";
import { type Command, type Invocation, isOver } from "./model.ts";
import { listOutputOf, stderrOf, stdoutOf } from "./output.ts";
import { pageOf } from "./paging.ts";

const commandId = z.string().length(36);
const instanceId = z.string().min(10);
const filters = z
  .array(z.object({ key: z.string(), value: z.string() }))
  .max(5)
  .default([]);
const paging = { MaxResults: z.number().int().min(1).max(50).default(50), NextToken: z.string().optional() };

/** Input of ListCommands and ListCommandInvocations; lengths and ranges of this file are those of the API reference. */
export const listInput = z.strictObject({
  CommandId: commandId.optional(),
  InstanceId: instanceId.optional(),
  Filters: filters,
  Details: z.boolean().default(false),
  ...paging,
});
/** Input of GetCommandInvocation. */
export const getInvocationInput = z.strictObject({
  CommandId: commandId,
  InstanceId: instanceId,
  PluginName: z.string().optional(),
});
/** Input of CancelCommand. */
export const cancelInput = z.strictObject({
  CommandId: commandId,
  InstanceIds: z.array(instanceId).max(50).default([]),
});

type ListInput = z.output<typeof listInput>;

/** The reading side of Run Command. */
export interface Invocations {
  listCommands(input: ListInput): object;
  listInvocations(input: ListInput): object;
  get(input: z.output<typeof getInvocationInput>): object;
  cancel(input: z.output<typeof cancelInput>): object;
}

interface InvocationStores {
  readonly simulation: Simulation;
  readonly commands: Collection<Command>;
  readonly delivery: Delivery;
  readonly documents: Documents;
}

const seconds = (ms: number): number => ms / 1000;
const iso = (ms: number): string => new Date(ms).toISOString();

/** A command as ListCommands and SendCommand show it. */
export function commandShape(command: Command, invocations: readonly Invocation[]): object {
  const { status, details } = commandStatus(command, invocations);
  const failed = invocations.filter((one) => one.details === "Failed" || one.details === "ExecutionTimedOut");
  return {
    CommandId: command.commandId,
    DocumentName: command.documentName,
    DocumentVersion: command.documentVersion,
    Comment: command.comment,
    Parameters: command.parameters,
    InstanceIds: command.targets.length > 0 ? [] : command.instanceIds,
    Targets: command.targets,
    RequestedDateTime: seconds(command.requestedAt),
    ExpiresAfter: seconds(command.requestedAt + (command.timeoutSeconds + command.executionSeconds) * 1000),
    Status: status,
    StatusDetails: details,
    TimeoutSeconds: command.timeoutSeconds,
    MaxConcurrency: String(command.maxConcurrency),
    MaxErrors: String(command.maxErrors),
    TargetCount: command.instanceIds.length,
    CompletedCount: invocations.filter(isOver).length,
    ErrorCount: failed.length,
    DeliveryTimedOutCount: invocations.filter((one) => one.details === "DeliveryTimedOut").length,
  };
}

const pluginShape = (step: StepResult): object => ({
  Name: step.name,
  Status: step.status,
  StatusDetails: step.status === "TimedOut" ? "ExecutionTimedOut" : step.status,
  ResponseCode: step.exitCode,
  ResponseStartDateTime: seconds(step.startedAt),
  ResponseFinishDateTime: seconds(step.endedAt),
  Output: listOutputOf(step),
});

const invocationShape = (command: Command, one: Invocation, details: boolean): object => ({
  CommandId: one.commandId,
  InstanceId: one.instanceId,
  InstanceName: one.computerName,
  Comment: command.comment,
  DocumentName: command.documentName,
  DocumentVersion: command.documentVersion,
  RequestedDateTime: seconds(one.requestedAt),
  Status: one.status,
  StatusDetails: one.details,
  CommandPlugins: details ? one.steps.map(pluginShape) : [],
});

const UNDER_WAY: ReadonlySet<string> = new Set(["Pending", "InProgress", "Delayed", "Cancelling"]);

/** A status with its details, of a command or an invocation. */
interface Shown {
  readonly status: string;
  readonly details: string;
}

/** @throws AwsError for an invalid time: a comparison with it would find nothing */
function timeOf(value: string): number {
  const time = Date.parse(value);
  if (!Number.isNaN(time)) return time;
  throw new AwsError("ValidationException", `The filter value ${value} isn't a time such as 2026-11-21T00:00:00Z.`);
}

/** Filters of both lists; those of the status compare the status that is shown. */
const tests: Readonly<Record<string, (command: Command, shown: Shown, value: string) => boolean>> = {
  InvokedAfter: (command, _, value) => command.requestedAt >= timeOf(value),
  InvokedBefore: (command, _, value) => command.requestedAt < timeOf(value),
  Status: (_, { status, details }, value) => status === value || details === value,
  ExecutionStage: (_, { status }, value) => (value === "Complete") === !UNDER_WAY.has(status),
  DocumentName: (command, _, value) => command.documentName === value,
};

function passes(input: ListInput, command: Command, shown: Shown): boolean {
  return input.Filters.every(({ key, value }) => {
    const test = tests[key];
    if (!test) throw new AwsError("InvalidFilterKey", `The filter key ${key} isn't valid.`);
    return test(command, shown, value);
  });
}

/** Lists the commands that reads see already, newest first. */
function commandsFor({ simulation, commands }: InvocationStores, input: ListInput): Command[] {
  return commands
    .values()
    .filter((command) => command.visibleAt <= simulation.clock.now())
    .filter((command) => input.CommandId === undefined || command.commandId === input.CommandId)
    .filter((command) => input.InstanceId === undefined || command.instanceIds.includes(input.InstanceId))
    .toSorted((one, other) => other.requestedAt - one.requestedAt);
}

function listCommands(stores: InvocationStores, input: ListInput): object {
  const found = commandsFor(stores, input).filter((command) =>
    passes(input, command, commandStatus(command, stores.delivery.invocationsOf(command))),
  );
  const { items, ...next } = pageOf(found, input.MaxResults, input.NextToken);
  return { Commands: items.map((command) => commandShape(command, stores.delivery.invocationsOf(command))), ...next };
}

/**
 * Milliseconds by which the invocations of a command appear in lists one after another (assumed: lists are eventually
 * consistent, and a list that is read right after SendCommand may hold some of the machines only).
 */
const LISTED_APART_MS = 200;

const isListed = (now: number, { instanceIds, visibleAt }: Command, { instanceId }: Invocation): boolean =>
  now >= visibleAt + instanceIds.indexOf(instanceId) * LISTED_APART_MS;

function listInvocations(stores: InvocationStores, input: ListInput): object {
  const found = commandsFor(stores, input).flatMap((command) =>
    stores.delivery
      .invocationsOf(command)
      .filter((one) => input.InstanceId === undefined || one.instanceId === input.InstanceId)
      .filter((one) => passes(input, command, one))
      .filter((one) => isListed(stores.simulation.clock.now(), command, one))
      .map((one) => invocationShape(command, one, input.Details)),
  );
  const { items, ...next } = pageOf(found, input.MaxResults, input.NextToken);
  return { CommandInvocations: items, ...next };
}

/** Finds the requested step, which must be named when the document has more than one. @throws AwsError */
function stepName({ documents }: InvocationStores, command: Command, wanted: string | undefined): string {
  const { mainSteps } = contentOf(documents.find(command.documentName, command.documentVersion).content);
  const names = mainSteps.map((step) => step.name);
  const name = wanted ?? (names.length === 1 ? names[0] : undefined);
  if (name !== undefined && names.includes(name)) return name;
  throw new AwsError("InvalidPluginName", "The plugin name isn't valid.");
}

/** Shows the end of a step; until then nothing, and -1 as its response code. */
function ending(step: StepResult | undefined): object {
  if (!step) {
    const nothing = { ExecutionStartDateTime: "", ExecutionElapsedTime: "", ExecutionEndDateTime: "" };
    return { ResponseCode: -1, StandardOutputContent: "", StandardErrorContent: "", ...nothing };
  }
  return {
    ResponseCode: step.exitCode,
    ExecutionStartDateTime: iso(step.startedAt),
    ExecutionElapsedTime: `PT${((step.endedAt - step.startedAt) / 1000).toFixed(3)}S`,
    ExecutionEndDateTime: iso(step.endedAt),
    StandardOutputContent: stdoutOf(step),
    StandardErrorContent: stderrOf(step),
  };
}

function getInvocation(stores: InvocationStores, input: z.output<typeof getInvocationInput>): object {
  const command = stores.commands.get(input.CommandId);
  const visible = command !== undefined && command.visibleAt <= stores.simulation.clock.now();
  const one = visible && stores.delivery.invocationsOf(command).find((each) => each.instanceId === input.InstanceId);
  if (!command || !one) throw new AwsError("InvocationDoesNotExist", "");
  const name = stepName(stores, command, input.PluginName);
  return {
    CommandId: one.commandId,
    InstanceId: one.instanceId,
    Comment: command.comment,
    DocumentName: command.documentName,
    DocumentVersion: command.documentVersion,
    PluginName: name,
    Status: one.status,
    StatusDetails: one.details,
    ...ending(one.steps.find((step) => step.name === name)),
    StandardOutputUrl: "",
    StandardErrorUrl: "",
    CloudWatchOutputConfig: { CloudWatchLogGroupName: "", CloudWatchOutputEnabled: false },
  };
}

function cancelCommand(stores: InvocationStores, input: z.output<typeof cancelInput>): object {
  const command = stores.commands.get(input.CommandId);
  if (!command) throw new AwsError("InvalidCommandId", "The specified command ID isn't valid.");
  const foreign = input.InstanceIds.filter((id) => !command.instanceIds.includes(id));
  if (foreign.length > 0)
    throw new AwsError("InvalidInstanceId", `The command was not sent to [${foreign.join(", ")}].`);
  stores.delivery.cancel(command, input.InstanceIds.length > 0 ? input.InstanceIds : command.instanceIds);
  return {};
}

/** Opens the reading side. */
export function openInvocations(simulation: Simulation, delivery: Delivery, documents: Documents): Invocations {
  const stores: InvocationStores = {
    simulation,
    delivery,
    documents,
    commands: simulation.store.collection("ssm-commands"),
  };
  return {
    listCommands: (input) => listCommands(stores, input),
    listInvocations: (input) => listInvocations(stores, input),
    get: (input) => getInvocation(stores, input),
    cancel: (input) => cancelCommand(stores, input),
  };
}

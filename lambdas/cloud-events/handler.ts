import { z } from "zod";
import { type OwnSchedule, ruleName, schedules } from "../capabilities/schedules.ts";
import { eventClients } from "../clients/event-clients.ts";
import { frontDoor } from "../clients/front-door.ts";
import type { Transport } from "../clients/transport.ts";
import { withLog } from "../logging.ts";
import { type Settings, settings } from "../settings.ts";
import type { EventContext } from "../steps/context.ts";
import { executionName, executions } from "../steps/executions.ts";
import { ledger } from "../steps/ledger/ledger.ts";
import { isUnderWay } from "../steps/machine/command-status.ts";
import { metrics } from "../steps/metrics.ts";
import { runtime as releaseDocument } from "../steps/runtime.ts";
import { people } from "../steps/slack/people.ts";
import { checkFrontDoor } from "./front-door-check.ts";

const WHOLE_COMMAND = "EC2 Command Status-change Notification";

/**
 * SSM's events: one for each machine of a command, and one for the whole command, which does not name a machine.
 */
const commandEvent = z.object({
  "detail-type": z.enum(["EC2 Command Invocation Status-change Notification", WHOLE_COMMAND]),
  detail: z.object({ "command-id": z.string(), status: z.string() }),
});

/** EC2's event for an instance that changes its state. */
const instanceEvent = z.object({
  "detail-type": z.literal("EC2 Instance State-change Notification"),
  detail: z.object({ "instance-id": z.string(), state: z.string() }),
});

/** A tick of one of Casement's schedules. */
const tickEvent = z.object({
  "detail-type": z.literal("Scheduled Event"),
  id: z.string(),
  resources: z.tuple([z.string()]),
});

/** Runtime of this function: settings, clocks and transport. */
export interface EventRuntime {
  readonly settings: Settings;
  readonly now: () => number;
  /** Milliseconds since the epoch, by the clock that dates Slack's signatures. */
  readonly slackNow: () => number;
  readonly transport?: Transport;
  /** Writes a line to the function's log, unchanged; by default to standard output. */
  readonly log?: (line: string) => void;
}

const contextOf = ({ settings, now, transport }: EventRuntime): EventContext => ({
  clients: eventClients(settings, transport),
  settings,
  now,
});

/** Work of the schedules that start no workflow. */
const ownSchedulesOf = (
  context: EventContext,
  runtime: EventRuntime,
): Readonly<Record<OwnSchedule, () => Promise<string>>> => ({
  "front-door": async () => {
    const { frontDoorUrl } = runtime.settings;
    if (!frontDoorUrl) return "ignored: the front door's address is not configured";
    return checkFrontDoor({
      signingSecret: context.clients.signingSecret,
      now: () => Math.floor(runtime.slackNow() / 1000),
      send: frontDoor(frontDoorUrl, runtime.transport),
      report: metrics(runtime).frontDoorAnswers,
    });
  },
  // This reads the memberships in advance, because the front door has no time to ask Slack.
  people: async () => {
    const { groups, memberships } = await people(context).synchronise(await releaseDocument(context).rules());
    return `${Object.keys(groups).length} groups and ${Object.keys(memberships).length} people are known`;
  },
});

/** Starts the workflow of a schedule, or does its work. A tick that is delivered twice starts only one execution. */
async function answerTick(
  context: EventContext,
  runtime: EventRuntime,
  tick: z.infer<typeof tickEvent>,
): Promise<string> {
  const [arn] = tick.resources;
  const rule = arn.slice(arn.lastIndexOf("/") + 1);
  const schedule = schedules.find(({ name }) => ruleName(runtime.settings.cluster, name) === rule);
  if (!schedule) return `ignored: unknown schedule ${arn}`;
  if (schedule.starts === undefined) return ownSchedulesOf(context, runtime)[schedule.name]();
  const { name, starts, input, logs } = schedule;
  await executions(context).start(starts, executionName(name, tick.id), { ...input, tick: tick.id });
  return logs;
}

/** Wakes the workflow that waits for a command, if the command has finished and a workflow waits. */
async function wakeForCommand(context: EventContext, event: z.infer<typeof commandEvent>): Promise<string> {
  const { "command-id": commandId, status } = event.detail;
  if (isUnderWay(status)) return `ignored: ${commandId} goes on`;
  const { commandCallback, fleetCallback } = ledger(context);
  const isWhole = event["detail-type"] === WHOLE_COMMAND;
  const callback = await (isWhole ? fleetCallback(commandId) : commandCallback(commandId));
  if (!callback) return `ignored: no workflow waits for ${commandId}`;
  return `${commandId}: ${await executions(context).complete(callback, { status })}`;
}

/** States in which a machine does not answer, so that a workflow which waits for it must check immediately. */
const SILENT: ReadonlySet<string> = new Set(["stopping", "stopped", "shutting-down", "terminated"]);

/** Wakes the workflow that waits for a machine, if the machine is shutting down and a workflow waits. */
async function wakeForMachine(context: EventContext, { detail }: z.infer<typeof instanceEvent>): Promise<string> {
  const { "instance-id": instanceId, state } = detail;
  if (!SILENT.has(state)) return `ignored: ${instanceId} is ${state}`;
  const callback = await ledger(context).machineCallback(instanceId);
  if (!callback) return `ignored: no workflow waits for ${instanceId}`;
  return `${instanceId}: ${await executions(context).complete(callback, { state })}`;
}

/**
 * Makes the handler of AWS events: an event wakes the workflow that waits for it. Events may be lost, late, repeated or
 * out of order, so they only trigger a check: the woken workflow reads the state itself.
 * @returns a function that returns one sentence for the log
 */
export const createHandler = (runtime: EventRuntime): ((event: unknown) => Promise<string>) => {
  const context = contextOf(runtime);
  const handle = async (event: unknown): Promise<string> => {
    const tick = tickEvent.safeParse(event).data;
    if (tick) return answerTick(context, runtime, tick);
    const command = commandEvent.safeParse(event).data;
    if (command) return wakeForCommand(context, command);
    const instance = instanceEvent.safeParse(event).data;
    return instance ? wakeForMachine(context, instance) : "ignored: nothing waits for this kind of event";
  };
  return (event) => withLog(runtime, {}, () => handle(event));
};

let kept: ReturnType<typeof createHandler> | undefined;

/** The Lambda entry, target of EventBridge rules. */
export const handler = (event: unknown): Promise<string> => {
  kept ??= createHandler({ settings: settings(), now: Date.now, slackNow: Date.now });
  return kept(event);
};

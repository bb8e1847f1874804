import type { ScheduledEvent } from "../../health/facts.ts";
import type { MachineEvent } from "../../records/machine-event.ts";
import type { Message } from "../../records/records.ts";
import { typeThis } from "../command/syntax.ts";
import { localDate } from "../slack/age.ts";
import { actions, say, section } from "../slack/blocks.ts";
import { LOOK_AGAIN } from "../slack/buttons.ts";
import { sign } from "../slack/signs.ts";
import { code, counted, some } from "../slack/text.ts";

/** Events that end the machine on its host; a reboot does not prevent them (EC2 user guide, "Scheduled events"). */
const ENDS: ReadonlySet<string> = new Set(["instance-retirement", "instance-stop"]);

/** Node for which EC2 has scheduled an event. */
export interface ScheduledFor {
  readonly node: string;
  /** Null if it is in no pool of Casement's: another owner launched it, and removes it. */
  readonly pool: string | null;
}

const OWNER = "have its owner replace the machine";

const replacing = (pool: string, node: string): string => `${typeThis("add", pool)}, then ${typeThis("remove", node)}`;

/**
 * Tells what an event does to pods, and what to do before it. EC2 reboots a machine without a drain, may move such an
 * event to another time, and clears it by a reboot of the user's only where that changes the host (EC2 user guide,
 * "Manage instances scheduled for reboot").
 */
function nextStep({ node, pool }: ScheduledFor, event: string): string {
  if (ENDS.has(event)) return `A reboot does not prevent it. Next: ${pool === null ? OWNER : replacing(pool, node)}.`;
  const drain = pool === null ? "" : `${typeThis("drain", node)} before it, or `;
  return `EC2 does not move the pods first. Next: ${drain}another time in EC2's console (*Events*).`;
}

const timeOf = (notBefore: string | null, before = " for"): string =>
  notBefore === null ? "" : `${before} ${localDate(notBefore)}`;

/** Tells an event that EC2 has scheduled, with its time and what to do before it. */
export const scheduledEventLine = (subject: ScheduledFor, { code: event, notBefore }: ScheduledEvent): string =>
  `${sign.warning} EC2 has scheduled ${code(event)} of the machine${timeOf(notBefore)}. ${nextStep(subject, event)}`;

/** Most machines that a message names. */
const MOST_MACHINES = 8;

const nameOf = ({ node, instanceId }: MachineEvent): string => node ?? instanceId;

function machines(events: readonly MachineEvent[]): string {
  const names = some(
    events.map((event) => code(nameOf(event))),
    MOST_MACHINES,
  );
  return events.length === 1 ? names : `${counted(events.length, "machine")} (${names})`;
}

/**
 * Message on events of one code that EC2 has scheduled for machines.
 * @param events at least one
 */
export function machineEventsMessage(events: readonly MachineEvent[]): Message {
  const [first] = events.toSorted((one, other) => (one.notBefore ?? "").localeCompare(other.notBefore ?? ""));
  if (!first) throw new RangeError("a message on scheduled events needs one");
  const when = timeOf(first.notBefore, events.length === 1 ? " for" : ", the first for");
  const text = `${sign.warning} EC2 has scheduled ${code(first.code)} of ${machines(events)}${when}.`;
  const subject = { node: nameOf(first), pool: first.pool };
  const why = { actionId: LOOK_AGAIN, value: `why ${subject.node}`, text: "Why" };
  return {
    text,
    blocks: [
      section(`${text} ${nextStep(subject, first.code)}`),
      actions(`event:${subject.node}`.slice(0, 255), [why]),
    ],
  };
}

/**
 * Message on a machine that does not run when its event is over. EC2 stops a retired machine whose root volume is an EBS
 * volume, and starts it on another host (EC2 user guide, "Instance retirement").
 */
export function machineStoppedMessage(event: MachineEvent, state: string): Message {
  const node = nameOf(event);
  const replace = event.pool === null ? OWNER : replacing(event.pool, node);
  return say(
    `${sign.failed} ${code(node)} is ${state}: ${code(event.code)}, which EC2 had scheduled, is over. Next: start it in EC2's console, which moves it to another host, or ${replace}.`,
  );
}

/**
 * Message on events of one code that EC2 lists no longer: they are over, or EC2 moved or cancelled them.
 * @param events at least one
 */
export const machineEventsEndMessage = (events: readonly MachineEvent[]): Message =>
  say(`${sign.done} EC2 no longer lists ${code(events[0]?.code ?? "")} of ${machines(events)} as scheduled.`);

import { mayUseOneOf } from "../../change/operation/requester.ts";
import { BREAK_GLASS } from "../../commands/approvals.ts";
import { voteAnswer } from "../../messages/approval/approval.ts";
import { waitOver } from "../../messages/operation/waits.ts";
import { type FleetCall, fleetCallName } from "../../records/fleet-call.ts";
import { holderBy, isHeard, type ReminderRecord, type WaitPress } from "../../records/reminders.ts";
import { type PersonWait, waitName } from "../../records/waits.ts";
import type { Steps } from "../../steps/steps.ts";
import { callTo, mayEnd, seeWaits } from "./remind.ts";

/** Commands of which a person may use one who may have the wait: what ends it, or what those on call may use. */
const commandsOf = ({ audience }: PersonWait): string[] => [
  "command" in audience ? audience.command : "approve",
  BREAK_GLASS,
];

const answer = (steps: Steps, { channel, userId }: WaitPress, message: typeof waitOver): Promise<void> =>
  steps.thread.sendEphemeral(channel, userId, message);

/** Gives the wait to the person who pressed, and shows that in the call. */
async function give(
  steps: Steps,
  press: WaitPress,
  wait: PersonWait,
  before: ReminderRecord | undefined,
): Promise<void> {
  const { userId, channel, messageTs } = press;
  const operation = await steps.ledger.operation(wait.operation);
  if (!mayEnd(wait, operation, userId))
    return answer(steps, press, voteAnswer({ kind: "own", operation: wait.operation }));
  if (!(await mayUseOneOf(steps, userId, commandsOf(wait), wait.pool))) return;
  const holder = holderBy(press, before);
  await steps.reminders.hold(press.wait, holder);
  await steps.thread.update(channel, messageTs, await callTo(steps, { wait, operation, holder }));
}

/** Gives the trouble of many nodes to the person who pressed; its message follows with the next sweep of the fleet. */
async function giveFleet(steps: Steps, press: WaitPress, before: ReminderRecord | undefined): Promise<void> {
  if (await mayUseOneOf(steps, press.userId, ["reboot", BREAK_GLASS], null))
    await steps.reminders.hold(press.wait, holderBy(press, before));
}

/** Waits that a press may be about. */
interface Pressable {
  readonly waits: readonly PersonWait[];
  readonly isWhole: boolean;
  readonly fleet: readonly FleetCall[];
}

/** Handles one press. @returns false if it cannot be judged now */
async function hear(
  steps: Steps,
  press: WaitPress,
  before: ReminderRecord | undefined,
  seen: Pressable,
): Promise<boolean> {
  const wait = seen.waits.find((one) => waitName(one) === press.wait);
  if (wait) await give(steps, press, wait, before);
  else if (seen.fleet.some((call) => fleetCallName(call) === press.wait)) await giveFleet(steps, press, before);
  else if (seen.isWhole) await answer(steps, press, waitOver);
  else return false;
  return true;
}

/**
 * Handles presses of **I have it**: whoever may end a wait, or is on call, has it for an hour, in which nobody is reminded
 * of it. Presses are handled in their order, so that the last person with the right has the wait. If Slack refuses the
 * message, the silence holds, and the next sweep shows it. Belongs into a step.
 * @throws the error of a busy service, after the other presses were handled
 */
export async function hearPresses(steps: Steps): Promise<void> {
  const [presses, known] = await Promise.all([steps.reminders.presses(), steps.reminders.all()]);
  const open = presses.filter((press) => !isHeard(press, known.get(press.wait)));
  if (open.length === 0) return;
  const [{ waits, isWhole }, fleet] = await Promise.all([seeWaits(steps), steps.announcements.fleet.open()]);
  const errors: unknown[] = [];
  for (const press of open.toSorted((one, other) => one.at.localeCompare(other.at))) {
    try {
      const before = (await steps.reminders.all()).get(press.wait);
      if (await hear(steps, press, before, { waits, isWhole, fleet })) await steps.reminders.hear(press);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

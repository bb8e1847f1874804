import { BREAK_GLASS } from "../commands/approvals.ts";
import { isOperationId } from "../commands/operation-id.ts";
import { cancelAnswer, groupDecided, lateClick, staleClick } from "../messages/command/acknowledgements.ts";
import { refusalMessage } from "../messages/command/refusals.ts";
import { steerAnswer } from "../messages/rollout/steer.ts";
import {
  APPROVE_OPERATION,
  CANCEL_OPERATION,
  CONTINUE_DRAIN,
  CONTINUE_REBOOT,
  CONTINUE_REMOVAL,
  DENY_OPERATION,
  EC2_REBOOT,
  KEEP_ALL,
  KEEP_INSTANCE,
  KEEP_ONE,
  PAUSE_ROLLOUT,
  REBOOT_WITH_PODS,
  RESUME_ROLLOUT,
  RESUME_WITH_MORE,
  RUN_UNAPPROVED,
  TAKE_WAIT,
  TERMINATE_ALL,
  TERMINATE_INSTANCE,
  TRY_AGAIN,
} from "../messages/slack/buttons.ts";
import { type Carrier, carriers } from "../messages/slack/carriers.ts";
import { type NodeWork, parseGroup, parseOwner } from "../records/node-work.ts";
import type { Message, NodeAnswer, PersonDecision } from "../records/records.ts";
import { isWaitName } from "../records/reminders.ts";
import { executionName } from "../steps/executions.ts";
import { cancel } from "./cancel.ts";
import { misplaced } from "./carrier.ts";
import { deliverDecision } from "./deliver-decision.ts";
import type { FrontDoor } from "./front-door.ts";
import { refusalOf } from "./permission.ts";
import { type ButtonPress, terminateKept, tryAgain, typeAgain } from "./repeat.ts";
import { steer } from "./steer.ts";
import { approvePressed, denyPressed, runPressed } from "./vote.ts";

/** A button that a person pressed. */
export type Click = ButtonPress;

interface Meaning {
  /** The command whose right the person needs; null if the started operation checks the person. */
  readonly command: string | null;
  readonly does: (door: FrontDoor, click: Click) => Promise<Message | null>;
}

/** Runs a button whose value is an operation's id; any other value is not Casement's. */
const onOperation =
  (does: Meaning["does"]): Meaning["does"] =>
  async (door, click) =>
    isOperationId(click.value) ? does(door, click) : staleClick;

/** Delivers a person's answer to the question about one node. */
const decide = (
  door: FrontDoor,
  { userId, triggerId }: Click,
  { operation, index }: NodeWork,
  decided: Pick<PersonDecision, "decision" | "isOfMany">,
) =>
  deliverDecision(door, { ...decided, userId, cause: triggerId }, (one) =>
    door.steps.ledger.decideNode(operation, index, one),
  );

const decides =
  (decision: NodeAnswer) =>
  async (door: FrontDoor, click: Click): Promise<Message | null> => {
    const which = parseOwner(click.value);
    if (!which || !isOperationId(which.operation)) return staleClick;
    const outcome = await decide(door, click, which, { decision });
    if (outcome === "unknown") return staleClick;
    if (outcome === "done") return null;
    return decision === "terminate"
      ? terminateKept(door, click, which)
      : lateClick(`node ${which.index + 1} of ${which.operation}`);
  };

/** Decision that a button makes about several machines. */
type GroupDecision = "keep" | "terminate";

/** Decides about the machines that the message lists; about each of them, the first decision stays. */
const decidesAll =
  (first: GroupDecision, others: GroupDecision) =>
  async (door: FrontDoor, click: Click): Promise<Message> => {
    const { operation = "", indexes = [] } = parseGroup(click.value) ?? {};
    const [head, ...rest] = indexes;
    if (!isOperationId(operation) || head === undefined) return staleClick;
    const outcome = await decide(door, click, { operation, index: head }, { decision: first, isOfMany: true });
    // The others are terminated only if the first machine is kept.
    if (first !== others && outcome !== "done") return lateClick(`node ${head + 1} of ${operation}`);
    const outcomes = await Promise.all(
      rest.map((index) => decide(door, click, { operation, index }, { decision: others, isOfMany: true })),
    );
    return groupDecided([outcome, ...outcomes].filter((one) => one === "done").length, indexes.length);
  };

const steers =
  (decision: "pause" | "resume") =>
  async (door: FrontDoor, { value, userId, triggerId }: Click): Promise<Message> =>
    steerAnswer(await steer(door, value, { decision, userId, cause: triggerId }));

/** Resumes a rollout with the number of unavailable nodes that the button names. */
async function resumeWithMore(door: FrontDoor, { value, userId, triggerId }: Click): Promise<Message> {
  const { operation, index: unavailable } = parseOwner(value) ?? {};
  if (operation === undefined || !isOperationId(operation)) return staleClick;
  return steerAnswer(await steer(door, operation, { decision: "resume", unavailable, userId, cause: triggerId }));
}

/**
 * Records that the person has what waits; the sweep judges and shows it. If the sweep does not start, its next tick finds
 * the record.
 */
async function takeWait(door: FrontDoor, click: Click): Promise<Message | null> {
  const { value: wait, userId, triggerId: cause, channel, messageTs } = click;
  if (!isWaitName(wait)) return staleClick;
  await door.steps.ledger.pressWait({ wait, userId, cause, at: door.steps.timestamp(), channel, messageTs });
  await door.steps.executions
    .start("sweep", executionName("take", wait, cause), { tick: cause, only: "presses" })
    .catch((error: unknown) => console.error(`start of the sweep for ${wait} failed`, error));
  return null;
}

/** Slack opens the address itself and also reports the click to the app, which has nothing to do. */
const link: Meaning = { command: null, does: async () => null };

/** Runs the command that the button contains, with the rights of the person who presses it. */
const typed: Meaning = { command: null, does: (door, click) => typeAgain(door, click, click.value) };

/** Meanings of the buttons that hold a command or an address. */
const byCarrier: Readonly<Partial<Record<Carrier, Meaning>>> = { command: typed, any: link };

/** Meaning of each button, by its action id. */
const meanings: Readonly<Record<string, Meaning>> = {
  ...Object.fromEntries(
    Object.entries(carriers).flatMap(([actionId, carrier]) => {
      const meaning = byCarrier[carrier];
      return meaning ? [[actionId, meaning]] : [];
    }),
  ),
  [KEEP_INSTANCE]: { command: "add", does: decides("keep") },
  [TERMINATE_INSTANCE]: { command: "add", does: decides("terminate") },
  [KEEP_ONE]: { command: "add", does: decidesAll("keep", "terminate") },
  [KEEP_ALL]: { command: "add", does: decidesAll("keep", "keep") },
  [TERMINATE_ALL]: { command: "add", does: decidesAll("terminate", "terminate") },
  [CONTINUE_DRAIN]: { command: "drain", does: decides("continue") },
  [CONTINUE_REBOOT]: { command: "reboot", does: decides("continue") },
  [EC2_REBOOT]: { command: "reboot", does: decides("ec2-reboot") },
  [REBOOT_WITH_PODS]: { command: "reboot", does: decides("reboot-with-pods") },
  [CONTINUE_REMOVAL]: { command: "remove", does: decides("continue") },
  [TRY_AGAIN]: { command: null, does: onOperation((door, click) => tryAgain(door, click, click.value)) },
  // Every member may press it: the sweep knows the wait, and asks Slack for the person's rights.
  [TAKE_WAIT]: { command: "help", does: takeWait },
  [APPROVE_OPERATION]: { command: "approve", does: (door, click) => approvePressed(door, click, click.value) },
  [DENY_OPERATION]: { command: "deny", does: (door, click) => denyPressed(door, click, click.value) },
  [RUN_UNAPPROVED]: { command: BREAK_GLASS, does: (door, click) => runPressed(door, click, click.value) },
  [PAUSE_ROLLOUT]: { command: "pause", does: onOperation(steers("pause")) },
  [RESUME_ROLLOUT]: { command: "resume", does: onOperation(steers("resume")) },
  [RESUME_WITH_MORE]: { command: "resume", does: resumeWithMore },
  [CANCEL_OPERATION]: {
    command: "cancel",
    does: onOperation(async (door, { value, userId, triggerId }) =>
      cancelAnswer(await cancel(door, value, userId, triggerId)),
    ),
  },
};

/** Action ids of the buttons that have a meaning. */
export const buttons: readonly string[] = Object.keys(meanings);

/**
 * Runs a button's action if the person who pressed it has permission, and the message is the one that was posted with
 * the button: seeing a button grants no right.
 * @returns the private answer; null if the operation's own message shows the result
 */
export async function pressed(door: FrontDoor, click: Click): Promise<Message | null> {
  const meaning = meanings[click.actionId];
  if (!meaning) return staleClick;
  const refusal = meaning.command === null ? null : await refusalOf(door, click, meaning.command);
  if (refusal) return refusalMessage(refusal);
  return (await misplaced(door, click)) ?? meaning.does(door, click);
}

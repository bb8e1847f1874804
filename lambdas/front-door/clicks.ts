import { cancelAnswer, lateClick, staleClick } from "../messages/command/acknowledgements.ts";
import { refusalMessage } from "../messages/command/refusals.ts";
import { CANCEL_OPERATION, KEEP_INSTANCE, TERMINATE_INSTANCE } from "../messages/slack/buttons.ts";
import { parseOwner } from "../node-work.ts";
import type { Message } from "../records.ts";
import { cancel } from "./cancel.ts";
import { deliverDecision } from "./deliver-decision.ts";
import type { FrontDoor } from "./front-door.ts";
import { type Origin, refusalOf } from "./permission.ts";

/** A button that somebody pressed. */
export interface Click extends Origin {
  readonly actionId: string;
  readonly value: string;
  /** Slack's id of the click: the same for a repeated delivery. */
  readonly triggerId: string;
}

interface Meaning {
  /** Command that gives the right to press it: whoever may use this command may press. */
  readonly command: string;
  readonly does: (door: FrontDoor, click: Click) => Promise<Message | null>;
}

const decides =
  (decision: "keep" | "terminate") =>
  async (door: FrontDoor, { value, userId, triggerId }: Click): Promise<Message | null> => {
    const which = parseOwner(value);
    if (!which) return staleClick;
    const { operation, index } = which;
    const outcome = await deliverDecision(door, { decision, userId, cause: triggerId }, (decided) =>
      door.steps.ledger.decideNode(operation, index, decided),
    );
    if (outcome === "unknown") return staleClick;
    return outcome === "done" ? null : lateClick(`node ${index + 1} of ${operation}`);
  };

/** Meaning of each button, by its action id. */
const meanings: Readonly<Record<string, Meaning>> = {
  [KEEP_INSTANCE]: { command: "add", does: decides("keep") },
  [TERMINATE_INSTANCE]: { command: "add", does: decides("terminate") },
  [CANCEL_OPERATION]: {
    command: "cancel",
    does: async (door, { value, userId, triggerId }) =>
      cancelAnswer(await cancel(door, value, userId, triggerId), door.configuration.command),
  },
};

/** Action ids of the buttons that are understood. */
export const buttons: readonly string[] = Object.keys(meanings);

/**
 * Does what a button means, if the person who pressed it may: that a button is in sight gives nobody a right.
 * @returns what that person alone reads; null when the operation's own message says it all
 */
export async function pressed(door: FrontDoor, click: Click): Promise<Message | null> {
  const meaning = meanings[click.actionId];
  if (!meaning) return staleClick;
  const refusal = await refusalOf(door, click, meaning.command);
  return refusal ? refusalMessage(refusal, door.configuration.command) : meaning.does(door, click);
}

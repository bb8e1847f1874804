import { cancelAnswer, lateClick, staleClick } from "../messages/command/acknowledgements.ts";
import { refusalMessage } from "../messages/command/refusals.ts";
import { CANCEL_OPERATION, KEEP_INSTANCE, TERMINATE_INSTANCE } from "../messages/slack/buttons.ts";
import { parseOwner } from "../node-work.ts";
import type { Message } from "../records.ts";
import { cancel } from "./cancel.ts";
import { type Origin, refusalOf } from "./permission.ts";
import { settle } from "./deliver-decision.ts";
import type { FrontDoorWorld } from "./front-door.ts";

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
  readonly does: (world: FrontDoorWorld, click: Click) => Promise<Message | null>;
}

const decides =
  (decision: "keep" | "terminate") =>
  async (world: FrontDoorWorld, { value, userId, triggerId }: Click): Promise<Message | null> => {
    const which = parseOwner(value);
    if (!which) return staleClick;
    const { operation, index } = which;
    const outcome = await settle(world, { decision, userId, cause: triggerId }, (decided) =>
      world.decideNode(operation, index, decided),
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
    does: async (world, { value, userId, triggerId }) =>
      cancelAnswer(await cancel(world, value, userId, triggerId), world.configuration.command),
  },
};

/** Action ids of the buttons that are understood. */
export const buttons: readonly string[] = Object.keys(meanings);

/**
 * Does what a button means, if the person who pressed it may: that a button is in sight gives nobody a right.
 * @returns what that person alone reads; null when the operation's own message says it all
 */
export async function pressed(world: FrontDoorWorld, click: Click): Promise<Message | null> {
  const meaning = meanings[click.actionId];
  if (!meaning) return staleClick;
  const refusal = await refusalOf(world, click, meaning.command);
  return refusal ? refusalMessage(refusal, world.configuration.command) : meaning.does(world, click);
}

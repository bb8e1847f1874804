import type { Requester } from "../../records/origin.ts";
import type { Message } from "../../records/records.ts";
import { within } from "../../time-limit.ts";
import { commandWord } from "../command-word.ts";
import type { StepContext } from "../context.ts";
import { privately } from "./privately.ts";
import { responseUrls } from "./response-urls.ts";

/**
 * Milliseconds to find the acknowledgement's URL in the ledger. If that takes longer, the answer is posted as a new
 * message.
 */
const FIND_WITHIN_MS = 2_000;

/** Answers `/win` looks. */
export const answers = (context: StepContext) => {
  const kept = responseUrls(context);
  const word = commandWord(context);
  const { answer } = privately(context, word);

  return {
    /**
     * Shows the answer to its requester only. It replaces the acknowledgement, or is a new message if Slack no longer
     * accepts that.
     */
    give: async (operation: string, requester: Requester, message: Message): Promise<void> =>
      answer(requester, message, await within(FIND_WITHIN_MS, kept.read(operation)).catch(() => undefined)),
  };
};

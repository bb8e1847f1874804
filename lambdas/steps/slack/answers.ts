import { fill } from "../../messages/slack/command-word.ts";
import type { Requester } from "../../records/origin.ts";
import type { Message } from "../../records/records.ts";
import { within } from "../../time-limit.ts";
import { commandWord } from "../command-word.ts";
import type { StepContext } from "../context.ts";
import { responseUrls } from "./response-urls.ts";
import { thread } from "./thread.ts";

/**
 * Milliseconds to find the acknowledgement's URL in the ledger. If that takes longer, the answer is posted as a new
 * message.
 */
const FIND_WITHIN_MS = 2_000;

/** Answers `/win` looks. */
export const answers = (context: StepContext) => {
  const kept = responseUrls(context);
  const word = commandWord(context);
  const { sendEphemeral } = thread(context, word);

  const replace = async (operation: string, message: Message): Promise<boolean> => {
    const url = await within(FIND_WITHIN_MS, kept.read(operation)).catch(() => undefined);
    if (url === undefined) return false;
    const { text, blocks } = await fill(message, word);
    return context.clients.respond(url, { response_type: "ephemeral", replace_original: true, text, blocks });
  };

  return {
    /**
     * Shows the answer to its requester only. It replaces the acknowledgement, or is a new message if Slack no longer
     * accepts that.
     */
    give: async (operation: string, { channel, userId }: Requester, message: Message): Promise<void> => {
      if (!(await replace(operation, message))) await sendEphemeral(channel, userId, message);
    },
  };
};

import { fill } from "../../messages/slack/command-word.ts";
import type { Requester } from "../../origin.ts";
import type { Message } from "../../records.ts";
import { within } from "../../time-limit.ts";
import { commandWord } from "../command-word.ts";
import type { StepContext } from "../context.ts";
import { responseUrls } from "./response-urls.ts";
import { thread } from "./thread.ts";

/** Milliseconds for the ledger to say where the acknowledgement is; the answer itself matters more than its place. */
const FIND_WITHIN_MS = 2_000;

/** Answers to looks. */
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
     * Answers a look to its requester alone, in place of the acknowledgement; if Slack no longer accepts that, as a new message.
     */
    give: async (operation: string, { channel, userId }: Requester, message: Message): Promise<void> => {
      if (!(await replace(operation, message))) await sendEphemeral(channel, userId, message);
    },
  };
};

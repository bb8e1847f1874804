import { DEFAULT_WORD, type FindWord } from "../messages/slack/command-word.ts";
import { within } from "../time-limit.ts";
import type { EventContext } from "./context.ts";
import { runtime } from "./runtime.ts";

/** Milliseconds to read the rules; the message matters more than the command in it. */
const WITHIN_MS = 2_000;

/** Reads what the command is called by the newest rules; a bot that is not set up yet is called as it is by default. */
export const commandWord =
  (context: EventContext): FindWord =>
  async () => {
    try {
      return (await within(WITHIN_MS, runtime(context).rules())).command;
    } catch {
      return DEFAULT_WORD;
    }
  };

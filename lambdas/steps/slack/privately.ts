import type { View } from "@slack/web-api";
import { refusalKind } from "../../clients/refusals.ts";
import { log } from "../../logging.ts";
import { type FindWord, fill } from "../../messages/slack/command-word.ts";
import type { Requester } from "../../records/origin.ts";
import type { Message } from "../../records/records.ts";
import type { FrontDoorContext } from "../context.ts";
import { calling, logUnexpected } from "./calling.ts";
import { slackCode } from "./slack-code.ts";

// The Web API's types require the shape of every block; Slack and the simulated Slack check messages instead.
type Blocks = NonNullable<
  Extract<Parameters<import("@slack/web-api").WebClient["chat"]["update"]>[0], { blocks?: unknown }>["blocks"]
>;
/** A message as the Web API takes it, with the command's word filled in. */
export const sendable = async (message: Message, word: FindWord): Promise<{ text: string; blocks: Blocks }> => {
  const { text, blocks } = await fill(message, word);
  return { text, blocks: blocks as unknown as Blocks };
};

/** Slack's code for a person who is not in the channel, which is no fault of the app (docs: chat.postEphemeral, errors). */
const NOT_THERE = "user_not_in_channel";

/** Would Slack refuse the same call again? */
function isRefused(error: unknown): error is Error {
  const code = slackCode(error);
  return code !== undefined && [null, "denied"].includes(refusalKind(code, 0));
}

/** Posts what needs no mark by which it is found again: private answers, dialogs and notes in threads. */
export const privately = (context: FrontDoorContext, word: FindWord) => {
  /**
   * Posts a message that only one person sees. If Slack refuses it, nothing is sent: the refusal is logged, and counted unless it
   * is that the person is not in the channel.
   * @throws Retryable if Slack does not answer, or cannot take it now
   */
  const sendEphemeral = async (channel: string, user: string, message: Message): Promise<void> => {
    const said = await sendable(message, word);
    await calling("chat.postEphemeral", async () => {
      const slack = await context.clients.slack();
      await slack.chat.postEphemeral({ channel, user, ...said }).catch((error: unknown) => {
        if (!isRefused(error)) throw error;
        if (slackCode(error) === NOT_THERE)
          log("WARN", "refusal", { service: "slack", code: NOT_THERE, action: "chat.postEphemeral" });
        else logUnexpected("chat.postEphemeral", error);
      });
    });
  };

  return {
    sendEphemeral,

    /**
     * Shows an answer to one person only. It replaces the private message to which Slack gave the response URL, or is a new
     * message without such a URL, and if Slack no longer accepts it.
     */
    answer: async (
      { channel, userId }: Pick<Requester, "channel" | "userId">,
      message: Message,
      url: string | undefined,
    ): Promise<void> => {
      if (url !== undefined) {
        const said = await sendable(message, word);
        const answer = { response_type: "ephemeral", replace_original: true, ...said };
        if (await context.clients.respond(url, answer)) return;
      }
      await sendEphemeral(channel, userId, message);
    },

    /** Posts a note in a thread; a repetition posts it again. @throws Retryable */
    note: async (channel: string, message: Message, threadTs: string): Promise<void> => {
      const said = await sendable(message, word);
      await calling("chat.postMessage", async () =>
        (await context.clients.slack()).chat.postMessage({ channel, thread_ts: threadTs, ...said }),
      );
    },

    /**
     * Opens a dialog.
     * @returns Slack's id of it; null if Slack's three seconds for this trigger are over (docs: views.open, errors)
     */
    openDialog: async (triggerId: string, view: object): Promise<string | null> => {
      const slack = await context.clients.slack();
      try {
        const opened = await slack.views.open({ trigger_id: triggerId, view: (await fill(view, word)) as View });
        return opened.view?.id ?? "";
      } catch (error) {
        if (slackCode(error) !== "expired_trigger_id") throw error;
        return null;
      }
    },
  };
};

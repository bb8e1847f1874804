import type { View } from "@slack/web-api";
import { Retryable } from "../../errors.ts";
import { hasOffers } from "../../messages/slack/carriers.ts";
import { type FindWord, fill } from "../../messages/slack/command-word.ts";
import { EXPIRES, keys } from "../../records/ledger-table.ts";
import type { Message } from "../../records/records.ts";
import { type FrontDoorContext, timestamp } from "../context.ts";
import { tableClient } from "../ledger/table.ts";
import { calling } from "./calling.ts";
import { cards } from "./cards.ts";
import { privately, sendable } from "./privately.ts";
import { slackCode } from "./slack-code.ts";

/** Slack's codes for a message that can no longer be edited; a new message is posted instead. */
const LOST = new Set(["message_not_found", "cant_update_message", "edit_window_closed"]);

/** Metadata by which a message is found again; people do not see it. */
const MARKED = "casement_message";

/** Seconds after which no operation posts the same message again, because an execution ends within hours. */
const MARK_LIVES_SECONDS = 30 * 24 * 60 * 60;

/** Tolerated difference between Slack's clock and the function's. */
const SKEW_SECONDS = 60;

/** A message as Slack's history returns it. */
interface Marked {
  readonly ts?: string;
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: object };
}

const carries =
  (mark: string) =>
  ({ metadata }: Marked): boolean =>
    metadata?.event_type === MARKED && (metadata.event_payload as { mark?: unknown } | undefined)?.mark === mark;

/** Finds posted messages by their marks. */
const finding =
  (context: FrontDoorContext) => async (channel: string, mark: string, since: string, threadTs?: string) => {
    const slack = await context.clients.slack();
    const asked = {
      channel,
      include_all_metadata: true,
      oldest: String(Date.parse(since) / 1000 - SKEW_SECONDS),
      limit: 200,
    };
    const pages = threadTs
      ? slack.paginate("conversations.replies", { ...asked, ts: threadTs })
      : slack.paginate("conversations.history", asked);
    for await (const page of pages) {
      const found = ((page as { messages?: Marked[] }).messages ?? []).find(carries(mark));
      if (found?.ts) return found.ts;
    }
    return undefined;
  };

/** Place of a message for chat.postMessage, whose types distinguish a broadcast reply from other messages. */
function replyTo(threadTs: string | undefined, isBroadcast: boolean) {
  if (!threadTs) return {};
  return isBroadcast ? { thread_ts: threadTs, reply_broadcast: true as const } : { thread_ts: threadTs };
}

const posting = (context: FrontDoorContext, word: FindWord) => {
  const items = tableClient(context);
  const listed = cards(context);
  const find = finding(context);
  return {
    /**
     * Posts a message, in a thread if one is given. Repeated after a crash or a lost answer, it finds the message that
     * it posted.
     * @param mark unique among all messages of the cluster
     * @param isBroadcast also shows a reply in the channel (docs: chat.postMessage, reply_broadcast)
     * @returns the message's timestamp
     */
    post: async (
      channel: string,
      message: Message,
      mark: string,
      threadTs?: string,
      isBroadcast = false,
    ): Promise<string> => {
      const key = keys.message(mark);
      const expires = Math.floor(context.now() / 1000) + MARK_LIVES_SECONDS;
      if ((await items.insert(key, { since: timestamp(context), [EXPIRES]: expires })) === "again") {
        const { since = timestamp(context) } = (await items.read<{ since: string }>(key)) ?? {};
        const known = await calling("conversations.history", () => find(channel, mark, since, threadTs));
        if (known) {
          await listed.keep(message, mark, known);
          return known;
        }
      }
      await listed.announce(message, mark);
      const said = await sendable(message, word);
      const { ts } = await calling("chat.postMessage", async () =>
        (await context.clients.slack()).chat.postMessage({
          channel,
          ...said,
          unfurl_links: false,
          metadata: { event_type: MARKED, event_payload: { mark } },
          ...replyTo(threadTs, isBroadcast),
        }),
      );
      if (!ts) throw new Retryable("Slack took a message and gave no timestamp");
      await listed.keep(message, mark, ts);
      return ts;
    },
  };
};

/**
 * Lists a message that has new buttons. Those of an operation stay the same through an update, unless it was posted
 * again. A function that may not write into the operation's partition continues: its buttons answer with what to type.
 */
async function listing(context: FrontDoorContext, message: Message, before: string, now: string): Promise<void> {
  if (before === now && !hasOffers(message)) return;
  await cards(context)
    .keep(message, now, now)
    .catch((error: unknown) => console.error(`the message ${now} was not listed`, error));
}

/**
 * Posts and edits messages in Slack. If Slack refuses a message, the error is busy (`isBusy`), whatever the code.
 * @param word finds what the command is called, which is filled into each message
 */
export const thread = (context: FrontDoorContext, word: FindWord) => ({
  ...posting(context, word),
  ...privately(context, word),

  /**
   * Rewrites a message. Returns the timestamp of the current message, which is a new one if the old one can no longer
   * be edited.
   */
  update: async (channel: string, ts: string, message: Message): Promise<string> => {
    const said = await sendable(message, word);
    const now = await calling("chat.update", async () => {
      const slack = await context.clients.slack();
      try {
        await slack.chat.update({ channel, ts, ...said });
        return ts;
      } catch (error) {
        if (!LOST.has(slackCode(error) ?? "")) throw error;
        const posted = await slack.chat.postMessage({ channel, ...said });
        return posted.ts ?? ts;
      }
    });
    await listing(context, message, ts, now);
    return now;
  },

  /**
   * Fills a dialog that the front door opened before anything started.
   * @returns false if the person has answered or closed it
   */
  fillDialog: async (externalId: string, view: object): Promise<boolean> => {
    const slack = await context.clients.slack();
    try {
      await slack.views.update({ external_id: externalId, view: (await fill(view, word)) as View });
      return true;
    } catch (error) {
      if (slackCode(error) !== "not_found") throw error;
      return false;
    }
  },
});

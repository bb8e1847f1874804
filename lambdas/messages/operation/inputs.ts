import type { InputWords } from "../../inputs/input.ts";
import type { Message } from "../../records/records.ts";
import { context, section, sections } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { prose } from "../slack/text.ts";
import { line, type Notice } from "./escalations.ts";

/** Calls people to an input that cannot be read, or to nodes that cannot be listed. */
export const inputUnreadNotice = ({ kind, unread, runbook }: InputWords, why: string): Notice => ({
  kind,
  operation: null,
  message: line(`${unread}: ${why}. See ${runbook}.`),
  until: null,
});

/** The same in the channel; or that it is kept up to date again. */
export function inputNewsMessage(words: InputWords, news: "bad" | "well", why: string): Message {
  const { unread, meanwhile, readAgain, runbook } = words;
  const text =
    news === "bad" ? `${sign.warning} ${unread}: ${prose(why, 500)}. ${meanwhile}` : `${sign.done} ${readAgain}`;
  return { text, blocks: [section(text), context(runbook)] };
}

/** Most remarks in one message. */
const MOST_REMARKS = 10;

/** Objects of an input that could not be applied as they are. A remark may end with what to type. */
export function inputRemarksMessage({ title, runbook }: InputWords, remarks: readonly string[]): Message {
  const shown = remarks.slice(0, MOST_REMARKS).map((one) => `• ${prose(one, 800)}`);
  const more = remarks.length > MOST_REMARKS ? [`and ${remarks.length - MOST_REMARKS} more.`] : [];
  const head = `${sign.warning} *${title}*: attention needed.`;
  return {
    text: [head, ...shown, ...more].join("\n"),
    blocks: [...sections([head, ...shown, ...more]), context(runbook)],
  };
}

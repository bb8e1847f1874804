import { isObject, type Json } from "./block-kit/check.ts";
import { messageFaults, tooLongTogether, withIds } from "./block-kit/validate.ts";
import { refuseFaults, SlackError } from "./slack-error.ts";

/** Content of a message. */
export interface Content {
  readonly text: string;
  readonly blocks: readonly Json[];
}

/**
 * The content of a message that Slack takes.
 * @param given `text` and `blocks` as the app sent them; `blocks` already parsed from JSON
 * @param newId makes the ids that were left out
 * @throws SlackError no_text, invalid_blocks_format, invalid_blocks (with reasons), msg_blocks_too_long
 */
export function checkedContent(given: Json, newId: () => string): Content {
  const blocks = checkedBlocks(given.blocks);
  const text = given.text === undefined ? "" : String(given.text);
  if (text === "" && blocks.length === 0) throw new SlackError("no_text");
  const namesCount = given.parse === "full" || [true, 1, "true", "1"].includes(given.link_names as string);
  return { text: namesCount ? withMentions(text) : text, blocks: withIds(blocks.map(mentioning) as Json[], newId) };
}

/** Everybody whom a bare name calls, in the form in which Slack stores it. */
const withMentions = (text: string): string =>
  text.replace(/(?<![\w@<!\u200b])@(here|channel|everyone)\b/gi, (_all, who: string) => `<!${who.toLowerCase()}>`);

/** Parts of a text in which Slack makes no links: code, and what is written in Slack's own form. */
const NO_LINKS = /(```[\s\S]*?```|`[^`\n]*`|<[^>]*>)/;

/** An address with its scheme, or a name below one of the domains that are met most. */
const ADDRESS = /https?:\/\/[^\s<>|]+|(?<![\w@.-])(?:[a-z0-9-]+\.)+(?:com|net|org|io|dev|app|info)\b(?:\/[^\s<>|]*)?/gi;

/** Bare addresses as links, in the form in which Slack stores them. */
const withLinks = (text: string): string =>
  text
    .split(NO_LINKS)
    .map((part, at) =>
      at % 2 === 1
        ? part
        : part.replace(ADDRESS, (bare) => (bare.includes("://") ? `<${bare}>` : `<http://${bare}|${bare}>`)),
    )
    .join("");

/**
 * Finds mentions and addresses in the texts of blocks: in mrkdwn "URLs will be auto-converted into links" and "certain
 * mentions will be automatically parsed" while `verbatim` is false, its default (Block Kit reference, "Text object"). A
 * message's own text is left alone: `parse` is "none" there.
 */
function mentioning(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mentioning);
  if (!isObject(value)) return value;
  if (value.type === "mrkdwn" && typeof value.text === "string" && value.verbatim !== true)
    return { ...value, text: withLinks(withMentions(value.text)) };
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mentioning(each)]));
}

function checkedBlocks(blocks: unknown): Json[] {
  if (blocks === undefined) return [];
  if (!Array.isArray(blocks) || !blocks.every(isObject)) throw new SlackError("invalid_blocks_format");
  refuseFaults("invalid_blocks", messageFaults(blocks));
  if (tooLongTogether(blocks)) throw new SlackError("msg_blocks_too_long");
  return blocks;
}

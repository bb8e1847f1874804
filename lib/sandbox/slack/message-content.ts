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
  return { text, blocks: withIds(blocks, newId) };
}

function checkedBlocks(blocks: unknown): Json[] {
  if (blocks === undefined) return [];
  if (!Array.isArray(blocks) || !blocks.every(isObject)) throw new SlackError("invalid_blocks_format");
  refuseFaults("invalid_blocks", messageFaults(blocks));
  if (tooLongTogether(blocks)) throw new SlackError("msg_blocks_too_long");
  return blocks;
}

/** Stands in our own sentences for the command as people type it, which a deployment may rename. */
const PLACEHOLDER = "{win}";

/** Command of a deployment whose configuration cannot be read. */
export const DEFAULT_WORD = "/win";

/** Slack's limit for a text (docs: Block Kit, text object). */
const MOST = 3_000;

/** Finds out what the command is called here. */
export type FindWord = () => Promise<string>;

/** Invisible, and no control character: whatever cleans a text later leaves it. */
const JOINER = "\u034f";

/** Parts the placeholder in text from elsewhere, so that nothing is filled into it. */
export const withoutPlaceholder = (text: string): string => text.replaceAll(PLACEHOLDER, `{${JOINER}win}`);

/** Sentence of ours with the command as people type it. */
export const withWord = (text: string, word: string): string => text.replaceAll(PLACEHOLDER, word);

function fitted(text: string, word: string): string {
  const full = withWord(text, word);
  return full.length > MOST && text.length <= MOST ? `${full.slice(0, MOST - 1)}…` : full;
}

/** Message or dialog with the command as people type it, in every text that people read. */
export const filled = <T extends object>(message: T, word: string): T =>
  JSON.parse(JSON.stringify(message), (key, value: unknown) =>
    key === "text" && typeof value === "string" ? fitted(value, word) : value,
  );

const names = (message: unknown): boolean => JSON.stringify(message).includes(PLACEHOLDER);

/** As `filled`; looks the command up only where the message names it. */
export const fill = async <T extends object>(message: T, find: FindWord): Promise<T> =>
  names(message) ? filled(message, await find()) : message;

/** As `fill`, for a sentence that leaves by another way than Slack. */
export const fillText = async (text: string, find: FindWord): Promise<string> =>
  names(text) ? withWord(text, await find()) : text;

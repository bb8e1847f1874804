/** Placeholder, in Casement's sentences, for the command that people type; a deployment may rename the command. */
const PLACEHOLDER = "{win}";

/** Default command, used if the configuration cannot be read. */
export const DEFAULT_WORD = "/win";

/** Slack's limit for a text (docs: Block Kit, text object). */
const MOST = 3_000;

/** Finds the name of this deployment's command. */
export type FindWord = () => Promise<string>;

/** An invisible character that is not a control character, so that the escaping of texts keeps it. */
const JOINER = "\u034f";

/** Splits the placeholder in text from other sources, so that it is not filled in. */
export const withoutPlaceholder = (text: string): string => text.replaceAll(PLACEHOLDER, `{${JOINER}win}`);

/** Fills the command into a sentence. */
export const withWord = (text: string, word: string): string => text.replaceAll(PLACEHOLDER, word);

function fitted(text: string, word: string): string {
  const full = withWord(text, word);
  return full.length > MOST && text.length <= MOST ? `${full.slice(0, MOST - 1)}…` : full;
}

/** Fills the command into every text of a message or dialog. */
export const filled = <T extends object>(message: T, word: string): T =>
  JSON.parse(JSON.stringify(message), (key, value: unknown) =>
    key === "text" && typeof value === "string" ? fitted(value, word) : value,
  );

const names = (message: unknown): boolean => JSON.stringify(message).includes(PLACEHOLDER);

/** As `filled`, but finds the command's name only if the message contains the placeholder. */
export const fill = async <T extends object>(message: T, find: FindWord): Promise<T> =>
  names(message) ? filled(message, await find()) : message;

/** As `fill`, for a plain sentence that is not sent to Slack. */
export const fillText = async (text: string, find: FindWord): Promise<string> =>
  names(text) ? withWord(text, await find()) : text;

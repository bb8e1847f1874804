import { withoutPlaceholder } from "./command-word.ts";

/** Slack's three (docs: "Formatting text for app surfaces"): nothing escaped this way can ping, link or format. */
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Control characters, lone surrogates and marks that turn the direction of writing; "keep" survives. */
const withoutControls = (text: string, keep: RegExp, instead: string): string =>
  text.toWellFormed().replace(/\p{C}/gu, (character) => (keep.test(character) ? character : instead));

/**
 * Text from elsewhere, safe inside mrkdwn and at most as long as `most`; an entity is never cut in two.
 * @param limit UTF-16 units of the result, as Slack counts them
 */
export function escaped(text: string, limit: number): string {
  const pieces = Array.from(text, (character) => ENTITIES[character] ?? character);
  const whole = pieces.join("");
  if (whole.length <= limit) return whole;
  let kept = "";
  for (const piece of pieces) {
    if (kept.length + piece.length >= limit) break;
    kept += piece;
  }
  return `${kept}…`;
}

/**
 * Parts the names of Slack's broadcasts from their @: Slack parses certain mentions in mrkdwn that is not `verbatim` (Block
 * Kit, text object), such as a message that a person quotes.
 */
const withoutBroadcasts = (text: string): string => text.replace(/@(?=(?:here|channel|everyone)\b)/gi, "@\u200b");

/** One line that opens no code block. */
const line = (text: string): string => withoutControls(text, /$^/, " ").replace(/`{2,}/g, "'").trim();

/** One line, in which nothing calls a channel or opens a code block. */
const oneLine = (text: string, limit: number): string => escaped(withoutBroadcasts(line(text)), limit);

/**
 * One line of text from elsewhere inside a sentence of the ledger. `prose` escapes the sentence: this text is not escaped before,
 * and mentions nobody afterwards.
 */
export function quoted(text: string, limit: number): string {
  const words = withoutPlaceholder(line(text)).replaceAll("<@", "<\u034f@");
  return words.length > limit ? `${words.slice(0, limit - 1).toWellFormed()}…` : words;
}

/** One line of text from elsewhere: a name, a reason. It opens no code block, calls no channel and fills no command in. */
export const plain = (text: string, limit = 300): string => withoutPlaceholder(oneLine(text, limit));

/** One line of a failure's reason: as in its code block, it may name our command, mentions no one and is no code. */
export const failureWords = (text: string, limit: number): string => oneLine(text, limit).replaceAll("`", "'");

/** A sentence of the ledger, which may name our command and mention people as `<@U…>`; everything else in it is escaped. */
export const prose = (text: string, limit = 600): string =>
  oneLine(text, limit).replace(/&lt;@([UW][A-Z0-9]{2,20})&gt;/g, "<@$1>");

/** A text in a code span that it cannot break out of. @param limit characters of the text */
export const codeSpan = (text: string, limit: number): string =>
  `\`${plain(text, limit).replaceAll("`", "'") || " "}\``;

/** A name in a code span that it cannot break out of. */
export const code = (text: string): string => codeSpan(text, 300);

/** Repeats typed text: at most 80 characters, no mention that pings; characters that cannot be seen show as �. */
export function echo(text: string): string {
  const words = withoutControls(text, /$^/, "\ufffd").replaceAll("`", "'").trim();
  // After the cut, which would otherwise part an @ from the mark behind it.
  return `\`${withoutPlaceholder(escaped(words, 80)).replaceAll("@", "@\u200b") || " "}\``;
}

/** A machine's output, for the inside of a code block that it cannot break out of; line breaks stay. */
const inCode = (text: string, limit: number): string =>
  escaped(
    withoutBroadcasts(
      withoutControls(text, /[\n\t]/, "")
        .replaceAll("`", "'")
        .trimEnd(),
    ),
    limit,
  );

/** Lines for the inside of a code block, each of them safe. */
export const codeLine = (line: string): string => inCode(line.replace(/\s/g, " "), 2_500);

/** A code block around text that is safe inside it. */
export const fenced = (safe: string): string => `\`\`\`\n${safe}\n\`\`\``;

/** A machine's output as a code block of at most `limit` characters. */
export const codeBlock = (text: string, limit: number): string => fenced(inCode(text.trim(), limit - 8) || " ");

/** A clause as a sentence: with a capital and one full stop, which services write or leave out. */
export const sentence = (clause: string): string =>
  `${clause.replace(/^[a-z]/, (letter) => letter.toUpperCase()).replace(/\.+$/, "")}.`;

/** Beginning of the reason of a stage that waited in vain (engine/durable.ts), where the words before say it too. */
export const GAVE_UP = /^gave up waiting for /;

/** "1 node", "3 nodes". */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** "a, b and 4 more" */
export function some(names: readonly string[], most: number): string {
  const shown = names.slice(0, most);
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

/** Mentions a user group (S…) or a person, so that Slack notifies them. */
export const mentionOf = (id: string): string => (id.startsWith("S") ? `<!subteam^${id}>` : `<@${id}>`);

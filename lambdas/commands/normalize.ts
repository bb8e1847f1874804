/** Links into which Slack turns host names, mail addresses and numbers: `<http://host|host>`. */
const AUTOMATIC_LINK = /<(?:https?:\/\/|mailto:|tel:)([^|>]*?)\/?(?:\|([^>]*))?>/gi;

/** Zero-width characters in copied text, which nobody types on purpose. */
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;

/** The only three characters that Slack escapes (docs: "Formatting text for app surfaces"). */
const ESCAPED: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

/** Characters with which phones and editors replace two hyphens, one hyphen and straight quotes. */
const SMART: readonly (readonly [RegExp, string])[] = [
  [/(?<=^|\s)[\u2012-\u2015]+-*(?=\p{L})/gu, "--"],
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/[\u2018\u2019\u201a\u201b]/g, "'"],
  [/[\u201c-\u201f\u00ab\u00bb]/g, '"'],
];

const unescaped = (text: string): string => text.replace(/&(?:amp|lt|gt);/g, (entity) => ESCAPED[entity] ?? entity);

/** Counts the characters that a person typed; Slack's escapes turn one character into up to five. */
export const typedLength = (text: string): number => unescaped(text).length;

/** One word of a command. */
export interface Word {
  /** In lower case, with its quotes; names, numbers and options are parsed from this. */
  readonly text: string;
  /** In its original case, without its quotes. */
  readonly content: string;
  readonly quoted: boolean;
  /** The `node` of kubectl's `node/NAME`, which is not the name of a node. */
  readonly isType: boolean;
}

const typed = (text: string): string =>
  unescaped(
    text
      .replace(AUTOMATIC_LINK, (link: string, address: string, label: string = address) =>
        // A person wrote a label that is not part of its address, so the link stays: Casement must not guess its
        // meaning.
        address.toLowerCase().includes(label.toLowerCase()) ? label : link,
      )
      .replace(INVISIBLE, ""),
  );

/** Matches an option with a quoted value, a quoted text, or the characters between two spaces. */
const WORD = /(?<option>-+[^\d\s="'][^\s="']*=)?(?<quote>["'])(?<inside>.*?)\k<quote>(?=\s|$)|\S+/gs;

const wordOf = (text: string, content = text, quoted = false): Word => ({
  text: text.toLowerCase(),
  content,
  quoted,
  isType: false,
});

const TYPES: ReadonlySet<string> = new Set(["node", "nodes", "no"]);

/** Splits kubectl's `node/NAME` into two words; in `node node/NAME`, the type is kept only once. */
function withTypes(words: readonly Word[]): Word[] {
  const read: Word[] = [];
  for (const word of words) {
    const [, name] = word.quoted ? [] : (/^(?:nodes?|no)\/(.+)$/s.exec(word.text) ?? []);
    if (name === undefined) {
      read.push(word);
      continue;
    }
    if (TYPES.has(read.at(-1)?.text ?? "")) read.pop();
    read.push({ ...wordOf("node"), isType: true }, wordOf(word.content.slice(-name.length)));
  }
  return read;
}

/**
 * Splits typed text into words, without Slack's links and escapes, with plain hyphens and quotes. A quoted text is one
 * word, kubectl's `node/NAME` becomes the words `node NAME`, and mentions (`<@u123>`) stay unchanged.
 * @param text the text of a slash command as Slack sends it
 */
export function normalize(text: string): Word[] {
  const plain = SMART.reduce((before, [smart, straight]) => before.replace(smart, straight), typed(text));
  return withTypes(
    [...plain.matchAll(WORD)].map(({ 0: whole, groups }) => {
      const inside = groups?.inside;
      return inside === undefined ? wordOf(whole) : wordOf(whole, inside, true);
    }),
  );
}

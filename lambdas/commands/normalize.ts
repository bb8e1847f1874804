/**
 * Most characters of a command: the longest sensible one has a node's name (253, RFC 1123), a reason (200) and a few
 * words.
 */
export const LONGEST_COMMAND = 600;

/** Links into which Slack turns host names, mail addresses and numbers: `<http://host|host>`. */
const AUTOMATIC_LINK = /<(?:https?:\/\/|mailto:|tel:)([^|>]*?)\/?(?:\|([^>]*))?>/gi;

/**
 * Characters of copied text that nobody sees: format characters, variation selectors, joiners (Unicode, UAX #44,
 * "Default_Ignorable_Code_Point"). An override of the direction stays, because it shows other words than it holds.
 */
const INVISIBLE = /(?![\u202d\u202e])[\p{Cf}\p{DI}]/gu;

/** Such characters beside a quote, where they would hide that a text begins or ends. */
const BESIDE_QUOTE = new RegExp(`(?:${INVISIBLE.source})+(?=["'])|(?<=["'])(?:${INVISIBLE.source})+`, "gu");

/** Zero-width characters, which a quoted text loses too. */
const ZERO_WIDTH = /[\u00ad\u200b\u2060\ufeff]/g;

/** The only three characters that Slack escapes (docs: "Formatting text for app surfaces"). */
const ESCAPED: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

/** Characters with which phones and editors replace two hyphens, one hyphen and straight quotes. */
const SMART: readonly (readonly [RegExp, string])[] = [
  [/(?<=^|\s)[\u2012-\u2015]+-*(?=\p{L})/gu, "--"],
  [/[\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d]/g, "-"],
  [/[\u2018\u2019\u201a\u201b\u2032\u2035\u2039\u203a\uff07]/g, "'"],
  [/[\u201c-\u201f\u00ab\u00bb\u2033\u2036\u301d-\u301f\uff02]/g, '"'],
];

const unescaped = (text: string): string => text.replace(/&(?:amp|lt|gt);/g, (entity) => ESCAPED[entity] ?? entity);

/** Counts the characters that a person typed; Slack's escapes turn one character into up to five. */
export const typedLength = (text: string): number => unescaped(text).length;

/** One word of a command. */
export interface Word {
  /** In lower case and in its plain form, with its quotes if it has several words; names, numbers and options are parsed from this. */
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
      .replace(ZERO_WIDTH, ""),
  );

/**
 * Matches an option with a quoted value, a quoted text, or the characters between two spaces. A comma may follow a quoted
 * name at once; behind several words it may belong to a text that has quotes itself.
 */
const WORD =
  /(?<option>-+[^\d\s="'][^\s="']*=)?(?<quote>["'])(?<inside>[^\s"']+(?=\k<quote>[,;])|.*?(?=\k<quote>(?:\s|$)))\k<quote>|\S+/gs;

/**
 * Signs with which chat programs and sentences frame a name, a pair of quotes inside them, and signs that end an item
 * of a list or a sentence.
 */
const FRAMED = /^[`*_~([]*(["']?)(.*?)\1[`*_~)\]]*[,;:.!?]*[`*_~)\]]*$/s;

/** Makes the plain form of a word that names something: without what phones, pages and chat programs add to it. */
export const plainForm = (text: string): string => {
  const plain = text.normalize("NFKC").replace(INVISIBLE, "");
  return FRAMED.exec(plain)?.[2] || plain;
};

const wordOf = (typedText: string): Word => {
  const plain = plainForm(typedText);
  return { text: plain.toLowerCase(), content: plain, quoted: false, isType: false };
};

/** Reads the names of a list without spaces. The word behind an option may be its text, which keeps its commas. */
function listed(typedText: string, before: string | undefined): Word[] {
  const word = wordOf(typedText);
  return before?.startsWith("-") || word.content.startsWith("-")
    ? [word]
    : word.content.split(/[,;]+/).flatMap((name) => (name === "" ? [] : wordOf(name)));
}

/** Does a quoted text name something? An option in quotes is a text, also inside a frame: "(--max=2)". */
const isName = (inside: string): boolean => /^[^\s-]\S*$/.test(inside) && !plainForm(inside).startsWith("-");

/** A quoted text keeps its characters; if it is one word, it means the same as without its quotes. */
const quotedWord = (whole: string, inside: string, option: string | undefined): Word => ({
  text: (option === undefined && isName(inside) ? plainForm(inside) : whole).toLowerCase(),
  content: inside,
  quoted: true,
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
 * Splits typed text into words, without Slack's links and escapes, invisible characters and framing signs, with plain
 * hyphens, quotes and digits. A quoted text is one word, kubectl's `node/NAME` becomes the words `node NAME`, and
 * mentions (`<@u123>`) stay unchanged.
 * @param text the text of a slash command as Slack sends it
 */
export function normalize(text: string): Word[] {
  const plain = SMART.reduce((before, [smart, straight]) => before.replace(smart, straight), typed(text));
  const words = [...plain.replace(BESIDE_QUOTE, "").matchAll(WORD)];
  return withTypes(
    words.flatMap(({ 0: whole, groups }, at) => {
      const inside = groups?.inside;
      return inside === undefined ? listed(whole, words[at - 1]?.[0]) : quotedWord(whole, inside, groups?.option);
    }),
  ).filter(({ text, quoted }) => quoted || !/^[,;]*$/.test(text));
}

/** Links that Slack makes by itself of host names, mail addresses and numbers: `<http://host|host>`. */
const AUTOMATIC_LINK = /<(?:https?:\/\/|mailto:|tel:)([^|>]*?)\/?(?:\|([^>]*))?>/gi;

/** Signs without width that come along when something is copied: nobody sees them, and nobody meant them. */
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;

/** Slack escapes these three, and only these (docs: "Formatting text for app surfaces"). */
const ESCAPED: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

/** Characters that phones and editors put in place of two hyphens, of one, and of straight quotes. */
const SMART: readonly (readonly [RegExp, string])[] = [
  [/(?<=^|\s)[\u2012-\u2015]+-*(?=\p{L})/gu, "--"],
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/[\u2018\u2019\u201a\u201b]/g, "'"],
  [/[\u201c-\u201f\u00ab\u00bb]/g, '"'],
];

/** kubectl's `node/NAME`; where the type was said before it, once is enough: `node node/NAME`. */
const TYPE_AND_NAME = /(?<!\S)(?:(?:nodes?|no)\s+)?(?:nodes?|no)\/(?=\S)/g;

const typed = (text: string): string =>
  text
    .replace(AUTOMATIC_LINK, (link: string, address: string, label: string = address) =>
      // A label that is no part of its address was chosen by somebody: what was meant is not for us to say.
      address.toLowerCase().includes(label.toLowerCase()) ? label : link,
    )
    .replace(INVISIBLE, "")
    .replace(/&(?:amp|lt|gt);/g, (entity) => ESCAPED[entity] ?? entity);

/**
 * Splits typed text into words: without Slack's links and escapes, with plain hyphens and quotes, in lower case.
 * kubectl's `node/NAME` becomes the words `node NAME`. Mentions stay as they are (`<@u123>`).
 * @param text the text of a slash command as Slack sends it
 */
export function plainWords(text: string): string[] {
  const plain = SMART.reduce((before, [smart, straight]) => before.replace(smart, straight), typed(text));
  return plain
    .toLowerCase()
    .replace(TYPE_AND_NAME, "node ")
    .split(/\s+/)
    .filter((word) => word !== "");
}

import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "../../lambdas/commands/parse.ts";

const vocabulary = { pools: ["web", "batch"], commandWord: "/win" };

/** Commands by their words, without options with texts. */
const commands: readonly (readonly string[])[] = [
  ["why", "ip-10-0-3-7"],
  ["drain", "ip-10-0-3-7.us-west-2.compute.internal", "--dry-run"],
  ["reboot", "ip-10-0-3-7", "ip-10-0-3-8", "--max", "2", "--canary"],
  ["reboot", "web", "--due"],
  ["add", "web", "12"],
  ["remove", "i-0ab12cd34ef567890"],
  ["resume", "reboot-3f9c2a71", "--unavailable", "2"],
];

const isOption = (word: string): boolean => word.startsWith("-");

const wide = (text: string): string =>
  text.replace(/[0-9a-z]/g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfee0));

/** Ways in which phones, pages and chat programs change a word that names something. */
const onNames: readonly ((word: string) => string)[] = [
  (word) => `\`${word}\``,
  (word) => `*${word}*`,
  (word) => `_${word}_`,
  (word) => `"${word}"`,
  (word) => `'${word}'`,
  (word) => `\u201c${word}\u201d`,
  (word) => `\u201e${word}\u201c`,
  (word) => `\u00ab${word}\u00bb`,
  (word) => `\uff02${word}\uff02`,
  (word) => `${word},`,
  (word) => `${word};`,
  (word) => `${word}.`,
  (word) => `${word}:`,
  (word) => `${word}?`,
  (word) => `${word}!`,
  (word) => `(${word})`,
  (word) => `[${word}].`,
  (word) => `\`${word}\`,`,
  (word) => `"${word}",`,
  (word) => `\u201c${word}\u201d;`,
  (word) => `\`\u201c${word}\u201d\``,
  wide,
  (word) => word.toUpperCase(),
];

const INVISIBLE = [
  "\u200e",
  "\u200f",
  "\u202a",
  "\u202c",
  "\u2066",
  "\u2069",
  "\u200b",
  "\u200d",
  "\ufe0f",
  "\u00ad",
  "\u061c",
  "\u{e0020}",
];
const DASHES = ["\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2212", "\ufe63", "\uff0d"];

/** Ways in which any word may be changed. */
const onWords: readonly ((word: string, sign: number) => string)[] = [
  (word) => word,
  (word, sign) => `${word}${INVISIBLE[sign % INVISIBLE.length]}`,
  (word, sign) => `${INVISIBLE[sign % INVISIBLE.length]}${word}`,
  (word, sign) => word.replace(/(?<=\w)-/g, DASHES[sign % DASHES.length] ?? "-"),
];

/** Characters that nobody sees, before and behind the frame of a word. */
const around: readonly ((sign: number) => readonly string[])[] = [
  () => ["", ""],
  (sign) => [INVISIBLE[sign % INVISIBLE.length] ?? "", ""],
  (sign) => ["", INVISIBLE[sign % INVISIBLE.length] ?? ""],
];

const SPACES = [" ", "  ", "\u00a0", "\u3000", "\t", "\u202f"];

test("A command means the same however phones, pages and chat programs write its words", () => {
  const way = fc.record({
    name: fc.nat(),
    word: fc.nat(),
    sign: fc.nat(100),
    space: fc.nat(100),
    isPlain: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.constantFrom(...commands), fc.array(way, { minLength: 8, maxLength: 8 }), (words, ways) => {
      const pasted = words
        .map((word, at) => {
          const {
            name,
            word: any,
            sign,
            space,
            isPlain,
          } = ways[at] ?? { name: 0, word: 0, sign: 0, space: 0, isPlain: true };
          const changed = onWords[any % onWords.length]?.(word, sign) ?? word;
          const framed = isPlain || isOption(word) ? changed : (onNames[name % onNames.length]?.(changed) ?? changed);
          const [before = "", after = ""] = around[any % around.length]?.(sign) ?? [];
          return `${SPACES[space % SPACES.length]}${before}${framed}${after}`;
        })
        .join("");
      expect(parse(pasted, vocabulary)).toEqual(parse(words.join(" "), vocabulary));
    }),
  );
});

test.each([
  ["drain ip-10-0-3-7,ip-10-0-3-8", "drain ip-10-0-3-7 ip-10-0-3-8"],
  ['reboot "ip-10-0-3-7", "ip-10-0-3-8"', "reboot ip-10-0-3-7 ip-10-0-3-8"],
  [
    "reboot `ip-10-0-3-7`,\u201cip-10-0-3-8\u201d;ip-10-0-3-9 --max 2",
    "reboot ip-10-0-3-7 ip-10-0-3-8 ip-10-0-3-9 --max 2",
  ],
  ["reboot ip-10-0-3-7 --force \u201cip-10-0-3-7\u201d,", "reboot ip-10-0-3-7 --force ip-10-0-3-7"],
])("Names of a list may have commas and quotes: %s", (pasted, plain) => {
  expect(parse(pasted, vocabulary)).toEqual(parse(plain, vocabulary));
});

test("Commas and quotes of a text belong to it", () => {
  const reasonOf = (text: string) => parse(`remove ip-10-0-3-7 --reason ${text}`, vocabulary);
  expect(reasonOf('"disk a,b fails; \u2764\ufe0f, see INC-7"')).toMatchObject({
    request: { reason: "disk a,b fails; \u2764\ufe0f, see INC-7" },
  });
  expect(reasonOf('"the "C", then the other"')).toMatchObject({ request: { reason: 'the "C", then the other' } });
  expect(reasonOf("patches,tonight")).toMatchObject({ request: { reason: "patches,tonight" } });
});

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

/** Phrases that kubectl, GitHub and PagerDuty would not write to a person. */
const BANNED = [
  "somebody",
  "nobody",
  "of ours",
  "of mine",
  "of its own accord",
  "by itself",
  "as you say",
  "whoever",
  "whomever",
  "given up",
  "is away",
  "looked at",
  "looks after",
  "asked for",
  "as it must be",
  "made anew",
  "I am",
  "I cannot",
  "I may",
  "please",
];

const phrases = new RegExp(`(?<![-\\w])(?:${BANNED.join("|")})(?![-\\w])`, "gi");

/** The source without its comments and the names of steps, which stay as they are: people read its other strings. */
const withoutComments = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ""))
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/\b(?:once|step|until|waitFor)\([^"\n]*"[^"\n]*"/g, "step(");

const faultsIn = (path: string, text: string): string[] => {
  const code = withoutComments(text);
  return [...code.matchAll(phrases)].map(
    ({ index, 0: phrase }) => `${path}:${code.slice(0, index).split("\n").length}: ${phrase}`,
  );
};

test.each(BANNED)("a message that says %j is refused, with its line", (phrase) => {
  expect(faultsIn("a.ts", `/** A message. */\nexport const text = "it ${phrase} ends";\n`)).toEqual([
    `a.ts:2: ${phrase}`,
  ]);
});

test("comments and longer words are left alone", () => {
  const text = "/**\n * Nobody reads this.\n */\n// nobody\nexport const kind = 'no-subscriber';\n";
  expect(faultsIn("a.ts", text)).toEqual([]);
});

test("messages, commands, stages and alarms are worded as kubectl, GitHub and PagerDuty word theirs", () => {
  const paths =
    "{lambdas/messages/**/*.ts,lambdas/capabilities/**/*.ts,lambdas/commands/*.ts,lib/constructs/alarms.ts}";
  const files = globSync(paths, { cwd: root });
  expect(files.length).toBeGreaterThan(45);
  expect(files.flatMap((path) => faultsIn(path, readFileSync(join(root, path), "utf8")))).toEqual([]);
});

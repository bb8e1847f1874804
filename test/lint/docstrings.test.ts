import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

const QUESTION = /\/\*\*[\s*]*(What|Who|Whom|Whose|Which|Whatever|Whoever|Nobody|Somebody|How|Where|When|Why)\b/g;
/** The phrase counts too where a comment breaks its line in the middle of it. */
const PHRASE = /\bunless[\s*/]+told\b/gi;

const faultsIn = (path: string, text: string): string[] => {
  const at = (index: number | undefined): string => `${path}:${text.slice(0, index).split("\n").length}`;
  return [
    ...[...text.matchAll(QUESTION)].map(({ index, 1: word }) => `${at(index)}: a docstring opens with ${word}`),
    ...[...text.matchAll(PHRASE)].map(({ index }) => `${at(index)}: name the default instead of the phrase`),
  ];
};

// Put together, so that this file holds no fault itself.
const words = [
  "What",
  "Who",
  "Whom",
  "Whose",
  "Which",
  "Whatever",
  "Whoever",
  "Nobody",
  "Somebody",
  "How",
  "Where",
  "When",
  "Why",
];
const told = ["unless", "told"];

test.each(words)("a docstring that opens with %s is refused, on one line and on several", (word) => {
  const text = `const a = 1;\n/** ${word} it is. */\nconst b = 2;\n/**\n * ${word} it is.\n */\nconst c = 3;\n`;
  expect(faultsIn("lib/a.ts", text)).toEqual([
    `lib/a.ts:2: a docstring opens with ${word}`,
    `lib/a.ts:4: a docstring opens with ${word}`,
  ]);
});

test("the phrase is refused, also over two lines", () => {
  const text = `/** 1 ${told.join(" ")}. */\n/**\n * Two ${told.join("\n * ")}.\n */\n`;
  expect(faultsIn("docs/a.md", text)).toEqual([
    "docs/a.md:1: name the default instead of the phrase",
    "docs/a.md:3: name the default instead of the phrase",
  ]);
});

test("other openings are left alone, and so are questions further on", () => {
  const text = `/** Whether it is; what it was. */\n/**\n * A name.\n * What follows is free.\n */\n// What a line says.\n`;
  expect(faultsIn("lib/a.ts", text)).toEqual([]);
});

test("docstrings of this repository open with a verb or a noun, and defaults are named", () => {
  const files = globSync("{lambdas,lib,bin,test,docs}/**/*.{ts,tsx,mjs,ps1,psm1,grit,css,json,yaml,md}", {
    cwd: root,
    exclude: (path) => path.endsWith("node_modules"),
  });
  expect(files.length).toBeGreaterThan(900);
  const faults = files.flatMap((path) => faultsIn(path, readFileSync(join(root, path), "utf8")));
  expect(faults.sort()).toEqual([]);
});

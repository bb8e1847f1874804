import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "../../lambdas/commands/parse.ts";
import { anchorOf } from "../../lib/sandbox/page/runbook.ts";
import { awsCommands, unknownTo } from "./aws-commands.ts";
import { codeOf, type Page, pages } from "./pages.ts";

const scripts: Readonly<Record<string, string>> = JSON.parse(readFileSync("package.json", "utf8")).scripts;

/** Places in forms and examples, filled with something that could stand there. */
const fillings: readonly (readonly [RegExp, string])[] = [
  [/<pool>|\[pool\]/g, "web"],
  [/\[count\]/g, "2"],
  [/<node>/g, "ip-10-0-3-7"],
  [/<pool\\?\|node>\.\.\./g, "ip-10-0-3-7"],
  [/<operation>/g, "add-3f9c2a71"],
  [/\[operation\\?\|node\\?\|person\]/g, "@olivia"],
  [/\[(?:topic|command)\]/g, "add"],
  [/\[registry\]/g, "quay.io"],
  [/\[node\]\.\.\./g, "ip-10-0-3-7"],
  [/<reason>/g, "disk errors"],
  [/<duration>/g, "4h"],
  [/<time>/g, "Sat 02:00"],
  [/<number>/g, "2"],
  [/\[(--[^\]]+)\]/g, "$1"],
];
const vocabulary = { pools: ["web", "batch", "edge"], commandWord: "/win" };

/** Commands that the tour types on purpose to see them refused. */
const mistakes = ["/win add wbe", "/win add web 0", "/win frobnicate"];

const filled = (text: string): string => fillings.reduce((line, [place, word]) => line.replace(place, word), text);

function deadLinks({ path, links }: Page): string[] {
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : normalize(join(dirname(path), file));
      if (!existsSync(target)) return true;
      if (anchor === undefined) return false;
      return !pages.find((page) => page.path === target)?.headings.some((heading) => anchorOf(heading) === anchor);
    });
}

/** The words after an `npm` that name a script, in any line of code. */
const npmScripts = (page: Page): string[] =>
  codeOf(page).flatMap((line) =>
    [...line.matchAll(/\bnpm (?:run (?:--silent )?([\w:-]+)|(start|test)\b)/g)].map(
      ([, run, word]) => run ?? word ?? "",
    ),
  );

/** Options and words that are handed to one of our own scripts. */
const scriptOptions = (page: Page): string[] =>
  codeOf(page).flatMap((line) => {
    const [, given = ""] = /\bnpm (?:start|run (?:--silent )?[\w:-]+) -- (.*)/.exec(line) ?? [];
    return [...given.matchAll(/^([a-z]+)|--([a-z-]+)/g)].map(([, word, option]) => word ?? option ?? "");
  });

const typedCommands = (page: Page): string[] =>
  codeOf(page).filter((line) => line.startsWith("/win ") && !line.includes("…"));

const repositoryPaths = (page: Page): string[] =>
  codeOf(page).flatMap((line) =>
    [...line.matchAll(/(?<![\w./-])(?:bin|lib|lambdas|test|docs)\/[\w./*{},-]*[\w/*]/g)].map(([path]) => path),
  );

describe.each(pages.map((page) => [page.path, page] as const))("%s", (_path, page) => {
  test("links to pages and headings that exist", () => {
    expect(deadLinks(page)).toEqual([]);
  });

  test("names npm scripts that exist", () => {
    expect(npmScripts(page).filter((name) => !(name in scripts))).toEqual([]);
  });

  test("names options that a program of ours reads", () => {
    const programs = globSync("bin/**/*.{ts,mjs}").map((path) => readFileSync(path, "utf8"));
    const isRead = (option: string) => programs.some((text) => new RegExp(`["\`-]${option}\\b`).test(text));
    expect(scriptOptions(page).filter((option) => !isRead(option))).toEqual([]);
  });

  test("shows commands that the bot understands", () => {
    const understood = (line: string): boolean => {
      const parsed = parse(filled(line).slice("/win ".length), vocabulary);
      if ("request" in parsed || parsed.problem.kind === "missing") return true;
      // A form names every option, and some of them exclude each other.
      return line.includes("[--") && parsed.problem.kind === "only-of-one";
    };
    const misunderstood = typedCommands(page).filter((line) => !understood(line));
    expect(misunderstood.filter((line) => !mistakes.includes(line))).toEqual([]);
  });

  test("names files that exist", () => {
    expect(repositoryPaths(page).filter((path) => globSync(path).length === 0)).toEqual([]);
  });

  test("shows aws commands and options that AWS's own models know", () => {
    expect(page.lines.concat(page.spans).flatMap(awsCommands).flatMap(unknownTo)).toEqual([]);
  });
});

test("an aws command or option that AWS does not know is noticed", () => {
  const made = "aws lambda list-executions --all; aws dynamodb get-item --table-name t --shape round";
  expect(awsCommands(made).flatMap(unknownTo)).toEqual(["lambda list-executions", "dynamodb get-item --shape"]);
});

test("the words of this project are twenty at most, each with its meaning", () => {
  const text = readFileSync("docs/contributing.md", "utf8");
  const [, chapter = ""] = text.split("## Words of this project");
  const rows = (chapter.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| "));
  const words = rows.slice(1).map((row) => row.split("|").map((cell) => cell.trim()));
  expect(words.length).toBeGreaterThan(10);
  expect(words.length).toBeLessThanOrEqual(20);
  expect(words.filter(([, word, meaning]) => !word || word.includes(",") || !meaning)).toEqual([]);
});

import { globSync, readFileSync } from "node:fs";

/** A page of the documentation, taken apart. */
export interface Page {
  readonly path: string;
  readonly text: string;
  /** Headings without their hashes, as they stand. */
  readonly headings: readonly string[];
  /** Targets of Markdown links outside code. */
  readonly links: readonly string[];
  /** Inline code. */
  readonly spans: readonly string[];
  /** Lines of fenced code; continued lines are joined and comments of shell blocks are gone. */
  readonly lines: readonly string[];
}

const FENCE = /^ *```(\w*)\n([\s\S]*?)^ *```$/gm;
const SPAN = /`([^`\n]+)`/g;
const LINK = /\]\(([^)\s]+)\)/g;
const HEADING = /^#{1,6} (.+)$/gm;

const all = (pattern: RegExp, text: string, group: number): string[] =>
  [...text.matchAll(pattern)].map((match) => match[group] ?? "");

const linesOf = (block: string): string[] =>
  block
    .replace(/\\\n\s*/g, " ")
    .split("\n")
    .map((line) => line.replace(/(^|\s{2,})# .*$/, "").trim())
    .filter((line) => line !== "");

function page(path: string): Page {
  const text = readFileSync(path, "utf8");
  const prose = text.replace(FENCE, "");
  return {
    path,
    text,
    headings: all(HEADING, prose, 1),
    links: all(LINK, prose.replace(SPAN, ""), 1),
    spans: all(SPAN, prose, 1),
    lines: all(FENCE, text, 2).flatMap(linesOf),
  };
}

/** Every page that people read in the repository. */
export const pages: readonly Page[] = [
  ...globSync("*.md"),
  ...globSync("docs/**/*.md"),
  ...globSync("{lambdas,lib}/**/*.md"),
]
  .sort()
  .map(page);

/** A page by its path. */
export function pageAt(path: string): Page {
  const found = pages.find((one) => one.path === path);
  if (!found) throw new Error(`there is no page ${path}`);
  return found;
}

/** All inline code and all lines of code of a page. */
export const codeOf = ({ spans, lines }: Page): readonly string[] => [...spans, ...lines];

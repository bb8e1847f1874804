import { diff } from "node:util";

/** Lines around a change that are shown with it. */
const CONTEXT = 1;

/** Marks of lines that are only in the new text, in both, and only in the old one, by the operations of `diff`. */
const marks = { [-1]: "+", 0: " ", 1: "-" } as const;

/**
 * Compares two texts by lines.
 * @returns changed lines with - and +, and the lines beside them; empty if the texts are equal
 */
export function difference(before: string, after: string): string {
  if (before === after) return "";
  const lines = diff(before.split("\n"), after.split("\n"));
  const isShown = (at: number): boolean =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(([operation]) => operation !== 0);
  return lines
    .flatMap(([operation, text], at) => {
      if (isShown(at)) return [`${marks[operation]} ${text}`];
      return at === 0 || isShown(at - 1) ? ["  …"] : [];
    })
    .join("\n");
}

import type { Block } from "../../records/records.ts";
import { limits, sections, sizeOf } from "./blocks.ts";
import { codeLine, fenced } from "./text.ts";

/** Characters that a table leaves free for the text around it. */
const AROUND = 1_000;

const widths = (rows: readonly (readonly string[])[]): number[] =>
  rows.reduce<number[]>((widest, row) => row.map((cell, at) => Math.max(cell.length, widest[at] ?? 0)), []);

/** Aligns rows as kubectl does: columns as wide as their widest cell, with three spaces between them. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const wide = widths(rows);
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(wide[at] ?? 0))
      .join("   ")
      .trimEnd(),
  );
}

/** Most characters of a cell. */
const WIDEST = 100;

const one = (cell: string): string => {
  const line = cell.replace(/\s+/g, " ");
  return (line.length > WIDEST ? `${line.slice(0, WIDEST - 1)}…` : line) || "<none>";
};

/**
 * A table in monospaced blocks, within Slack's limits.
 * @returns its blocks, and the number of rows that did not fit
 */
export function table(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): { readonly blocks: Block[]; readonly rest: number } {
  const [head = "", ...lines] = aligned([columns, ...rows.map((row) => row.map(one))]);
  const framed = (shown: readonly string[]): Block[] => sections([head, ...shown].map(codeLine), fenced);
  let shown = lines;
  while (sizeOf(framed(shown)) > limits.total - AROUND) shown = shown.slice(0, Math.floor(shown.length * 0.9));
  return { blocks: framed(shown), rest: lines.length - shown.length };
}

/** "and 12 more nodes" */
export const andMore = (rest: number, noun: string): string => `and ${rest} more ${noun}${rest === 1 ? "" : "s"}`;

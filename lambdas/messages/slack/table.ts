import type { Block } from "../../records/records.ts";
import { limits, sections, sizeOf } from "./blocks.ts";
import { code, codeLine, fenced } from "./text.ts";

/** Characters that a table leaves free for the text around it. */
const AROUND = 1_000;

/** Most characters of a line that a phone shows without cutting or scrolling it. */
export const PHONE_WIDTH = 60;

/** Spaces between two columns, as kubectl has them. */
const GAP = 3;

const widths = (rows: readonly (readonly string[])[]): number[] =>
  rows.reduce<number[]>((widest, row) => row.map((cell, at) => Math.max(cell.length, widest[at] ?? 0)), []);

/** Aligns rows as kubectl does: columns as wide as their widest cell, with three spaces between them. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const wide = widths(rows);
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(wide[at] ?? 0))
      .join(" ".repeat(GAP))
      .trimEnd(),
  );
}

/** Most characters of a cell. */
const WIDEST = 100;

const one = (cell: string): string => {
  const line = cell.replace(/\s+/g, " ");
  return (line.length > WIDEST ? `${line.slice(0, WIDEST - 1)}…` : line) || "<none>";
};

/** Blocks of a list, and the number of its rows that did not fit. */
interface Listed {
  readonly blocks: Block[];
  readonly rest: number;
}

/** Shows a heading and as many entries, of one or more lines each, as fit into Slack's limits. */
function fitting(head: string, entries: readonly (readonly string[])[]): Listed {
  const framed = (some: readonly (readonly string[])[]): Block[] =>
    sections([head, ...some.flat()].map(codeLine), fenced);
  let shown = entries;
  while (sizeOf(framed(shown)) > limits.total - AROUND) shown = shown.slice(0, Math.floor(shown.length * 0.9));
  return { blocks: framed(shown), rest: entries.length - shown.length };
}

/** A table in monospaced blocks, within Slack's limits. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): Listed {
  const [head = "", ...lines] = aligned([columns, ...rows.map((row) => row.map(one))]);
  return fitting(
    head,
    lines.map((line) => [line]),
  );
}

/** Breaks a text between its words into indented lines that a phone shows whole. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > PHONE_WIDTH) lines.push(`  ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** A row of a table, and the texts below it. */
export interface TableEntry {
  readonly cells: readonly string[];
  readonly below: readonly string[];
}

/** Cuts a row that is wider than a phone: its last column is the least important one. */
const narrow = (line: string): string => (line.length > PHONE_WIDTH ? `${line.slice(0, PHONE_WIDTH - 1)}…` : line);

/** A table whose rows fit on a phone, with whole texts below each row. */
export function tableOfEntries(columns: readonly string[], entries: readonly TableEntry[]): Listed {
  const [head = "", ...lines] = aligned([columns, ...entries.map(({ cells }) => cells.map(one))]).map(narrow);
  return fitting(
    head,
    lines.map((line, at) => [line, ...(entries[at]?.below ?? []).flatMap(wrapped)]),
  );
}

/** Most characters of a name in a table for phones: a status of 17 has room beside it. */
const LONGEST_NAME = 36;

/** Shortens long names in the middle, where those of one cluster differ least; names that would be alike stay whole. */
function shortNames(names: readonly string[]): string[] {
  const half = (LONGEST_NAME - 1) / 2;
  const short = names.map((name) =>
    name.length > LONGEST_NAME ? `${name.slice(0, Math.floor(half))}…${name.slice(-Math.ceil(half))}` : name,
  );
  return names.map((name, at) => (short.filter((one) => one === short[at]).length === 1 ? (short[at] ?? name) : name));
}

/** The domain that all names end in, with its dot; empty if they have no common one. */
function domainOf(names: readonly string[]): string {
  const domains = new Set(names.map((name) => (name.includes(".") ? name.slice(name.indexOf(".")) : "")));
  return domains.size === 1 ? ([...domains][0] ?? "") : "";
}

/** Names for a table for phones. */
interface PhoneNames {
  /** The names without their common domain, shortened where they are long. */
  readonly cells: readonly string[];
  /** A sentence that names the domain; null where they have none in common. */
  readonly domain: string | null;
}

/** Shortens names of nodes for a table for phones. */
export function phoneNames(names: readonly string[]): PhoneNames {
  const domain = domainOf(names);
  const cells = shortNames(names.map((name) => name.slice(0, name.length - domain.length)));
  return { cells, domain: domain ? `Names end in ${code(domain)}.` : null };
}

/** A column of a table for phones. */
export interface PhoneColumn {
  readonly heading: string;
  readonly cells: readonly string[];
  /** It is left out, and said once, where all rows have the same. */
  readonly isSaidOnce?: boolean;
}

/** A table whose rows fit on a phone. */
interface PhoneTable extends Listed {
  /** The cells that all rows share, as a sentence; null if they share none. */
  readonly same: string | null;
  /** Headings for which there is no room. */
  readonly hidden: readonly string[];
}

const isSame = ({ isSaidOnce, cells }: PhoneColumn): boolean =>
  isSaidOnce === true && cells.length > 1 && new Set(cells).size === 1;

/**
 * Shows as many columns beside each other as fit on a phone.
 * @param columns the most important first; the first one is always shown
 */
export function phoneTable(columns: readonly PhoneColumn[]): PhoneTable {
  const shown: PhoneColumn[] = [];
  const hidden: string[] = [];
  let room = PHONE_WIDTH + GAP;
  for (const column of columns.filter((each) => !isSame(each))) {
    const [width = 0] = widths([column.heading, ...column.cells].map((cell) => [one(cell)]));
    if (shown.length > 0 && width + GAP > room) hidden.push(column.heading);
    else {
      shown.push(column);
      room -= width + GAP;
    }
  }
  const listed = table(
    shown.map(({ heading }) => heading),
    (columns[0]?.cells ?? []).map((_, at) => shown.map(({ cells }) => cells[at] ?? "")),
  );
  const common = columns
    .filter(isSame)
    .flatMap(({ heading, cells: [cell] }) => (cell ? [`${heading} ${code(cell)}`] : []));
  return { ...listed, same: common.length > 0 ? `All: ${common.join(", ")}.` : null, hidden };
}

/** "and 12 more nodes" */
export const andMore = (rest: number, noun: string): string => `and ${rest} more ${noun}${rest === 1 ? "" : "s"}`;

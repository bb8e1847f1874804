import { plain } from "../slack/text.ts";

/** Times at which lines begin: ISO 8601, and klog's "E1121 14:32:05.123456    4321 " (k8s.io/klog/v2, "Log format"). */
const STAMP = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*|[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+`;

/** A machine sends the end of a log in one line (scripts/shared/causes.ps1), so a line ends before the next time. */
const LINE_END = new RegExp(String.raw`\s+(?=(?:${STAMP})\s)`);

const STAMPED = new RegExp(String.raw`^(?:${STAMP})\s+`);

/** A text of the log, how often it stands there in a row of equal ones, and the time of the last. */
interface LogEntry {
  readonly text: string;
  readonly times: number;
  readonly last: string | null;
}

function entryOf(line: string): LogEntry {
  const [stamp = ""] = STAMPED.exec(line) ?? [];
  const [, last = null] = /(\d\d:\d\d)/.exec(stamp.replace(/^\S+-\d\d-/, "")) ?? [];
  return { text: line.slice(stamp.length).replace(/[.\s]+$/, ""), times: 1, last };
}

/** Joins a line to the entry before it if both say the same. */
function joined(entries: readonly LogEntry[], line: LogEntry): readonly LogEntry[] {
  const before = entries.at(-1);
  return before?.text === line.text
    ? [...entries.slice(0, -1), { ...line, times: before.times + 1 }]
    : [...entries, line];
}

const entryWords = ({ text, times, last }: LogEntry): string =>
  times === 1 ? text : `${text} (${times} times${last === null ? "" : `, last at ${last} by the machine's clock`})`;

/** Parses the end of a log; equal lines in a row are one entry. */
const entriesOf = (log: string): readonly LogEntry[] =>
  log
    .split(LINE_END)
    .filter((line) => line.trim() !== "")
    .map(entryOf)
    .reduce<readonly LogEntry[]>(joined, []);

/** The end of a log with each text that it repeats once. */
const folded = (log: string): string => entriesOf(log).map(entryWords).join("; ");

/** Largest number of equal lines in a row at the end of a log. */
export const timesIn = (log: string): number => Math.max(0, ...entriesOf(log).map(({ times }) => times));

/**
 * The end of a program's log in one line: what it says, and for a text that it repeats how often, and when last.
 * @param limit characters
 */
export const logWords = (log: string, limit: number): string => plain(folded(log), limit);

/** Log in the reason that a script of a machine gives (scripts/shared/services.ps1). */
const LOG = /(; its log ends: )(.*)/g;

/** Folds the log in a machine's reason, which is still to be escaped. */
export const withFoldedLog = (why: string): string =>
  why.replace(LOG, (_, before: string, log: string) => `${before}${folded(log)}`);

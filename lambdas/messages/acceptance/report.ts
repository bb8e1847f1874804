import { isStage, stageName } from "../operation/stages.ts";

/** A measured time beside the sandbox's, in seconds. */
export interface TimeRow {
  /** "provision.launch", "route.repair". */
  readonly name: string;
  readonly seconds: number;
  readonly expected: readonly [least: number, most: number] | null;
  readonly ratio: number | null;
}

/** Fields in which an answer differs from the sandbox's. */
export interface FieldRow {
  readonly answer: string;
  readonly onlyHere: readonly string[];
  readonly onlyInSandbox: readonly string[];
  readonly otherType: readonly string[];
}

/** Answer of a service to one question, here and in the sandbox. */
export interface AnswerRow {
  readonly question: string;
  readonly here: string;
  readonly sandbox: string | null;
}

/** Report of a run, without names and values. */
export interface Report {
  readonly times: readonly TimeRow[];
  readonly fields: readonly FieldRow[];
  readonly answers: readonly AnswerRow[];
}

const routes: Readonly<Record<string, string>> = {
  "route.repair": "route away: until the guard's repair",
  "route.powershell": "route away: a start of PowerShell",
};

function nameOf(name: string): string {
  const [workflow = "", stage = ""] = name.split(".");
  return routes[name] ?? `${workflow === "provision" ? "add" : workflow}: ${isStage(stage) ? stageName(stage) : stage}`;
}

/** "42 s", "6 min 40 s". */
function duration(seconds: number): string {
  if (seconds < 120) return `${seconds < 10 ? seconds : Math.round(seconds)} s`;
  const rounded = Math.round(seconds);
  return `${Math.floor(rounded / 60)} min ${rounded % 60} s`;
}

const expectedOf = ({ expected }: TimeRow): string =>
  expected ? `${Math.round(expected[0])} to ${Math.round(expected[1])} s` : "not known";

function verdictOf({ seconds, expected }: TimeRow): string {
  if (!expected) return "";
  if (seconds > expected[1]) return "slower";
  return seconds < expected[0] ? "faster" : "";
}

const cells = (row: TimeRow): readonly string[] => [
  nameOf(row.name),
  duration(row.seconds),
  expectedOf(row),
  row.ratio === null ? "" : row.ratio.toFixed(2),
  verdictOf(row),
];

function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Lines of one kind of difference that are shown; the report file has all. */
const SHOWN = 8;

function listed(title: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const more = paths.length > SHOWN ? [`      … and ${paths.length - SHOWN} more, see the report`] : [];
  return [`    ${title}`, ...paths.slice(0, SHOWN).map((path) => `      ${path}`), ...more];
}

const differs = ({ onlyHere, onlyInSandbox, otherType }: FieldRow): boolean =>
  onlyHere.length + onlyInSandbox.length + otherType.length > 0;

function fieldsText(fields: readonly FieldRow[]): string {
  const different = fields.filter(differs);
  if (different.length === 0) return `Fields: none differs from the sandbox's in ${fields.length} answers.`;
  const lines = different.flatMap((row) => [
    `  ${row.answer}`,
    ...listed("only here:", row.onlyHere),
    ...listed("only in the sandbox:", row.onlyInSandbox),
    ...listed("of another type:", row.otherType),
  ]);
  return ["Fields that differ:", ...lines].join("\n");
}

function answersText(answers: readonly AnswerRow[]): string {
  const different = answers.filter(({ here, sandbox }) => here !== sandbox);
  if (different.length === 0) return `Answers: none differs from the sandbox's in ${answers.length} questions.`;
  const lines = different.map(
    ({ question, here, sandbox }) => `  ${question}: here ${here}, in the sandbox ${sandbox ?? "not asked"}`,
  );
  return ["Answers that differ:", ...lines].join("\n");
}

/** The report of a run for a terminal. */
export function reportText({ times, fields, answers }: Report): string {
  const head = ["step", "took", "in the sandbox", "ratio", ""];
  return [tableOf([head, ...times.map(cells)]), fieldsText(fields), answersText(answers)].join("\n\n");
}

import { accounts } from "../../cluster/accounts.ts";
import type { Block, Message } from "../../records/records.ts";
import type { PersonWait } from "../../records/waits.ts";
import { waitBlocks, waitLines } from "../operation/waits.ts";
import { between } from "../slack/age.ts";
import { context, fitting, header, section } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { andMore } from "../slack/table.ts";
import { code, counted, plain, sentence } from "../slack/text.ts";
import type { Area, Finding, Level } from "./finding.ts";
import type { FindingText } from "./finding-text.ts";
import { wordsOfFindings } from "./grouped-findings.ts";

/** Result of all checks. */
export interface Examination {
  readonly findings: readonly Finding[];
  /** Number of checks made; named "looked" in stored results of steps. */
  readonly looked: number;
  /** Checks that were skipped because their service does not respond. */
  readonly skipped: readonly string[];
  /** Age and renewal of the cluster credentials that were read. */
  readonly credentials?: readonly CredentialAge[];
}

/** Age, renewal and expiry of an account's credential; times are ISO 8601. */
export interface CredentialAge {
  readonly account: string;
  readonly issuedAt: string;
  readonly renewsAt: string;
  readonly at: string;
}

/** "`look` 3h old, renewal in 9h" */
function ageLine({ account, issuedAt, renewsAt, at }: CredentialAge): string {
  const due = Date.parse(renewsAt) > Date.parse(at) ? `renewal in ${between(at, renewsAt)}` : "renewal within the hour";
  return `${code(account)} ${between(issuedAt, at)} old, ${due}`;
}

/** The line of the credentials, in the order in which the documents name the accounts. */
function credentialsLine({ credentials = [] }: Examination): string[] {
  const order: readonly string[] = accounts;
  const inOrder = credentials.toSorted((one, other) => order.indexOf(one.account) - order.indexOf(other.account));
  return inOrder.length > 0 ? [`Cluster credentials: ${inOrder.map(ageLine).join("; ")}`] : [];
}

const signs: Readonly<Record<Level, string>> = {
  broken: sign.failed,
  unclear: sign.unknown,
  warning: sign.warning,
  note: sign.note,
};
const levels = Object.keys(signs) as Level[];
const areas: readonly Area[] = ["AWS", "Cluster", "Nodes", "Slack"];

const worstOf = (found: readonly FindingText[]): number => Math.min(...found.map(({ level }) => levels.indexOf(level)));

/** Findings by area, the area with the worst one first, and inside it the worst first. */
function grouped(findings: readonly Finding[]): { area: Area; found: FindingText[] }[] {
  const all = wordsOfFindings(findings);
  return areas
    .map((area) => ({ area, found: all.filter((words) => words.area === area) }))
    .filter(({ found }) => found.length > 0)
    .map(({ area, found }) => ({
      area,
      found: found.toSorted((one, other) => levels.indexOf(one.level) - levels.indexOf(other.level)),
    }))
    .toSorted((one, other) => worstOf(one.found) - worstOf(other.found));
}

/** Label of the next step. A note needs no remedy: its step is for readers who want to change the state. */
const remedyOf = ({ level }: FindingText): string => (level === "note" ? "To change it" : "Remedy");

/** Groups the findings of an area by remedy, in their order, so that each remedy is shown once. */
const byRemedy = (found: readonly FindingText[]): [FindingText, ...FindingText[]][] =>
  [...Map.groupBy(found, ({ level, remedy }) => JSON.stringify([level, remedy])).values()].flatMap(
    ([first, ...rest]) => (first ? [[first, ...rest]] : []),
  );

const line = (words: readonly [FindingText, ...FindingText[]]): string => {
  const says = words.map(({ level, says: what }) => `${signs[level]} ${sentence(what)}`);
  return `${says.join("\n")}\n*${remedyOf(words[0])}:* ${words[0].remedy}.`;
};

/** Waits for a person that are repeated in a report, and its time (ISO 8601). */
export interface ReportedWaits {
  readonly waits: readonly PersonWait[];
  readonly now: string;
}

const noWaits: ReportedWaits = { waits: [], now: "" };

/** @param waiting number of waits for a person */
function verdict({ findings, looked }: Examination, cluster: string, waiting = 0): string {
  const all = wordsOfFindings(findings);
  const count = (level: Level): number => all.filter((words) => words.level === level).length;
  const notes = count("note") > 0 ? ` (${counted(count("note"), "note")})` : "";
  if (all.length === count("note") && waiting === 0) return `${plain(cluster)}: all ${looked} checks passed${notes}`;
  const parts: readonly (readonly [number, string])[] = [
    [count("broken"), "problem"],
    [count("warning"), "warning"],
    [count("unclear"), "inconclusive check"],
    [count("note"), "note"],
  ];
  const waits = waiting > 0 ? [`${counted(waiting, "wait")} for a person`] : [];
  const said = [...parts.filter(([number]) => number > 0).map(([number, noun]) => counted(number, noun)), ...waits];
  return `${plain(cluster)}: ${said.join(", ")}`;
}

const skippedLine = ({ skipped }: Examination): Block[] =>
  skipped.length > 0 ? [context(`Not checked: ${plain(skipped.join(", "), 1_000)}`)] : [];

/** The doctor's private report: what waits for a person, then the findings, grouped, worst first, each with its remedy. */
export function doctorMessage(
  examination: Examination,
  cluster: string,
  { waits, now }: ReportedWaits = noWaits,
): Message {
  const text = verdict(examination, cluster, waits.length);
  const waiting = waitBlocks(waits, now);
  const fixed = [header(text), ...waiting, ...credentialsLine(examination).map(context), ...skippedLine(examination)];
  const groups = grouped(examination.findings).flatMap(({ area, found }) =>
    byRemedy(found).map((words, at) => [section(at === 0 ? `*${area}*\n${line(words)}` : line(words))]),
  );
  const shown = fitting(groups, fixed, 48);
  const rest = groups.length - shown.length;
  const more = rest > 0 ? [context(`${andMore(rest, "finding")}: fix these first, then run the doctor again`)] : [];
  const fine =
    groups.length + waits.length === 0
      ? [section("No problems found in Slack, AWS, the cluster or its nodes.")]
      : [context(`${counted(examination.looked, "check")} run.`)];
  const ages = credentialsLine(examination).map(context);
  return {
    text,
    blocks: [header(text), ...waiting, ...shown.flat(), ...more, ...fine, ...ages, ...skippedLine(examination)],
  };
}

const bare = (text: string): string =>
  text
    .replace(/[*`]/g, "")
    .replace(/<#([A-Z0-9]+)>/g, "$1")
    .replace(/<!date\^[^|>]*\|([^>]*)>/g, "$1")
    .replace(/<(https:[^|>]*)>/g, "$1")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&");

const lineInTerminal = (words: readonly [FindingText, ...FindingText[]]): string => {
  const says = words.map(({ level, says: what }) => `  ${signs[level]} ${bare(sentence(what))}`);
  return `${says.join("\n")}\n     ${remedyOf(words[0])}: ${bare(words[0].remedy)}.`;
};

/** The same report for a terminal. */
export function doctorText(examination: Examination, cluster: string, { waits, now }: ReportedWaits = noWaits): string {
  const waiting = waits.length > 0 ? [["Waiting for a person", ...waitLines(waits, now)].map(bare).join("\n  ")] : [];
  const groups = grouped(examination.findings).map(
    ({ area, found }) => `${area}\n${byRemedy(found).map(lineInTerminal).join("\n")}`,
  );
  const skipped = examination.skipped.length > 0 ? [`Not checked: ${examination.skipped.join(", ")}`] : [];
  const ages = credentialsLine(examination).map(bare);
  return [bare(verdict(examination, cluster, waits.length)), ...waiting, ...groups, ...ages, ...skipped].join("\n\n");
}

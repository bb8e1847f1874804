import type { Block, Message } from "../../records/records.ts";
import { typeThis } from "../command/syntax.ts";
import { between } from "../slack/age.ts";
import { context, say, section } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { andMore, phoneNames, phoneTable } from "../slack/table.ts";
import { code, plain, prose } from "../slack/text.ts";

/** A service that did not give what a look asked it for. */
export interface UnavailableService {
  readonly service: "kubernetes" | "ec2" | "ssm";
  /** Host of the Kubernetes API; the others have none that people know. */
  readonly host: string | null;
  /** "answered": with a status or an error code. "silent": no answer in so many seconds. "failed": anything else, in words. */
  readonly reason:
    | { readonly kind: "answered"; readonly with: string; readonly words: string | null }
    | { readonly kind: "silent"; readonly seconds: number }
    | { readonly kind: "failed"; readonly words: string };
}

/** An instance by EC2's facts, without its Node. */
export interface Ec2MachineRow {
  readonly instanceId: string;
  readonly state: string;
  readonly pool: string | null;
  readonly name: string;
  readonly zone: string;
  /** ISO 8601 */
  readonly launchedAt: string;
}

/** Value of a column whose source does not answer, as kubectl writes it. */
export const UNKNOWN = "<unknown>";

const nameOf = ({ service, host }: UnavailableService): string => {
  if (service === "kubernetes") return `The Kubernetes API${host ? ` (${code(host)})` : ""}`;
  return service === "ec2" ? "EC2" : "SSM";
};

function reasonOf({ reason }: UnavailableService): string {
  if (reason.kind === "silent") return `did not answer within ${reason.seconds} s`;
  if (reason.kind === "failed") return `could not be read: ${plain(reason.words).replace(/\.$/, "")}`;
  return `answered ${plain(reason.with, 80)}${reason.words ? `: ${plain(reason.words).replace(/\.$/, "")}` : ""}`;
}

/** A service's silence as a sentence: "The Kubernetes API (`api-int…`) answered 503." */
export const sentenceOf = (away: UnavailableService): string => `${nameOf(away)} ${reasonOf(away)}.`;

const nextStep = ({ service }: UnavailableService): string =>
  `Check ${service === "kubernetes" ? "the API server" : "the AWS Health Dashboard"}; ${typeThis("doctor")} shows which services answer.`;

function machineTable(machines: readonly Ec2MachineRow[], now: string): Block[] {
  const names = phoneNames(machines.map(({ name }) => name));
  const { blocks, rest, same, hidden } = phoneTable([
    { heading: "NAME", cells: names.cells },
    { heading: "STATE", cells: machines.map(({ state }) => state) },
    { heading: "INSTANCE", cells: machines.map(({ instanceId }) => instanceId) },
    { heading: "AGE", cells: machines.map(({ launchedAt }) => between(launchedAt, now)) },
    { heading: "POOL", cells: machines.map(({ pool }) => pool ?? ""), isSaidOnce: true },
    { heading: "ZONE", cells: machines.map(({ zone }) => zone), isSaidOnce: true },
  ]);
  const notes = [
    ...(rest > 0 ? [`${andMore(rest, "machine")}.`] : []),
    ...(same ? [same] : []),
    ...(names.domain ? [names.domain] : []),
    ...(hidden.length > 0 ? [`EC2 shows ${hidden.join(", ")} too.`] : []),
  ];
  return notes.length > 0 ? [...blocks, context(notes.join(" "))] : blocks;
}

/**
 * Answer about nodes while the Kubernetes API is unavailable.
 * @param machines what EC2 shows; an Away when EC2 does not answer either
 */
export function machinesMessage(
  away: UnavailableService,
  machines: readonly Ec2MachineRow[] | UnavailableService,
  now: string,
): Message {
  const next = context(nextStep(away));
  if ("service" in machines) {
    const text = `${sign.warning} ${sentenceOf(away)} ${sentenceOf(machines)}`;
    return { text, blocks: [section(text), next] };
  }
  const shows = machines.length > 0 ? "EC2 shows these machines:" : "EC2 shows no Windows machine of that name.";
  const text = `${sign.warning} ${sentenceOf(away)} ${shows}`;
  return { text, blocks: [section(text), ...(machines.length > 0 ? machineTable(machines, now) : []), next] };
}

/** A look's answer without what EC2 would add to it. */
export function withoutEc2({ text, blocks }: Message, away: UnavailableService): Message {
  const notice = `${sign.warning} ${sentenceOf(away)} What EC2 would show is marked ${code(UNKNOWN)}.`;
  return { text, blocks: [section(notice), ...blocks, context(nextStep(away))] };
}

/**
 * Private answer to a look that failed.
 * @param title "List the nodes"
 * @param words of the service, or of an unexpected error
 */
export const lookFailed = (title: string, words: string): Message =>
  say(
    `${sign.failed} *${plain(title, 300)}*: ${prose(words, 1_000).replace(/\.$/, "")}. ${typeThis("doctor")} shows which services answer; if that fails too, run ${code("npm run doctor")} in a terminal.`,
  );

/** Clause about a busy service: "EC2 is not available: Request limit exceeded." */
export const unavailable = (service: string, words: string): string => `${service} is not available: ${words}`;

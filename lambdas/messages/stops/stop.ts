import type { Block, Message } from "../../records/records.ts";
import type { Stop, StopTarget } from "../../time/stops.ts";
import { typeThis } from "../command/syntax.ts";
import { localDate, utc } from "../slack/age.ts";
import { actions, section, sections } from "../slack/blocks.ts";
import { DO_NEXT } from "../slack/buttons.ts";
import { sign } from "../slack/signs.ts";
import { code, plain, prose, quoted, some } from "../slack/text.ts";

const targetName = (target: StopTarget): string => {
  if (target.kind === "cluster") return "the cluster";
  return target.kind === "pool" ? `pool ${code(target.pool)}` : code(target.name);
};

/** Begins a sentence; a node's name stays as it is. */
const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

const typed = (target: StopTarget): string[] => {
  if (target.kind === "cluster") return [];
  return [target.kind === "pool" ? target.pool : target.name];
};

const undo = { freeze: "thaw", hold: "unhold" } as const;

const state = { freeze: "frozen", hold: "held" } as const;

/** The command or the step that takes a stop off. */
function remedy({ kind, target, at, isConfigured }: Stop): string {
  if (isConfigured) return "it ends with its date, or by a deployment of another configuration";
  // A stop that an annotation sets ends when its owner removes the annotation.
  if (at === null) return "remove the annotation with kubectl";
  return typeThis(undo[kind], ...typed(target));
}

/** An operation that has not ended, by the place in which it disturbs nodes. */
export interface HeldUp {
  readonly operation: string;
  readonly pool: string | null;
  /** Names of its nodes, as far as they are known. */
  readonly nodes: readonly string[];
}

const isHeldBy = ({ target }: Stop, { pool, nodes }: HeldUp): boolean => {
  if (target.kind === "cluster") return true;
  return target.kind === "pool" ? target.pool === pool : nodes.includes(target.name);
};

/** Names the operations that a stop holds up; nothing where there is none. */
function heldWords(stop: Stop, held: readonly HeldUp[]): string {
  const those = held.filter((one) => isHeldBy(stop, one)).map(({ operation }) => code(operation));
  return those.length > 0 ? ` It holds up ${some(those, MOST_HELD)}.` : "";
}

/** Operations named in a line; the rest is counted. */
const MOST_HELD = 5;

/** Says that a stop is in force, for lists: what, by whom, until when and why. */
const stopLine = (stop: Stop): string => {
  const until = stop.until === null ? "" : ` until ${localDate(stop.until)}`;
  return `${sign.frozen} ${capital(targetName(stop.target))} is ${state[stop.kind]}${until} by ${plain(stop.by, 120)}: ${plain(stop.reason, 200)}. To end it: ${remedy(stop)}.`;
};

/** Stops that a list shows; more are rarely in force at once. */
const MOST = 10;

/** Stops that a list shows. */
export interface ShownStops {
  readonly stops: readonly Stop[];
  /** False where the ledger or the Namespace could not be read. */
  readonly isWhole: boolean;
}

/** Puts the stops in force above a list: they say why nothing happens, and what they hold up where that is known. */
export function withStops(message: Message, { stops, isWhole }: ShownStops, held: readonly HeldUp[] = []): Message {
  const lines = [
    ...stops.slice(0, MOST).map((stop) => `${stopLine(stop)}${heldWords(stop, held)}`),
    ...(isWhole ? [] : [`${sign.unknown} Not all freezes and holds could be read: there may be more of them.`]),
  ];
  return { ...message, blocks: [...sections(lines), ...message.blocks] };
}

/** Beginning of the reason why a node is not disturbed, where the reason is its pool's or the cluster's. */
const spared = (node: string): string => `${code(node)} stays as it is: `;

/** Reason of a refusal without the node that it is about, so that equal reasons of several nodes are equal. */
export const commonReason = (why: string, node: string): string => why.replace(spared(node), "");

/**
 * Reason why a node is not disturbed, with the next step.
 * @param node name of the Node, or the instance id of a machine that is no node
 */
export const stopperText = (stop: Stop, node: string): string => {
  const { target } = stop;
  const who = target.kind === "node" ? { ...stop, target: { ...target, name: node } } : stop;
  return `${target.kind === "node" ? "" : spared(node)}${stopWords(who)}. ${stopEnd(stop)}`;
};

/** Freeze or hold as a clause of the ledger: what is stopped, until when, by whom and why. */
export const stopWords = (stop: Stop): string => {
  const until = stop.until === null ? "" : ` until ${utc(stop.until)}`;
  return `${targetName(stop.target)} is ${state[stop.kind]}${until} by ${quoted(stop.by, 120)} (${quoted(stop.reason, 200)})`;
};

/** Step that ends a freeze or a hold, as an order. */
const stopEnd = (stop: Stop): string => `To end it: ${remedy(stop)}`;

/** Names a freeze or a hold, unless the reason before it does, and the step that ends it. @param why the reason */
export const stopAndEnd = (stop: Stop, why: string): string =>
  `${why === stopWords(stop) ? "" : `${capital(stopWords(stop))}. `}${stopEnd(stop)}`;

/** Commands that end a freeze or a hold, where a sentence of Casement names one. */
const UNDO = /`\{win\} ((thaw|unhold)(?: ([\w.-]+))?)`/;

/** Makes the button for the first command in a sentence that ends a freeze or a hold, as `stopEnd` names it. */
export function undoRow(id: string, text: string): Block[] {
  const [, value, word = "", what = "the cluster"] = UNDO.exec(text) ?? [];
  const [name = what] = what.split(".");
  return value ? [actions(id, [{ actionId: DO_NEXT, value, text: `${capital(word)} ${name}` }])] : [];
}

/** Tells a person why the rollout that they resume stays paused, with the button that ends the freeze. */
export function staysPaused(operation: string, stop: Stop): Message {
  const words = `${capital(stopWords(stop))}. ${code(operation)} stays paused. ${stopEnd(stop)}, then press *Resume*.`;
  const shown = prose(words, 1_000);
  return { text: shown, blocks: [section(shown), ...undoRow("undo:stop", words)] };
}

/** Sums up a freeze or a hold that was set. @param targets at least one */
export function stopSummary({ kind, until }: Pick<Stop, "kind" | "until">, targets: readonly StopTarget[]): string {
  const names = capital(some(targets.map(targetName), 5));
  const back = typeThis(undo[kind], ...targets.flatMap(typed));
  const are = targets.length === 1 ? "is" : "are";
  const time = until === null ? `until ${back}` : `until ${utc(until)}; ${back} ends it earlier`;
  return `${names} ${are} ${state[kind]} ${time}. Casement drains, reboots and removes nothing there; work in progress stops before its next change.`;
}

/** Targets of a thaw or an unhold. */
interface EndedStops {
  readonly targets: readonly StopTarget[];
  /** Those of which a stop was in force. */
  readonly ended: readonly StopTarget[];
  /** Stops that are in force afterwards. */
  readonly left: readonly Stop[];
}

/** Sums up a thaw or an unhold, and names a freeze of the cluster that stays. */
export function endedSummary(kind: Stop["kind"], { targets, ended, left }: EndedStops): string {
  const whole = left.find(({ target }) => target.kind === "cluster");
  const goesOn = whole ? ` But ${stopWords(whole)}. ${stopEnd(whole)}` : "";
  return `${endedWords(kind, targets, ended)}${goesOn}`;
}

function endedWords(kind: Stop["kind"], targets: readonly StopTarget[], ended: readonly StopTarget[]): string {
  if (ended.length === 0) {
    const names = capital(some(targets.map(targetName), 5));
    return `${names} ${targets.length === 1 ? "was" : "were"} not ${state[kind]}. Nothing was changed.`;
  }
  const names = capital(some(ended.map(targetName), 5));
  return `${names} ${ended.length === 1 ? "is" : "are"} no longer ${state[kind]}.`;
}

/** Explains that a stop needs its reason. */
export const stopNeedsReason = (command: string): string =>
  `A ${command} requires a reason, which is shown to everyone it stops: ${typeThis(command, "…", '--reason "release night"')}`;

import type { InputWords } from "../../inputs/input.ts";
import type { ProxyPlace } from "../../machine/questions.ts";
import type { Message } from "../../records/records.ts";
import type { Stop } from "../../time/stops.ts";
import { typeThis } from "../command/syntax.ts";
import { proxyPlaceWords } from "../node/agent-proxy.ts";
import { context, say, sections } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { code, counted, prose, some } from "../slack/text.ts";
import { type FleetResult, type FleetSummary, fleetSummary } from "./fleet.ts";

type Title = Pick<InputWords, "title">;

/** Answer where the configuration applies no input. */
export const inputsNotApplied =
  "Casement applies no mirror sets and no other settings of the cluster to nodes: set `cluster.inputs` in the configuration to `openshift` or `configmap` and deploy.";

/** Tells a person who may not reconcile every pool that a consequence was not accepted. */
export const consequencesLeft = (inputs: readonly Pick<InputWords, "noun">[]): Message =>
  say(
    `What the ${inputs.map(({ noun }) => noun).join(" and the ")} would cut off is left out: accepting it holds for every pool, and you may not use ${code("reconcile")} in each of them. Next: a person who may types ${typeThis("reconcile")}.`,
  );

/** End of an operation that could lease none of its nodes. */
export const everyNodeIsHeld = "Other operations work on every node that differs; nothing was changed.";

/** Outcome of the first node, with the remark on its proof. */
export const writtenOutcome = ({ written }: Pick<InputWords, "written">, note: string): string =>
  `${written}. ${note.replace(/\.$/, "")}`;

/** Reason why an operation does not begin while another one gives nodes the same input. */
export const otherOperationChanges = ({ title }: Title, operation: string): string =>
  `${title}: ${code(operation)} is already changing nodes. Wait for its end, or cancel it: ${typeThis("cancel", operation)}.`;

/** End of one input of an operation that a person started. */
export type InputEnd =
  | { readonly state: "ended"; readonly result: FleetResult }
  /** Other operations work on each of its nodes. */
  | { readonly state: "held" }
  /** Every node has it. */
  | { readonly state: "current" }
  /** It could not be read, or another operation gives it to nodes. */
  | { readonly state: "refused"; readonly why: string }
  /** The operation was cancelled before. */
  | { readonly state: "not-begun" };

/** An input with its end. */
export interface EndedInput {
  readonly words: Title;
  readonly end: InputEnd;
}

/** Most characters of the reason why one input was refused. */
const MOST_WHY = 300;

const withoutCancellation = { operation: "", cancelledBy: null };

const endText = (end: Exclude<InputEnd, { readonly state: "current" }>): string => {
  if (end.state === "ended") return fleetSummary({ ...end.result, ...withoutCancellation });
  if (end.state === "held") return everyNodeIsHeld;
  if (end.state === "not-begun") return "not begun.";
  return `no node was changed: ${end.why.slice(0, MOST_WHY).replace(/\.$/, "")}.`;
};

/** Sums up an operation that a person started: one input by its nodes, several by their titles as well. */
export function requestedSummary(inputs: readonly EndedInput[], cancelledBy: FleetSummary["cancelledBy"]): string {
  const isOne = inputs.length === 1;
  const ended = inputs.flatMap(({ words: { title }, end }) =>
    end.state === "current" ? [] : [`${isOne ? "" : `${title}: `}${endText(end)}`],
  );
  const current = inputs.filter(({ end }) => end.state === "current").map(({ words }) => words.title);
  return [
    ...ended,
    ...(current.length > 0 ? [`Up to date: ${current.join(", ")}.`] : []),
    ...(cancelledBy === null ? [] : [`Cancelled by <@${cancelledBy}>.`]),
  ].join(" ");
}

const upToDateText = (inputs: readonly Title[]): string =>
  `${sign.done} ${inputs.map(({ title }) => title).join(", ")}: nothing to change. The requested nodes are up to date; nodes that are stopped, not managed, frozen or held were left out.`;

/** Most nodes and files that a message names. */
const MOST_NAMED = 10;

/** A node that a person has named and that is not changed. */
export interface LeftOutNode {
  readonly name: string;
  readonly reason:
    | { readonly kind: "up-to-date" | "not-managed" | "silent" }
    | { readonly kind: "not-running"; readonly state: string }
    | { readonly kind: "proxied"; readonly by: readonly ProxyPlace[] }
    | { readonly kind: "stopped"; readonly stop: Stop }
    | { readonly kind: "held"; readonly operation: string };
}

const stopWords = { freeze: "is frozen", hold: "is held" } as const;

function reasonText(reason: LeftOutNode["reason"]): string {
  switch (reason.kind) {
    case "up-to-date":
      return "is up to date";
    case "not-managed":
      return "is not a node that Casement provisioned, or another controller owns its machine";
    case "silent":
      return "has an SSM agent that does not answer";
    case "not-running":
      return `runs on an instance that is ${reason.state}`;
    case "proxied":
      return `reaches AWS only through a proxy (${proxyPlaceWords(reason.by)})`;
    case "stopped":
      return `${stopWords[reason.stop.kind]} by ${prose(reason.stop.by, 100)}: ${prose(reason.stop.reason, 200)}`;
    case "held":
      return `is being changed by ${code(reason.operation)}`;
  }
}

const leftOutLines = (nodes: readonly LeftOutNode[]): readonly string[] => [
  ...nodes.slice(0, MOST_NAMED).map(({ name, reason }) => `• ${code(name)} ${reasonText(reason)}.`),
  ...(nodes.length > MOST_NAMED ? [`and ${nodes.length - MOST_NAMED} more nodes.`] : []),
];

/** Answer if no requested node can be changed, with the reason of each node that was named. */
export function nothingToChange(inputs: readonly Title[], named: readonly LeftOutNode[]): Message {
  const isCurrent = named.every(({ reason }) => reason.kind === "up-to-date");
  const titles = inputs.map(({ title }) => title).join(", ");
  const head = `${isCurrent ? sign.done : sign.note} ${titles}: nothing to change.`;
  const text = named.length === 0 ? upToDateText(inputs) : [head, ...leftOutLines(named)].join("\n");
  return { text, blocks: [...sections(text.split("\n")), context(`${typeThis("mirrors")} shows every node`)] };
}

/** Answer if other operations work on each node, with the reason of each node that was named. */
export const everyNodeLeft = (summary: string, named: readonly LeftOutNode[]): Message =>
  say([summary, ...leftOutLines(named)].join("\n"));

/** Plan of one input of a dry run. */
export interface InputPlan {
  readonly words: Pick<InputWords, "title" | "emptied">;
  readonly nodes: readonly { readonly name: string }[];
  /** Things that each would have, such as paths of files. */
  readonly items: readonly string[];
  /** Reason why it cannot be read; null if it was read. */
  readonly why: string | null;
}

function planText({ words, nodes, items, why }: InputPlan): string {
  const head = `*Dry run of ${words.title}*: `;
  if (why !== null) return `${head}no node would be changed: ${prose(why, 500)}`;
  const names = nodes.map(({ name }) => code(name));
  const order = nodes.length > 1 ? ", one first" : "";
  const lines = [
    `${head}${counted(nodes.length, "node")} would be changed${order}.`,
    `Nodes: ${some(names, MOST_NAMED)}.`,
    items.length > 0 ? `Each would have: ${some(items.map(code), MOST_NAMED)}.` : words.emptied,
  ];
  return lines.join("\n");
}

/** Plans of a dry run, one for each input. */
export function reconcileDryRun(plans: readonly InputPlan[], named: readonly LeftOutNode[]): Message {
  const isCurrent = ({ nodes, why }: InputPlan): boolean => nodes.length === 0 && why === null;
  const current = plans.filter(isCurrent).map(({ words }) => words);
  if (current.length === plans.length) return nothingToChange(current, named);
  const lines = [
    ...plans.filter((plan) => !isCurrent(plan)).map(planText),
    ...(current.length > 0 ? [upToDateText(current)] : []),
  ];
  return {
    text: lines[0]?.split("\n")[0] ?? "",
    blocks: [...sections(lines), context(`To apply: ${typeThis("reconcile")}`)],
  };
}

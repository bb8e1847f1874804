import type { RebootDue } from "../../machine/reboot-due.ts";
import type { Message } from "../../records/records.ts";
import { typeThis } from "../command/syntax.ts";
import { between } from "../slack/age.ts";
import { context, say } from "../slack/blocks.ts";
import { andMore, phoneNames, phoneTable } from "../slack/table.ts";
import { code, counted } from "../slack/text.ts";
import { dueCell, isShown } from "./reboot-due.ts";
import { type UnregisteredRow, unregisteredBlocks } from "./unregistered.ts";

/** One node as the list shows it. */
export interface NodeRow {
  readonly name: string;
  /** As kubectl prints it: "Ready,SchedulingDisabled". */
  readonly status: string;
  /** From the labels node-role.kubernetes.io/<role>. */
  readonly roles: readonly string[];
  /** ISO 8601 */
  readonly createdAt: string;
  /** The kubelet's version: "v1.34.2". */
  readonly version: string;
  readonly pool: string | null;
  /** "10.0.20348" */
  readonly build: string | null;
  readonly instanceId: string | null;
  /** As the last scheduled check found it. */
  readonly rebootDue?: RebootDue;
}

/** A column's heading, the function that builds its cells, and whether what all nodes have is said once. */
type Column = readonly [heading: string, cell: (row: NodeRow, now: string) => string, isSaidOnce?: true];

/** All columns, the most important first: a phone shows as many as fit. */
const columns: readonly Column[] = [
  ["NAME", ({ name }) => name],
  ["STATUS", ({ status }) => status.replace("SchedulingDisabled", "cordoned")],
  ["REBOOT DUE", ({ rebootDue }) => dueCell(rebootDue)],
  ["POOL", ({ pool }) => pool ?? "", true],
  ["AGE", ({ createdAt }, now) => between(createdAt, now)],
  ["BUILD", ({ build }) => build ?? "", true],
  ["VERSION", ({ version }) => version, true],
  ["ROLES", ({ roles }) => roles.join(","), true],
  ["INSTANCE", ({ instanceId }) => instanceId ?? ""],
];

/** Leaves the column REBOOT DUE out if all of its cells would be empty. */
const columnsOf = (rows: readonly NodeRow[]): readonly Column[] =>
  rows.some(({ rebootDue }) => isShown(rebootDue)) ? columns : columns.filter(([heading]) => heading !== "REBOOT DUE");

/** Puts nodes that are not Ready first. */
const troubledFirst = (rows: readonly NodeRow[]): NodeRow[] =>
  [...rows].sort((one, other) => Number(one.status === "Ready") - Number(other.status === "Ready"));

/**
 * Lists the Windows nodes with kubectl's columns and Casement's, as many as a phone shows beside each other. Nodes that
 * are not Ready come first.
 * @param machines machines that are not nodes
 * @param now ISO 8601
 */
export function nodesMessage(rows: readonly NodeRow[], machines: readonly UnregisteredRow[], now: string): Message {
  const below = unregisteredBlocks(machines, now);
  const { text, blocks } = nodesTable(rows, now);
  return { text, blocks: [...blocks, ...below] };
}

/** Answers a choice that no node meets, above the machines that are not nodes. @param now ISO 8601 */
export function noNodesChosen(
  choice: { readonly pool?: string | null; readonly notready?: true; readonly all: number },
  machines: readonly UnregisteredRow[],
  now: string,
): Message {
  const where = choice.pool ? ` of pool ${code(choice.pool)}` : "";
  const { text, blocks } = say(
    choice.notready === true
      ? `No Windows node${where} is NotReady. ${typeThis("nodes", ...(choice.pool ? [choice.pool] : []))} lists them.`
      : `No Windows nodes${where} found; the cluster has ${choice.all}. ${typeThis("nodes")} lists them.`,
  );
  return { text, blocks: [...blocks, ...unregisteredBlocks(machines, now)] };
}

function nodesTable(rows: readonly NodeRow[], now: string): Message {
  if (rows.length === 0) return say(`No Windows nodes found. To add some: ${typeThis("help", "add")}`);
  const ordered = troubledFirst(rows);
  const names = phoneNames(ordered.map(({ name }) => name));
  const listed = ordered.map((row, at) => ({ ...row, name: names.cells[at] ?? row.name }));
  const { blocks, rest, same, hidden } = phoneTable(
    columnsOf(listed).map(([heading, cell, isSaidOnce = false]) => ({
      heading,
      cells: listed.map((row) => cell(row, now)),
      isSaidOnce,
    })),
  );
  const one = typeThis("node", "<name>");
  const notes = [
    ...(rest > 0 ? [`${andMore(rest, "node")}; ${one} shows one.`] : []),
    ...(same ? [same] : []),
    ...(names.domain ? [names.domain] : []),
    ...(hidden.length > 0 ? [`${one} shows ${hidden.join(", ")} too.`] : []),
  ];
  const text = counted(rows.length, "Windows node");
  return { text, blocks: [...blocks, ...(notes.length > 0 ? [context(notes.join(" "))] : [])] };
}

import type { RebootDue } from "../../machine/seen-machine.ts";
import type { Message } from "../../records/records.ts";
import { typeThis } from "../command/syntax.ts";
import { between } from "../slack/age.ts";
import { context, say } from "../slack/blocks.ts";
import { andMore, table } from "../slack/table.ts";
import { counted } from "../slack/text.ts";
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

/** A column's heading, and the function that builds its cells. */
type Column = readonly [heading: string, cell: (row: NodeRow, now: string) => string];

const columns: readonly Column[] = [
  ["NAME", ({ name }) => name],
  ["STATUS", ({ status }) => status],
  ["ROLES", ({ roles }) => roles.join(",")],
  ["AGE", ({ createdAt }, now) => between(createdAt, now)],
  ["VERSION", ({ version }) => version],
  ["POOL", ({ pool }) => pool ?? ""],
  ["REBOOT DUE", ({ rebootDue }) => dueCell(rebootDue)],
  ["BUILD", ({ build }) => build ?? ""],
  ["INSTANCE", ({ instanceId }) => instanceId ?? ""],
];

/** Leaves the column REBOOT DUE out if all of its cells would be empty. */
const columnsOf = (rows: readonly NodeRow[]): readonly Column[] =>
  rows.some(({ rebootDue }) => isShown(rebootDue)) ? columns : columns.filter(([heading]) => heading !== "REBOOT DUE");

/** Puts nodes that are not Ready first, so that they are shown when not all nodes fit. */
const troubledFirst = (rows: readonly NodeRow[]): NodeRow[] =>
  [...rows].sort((one, other) => Number(one.status === "Ready") - Number(other.status === "Ready"));

/**
 * Lists the Windows nodes with kubectl's columns and Casement's. If they do not all fit, those that are not Ready come
 * first.
 * @param machines machines that are not nodes
 * @param now ISO 8601
 */
export function nodesMessage(rows: readonly NodeRow[], machines: readonly UnregisteredRow[], now: string): Message {
  const below = unregisteredBlocks(machines, now);
  const { text, blocks } = nodesTable(rows, now);
  return { text, blocks: [...blocks, ...below] };
}

function nodesTable(rows: readonly NodeRow[], now: string): Message {
  if (rows.length === 0) return say(`No Windows nodes found. To add some: ${typeThis("help", "add")}`);
  const chosen = columnsOf(rows);
  const shown = (listed: readonly NodeRow[]) =>
    table(
      chosen.map(([heading]) => heading),
      listed.map((row) => chosen.map(([, cell]) => cell(row, now))),
    );
  const all = shown(rows);
  const text = counted(rows.length, "Windows node");
  if (all.rest === 0) return { text, blocks: all.blocks };
  const { blocks, rest } = shown(troubledFirst(rows));
  const more = `${andMore(rest, "node")}; ${typeThis("node", "<name>")} shows one.`;
  return { text, blocks: [...blocks, context(more)] };
}

import type { Message } from "../../records.ts";
import { typeThis } from "../command/syntax.ts";
import { between } from "../slack/age.ts";
import { context, say } from "../slack/blocks.ts";
import { andMore, table } from "../slack/table.ts";
import { counted } from "../slack/text.ts";
import { type MachineRow, unregisteredBlocks } from "./unregistered.ts";

/** One node as the list shows it. */
export interface NodeRow {
  readonly name: string;
  /** As kubectl says it: "Ready,SchedulingDisabled". */
  readonly status: string;
  /** From the labels node-role.kubernetes.io/<role>. */
  readonly roles: readonly string[];
  /** ISO 8601 */
  readonly createdAt: string;
  /** The kubelet's: "v1.34.2". */
  readonly version: string;
  readonly pool: string | null;
  /** "10.0.20348" */
  readonly build: string | null;
  readonly instanceId: string | null;
}

const COLUMNS = ["NAME", "STATUS", "ROLES", "AGE", "VERSION", "POOL", "BUILD", "INSTANCE"];

const cells = (row: NodeRow, now: string): string[] => [
  row.name,
  row.status,
  row.roles.join(","),
  between(row.createdAt, now),
  row.version,
  row.pool ?? "",
  row.build ?? "",
  row.instanceId ?? "",
];

/** Puts nodes that are not Ready first: they must be shown when there is no room for all. */
const troubledFirst = (rows: readonly NodeRow[]): NodeRow[] =>
  [...rows].sort((one, other) => Number(one.status === "Ready") - Number(other.status === "Ready"));

/**
 * Lists the Windows nodes with kubectl's columns and Casement's; when they do not all fit, those that are not Ready come first.
 * @param machines that are not nodes
 * @param now ISO 8601: end of the ages
 */
export function nodesMessage(
  rows: readonly NodeRow[],
  machines: readonly MachineRow[],
  now: string,
  commandWord: string,
): Message {
  const below = unregisteredBlocks(machines, now, commandWord);
  const { text, blocks } = nodesTable(rows, now, commandWord);
  return { text, blocks: [...blocks, ...below] };
}

function nodesTable(rows: readonly NodeRow[], now: string, commandWord: string): Message {
  if (rows.length === 0) return say(`No Windows nodes found. To add some: ${typeThis(commandWord, "help", "add")}`);
  const shown = (listed: readonly NodeRow[]) =>
    table(
      COLUMNS,
      listed.map((row) => cells(row, now)),
    );
  const all = shown(rows);
  const text = counted(rows.length, "Windows node");
  if (all.rest === 0) return { text, blocks: all.blocks };
  const { blocks, rest } = shown(troubledFirst(rows));
  const more = `${andMore(rest, "node")}; ${typeThis(commandWord, "node", "<name>")} shows one.`;
  return { text, blocks: [...blocks, context(more)] };
}

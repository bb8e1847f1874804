import type { Block, Message } from "../../records/records.ts";
import type { StageName } from "../../stages.ts";
import { typeThis } from "../command/syntax.ts";
import { stageName } from "../operation/stages.ts";
import { between } from "../slack/age.ts";
import { context, section } from "../slack/blocks.ts";
import { code, counted, plain } from "../slack/text.ts";

/** A machine that is no node of the cluster, as messages show it. */
export interface UnregisteredRow {
  readonly instanceId: string;
  readonly pool: string | null;
  readonly operation: string | null;
  readonly state: "provisioning" | "deciding" | "kept" | "left";
  /** Stage at which its setup failed. */
  readonly failedAt: StageName | null;
  /** ISO 8601 */
  readonly since: string;
}

/** Most machines listed: the table above them needs the room. */
const MOST_MACHINES = 6;

const failure = ({ failedAt }: UnregisteredRow): string => (failedAt ? `failed at ${stageName(failedAt)}` : "failed");

const states: Readonly<Record<UnregisteredRow["state"], (row: UnregisteredRow) => string>> = {
  kept: (row) => `kept, ${failure(row)}`,
  left: (row) => `left by ${row.operation ? code(row.operation) : "an unknown operation"}`,
  deciding: (row) => `${failure(row)}, needs a decision`,
  provisioning: ({ operation }) => `being provisioned by ${operation ? code(operation) : "an unknown operation"}`,
};

/** Names a machine's state: "kept, failed at Windows features". */
export const machineState = (row: UnregisteredRow): string => states[row.state](row);

/** Does the machine run until a person terminates it? */
export const waitsForPerson = ({ state }: UnregisteredRow): boolean => state === "kept" || state === "left";

/**
 * Describes one machine that is not a node: its state, the operation that launched it, and how to remove it.
 * @param now ISO 8601
 */
export function unregisteredMessage(row: UnregisteredRow, now: string): Message {
  const by = row.operation ? ` Launched by ${code(row.operation)}.` : "";
  const text = `${code(row.instanceId)} (${plain(row.pool ?? "no pool", 40)}) is not a node of the cluster: ${machineState(row)}, ${between(row.since, now)}.${by}`;
  const next = `It is still billed. ${typeThis("remove", row.instanceId)} terminates it.`;
  return { text, blocks: [section(text), ...(waitsForPerson(row) ? [context(next)] : [])] };
}

const order: readonly UnregisteredRow["state"][] = ["kept", "left", "deciding", "provisioning"];

/**
 * Lists the machines that Casement launched and that are not nodes, kept ones first; the list goes below the table of
 * nodes.
 * @param now ISO 8601
 * @returns no blocks when there are none
 */
export function unregisteredBlocks(rows: readonly UnregisteredRow[], now: string): Block[] {
  if (rows.length === 0) return [];
  const sorted = rows.toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
  const lines = sorted
    .slice(0, MOST_MACHINES)
    .map(
      (row) =>
        `• ${code(row.instanceId)} (${plain(row.pool ?? "no pool", 40)}): ${machineState(row)}, ${between(row.since, now)}`,
    );
  const rest = sorted.length - lines.length;
  const more = rest > 0 ? [`and ${counted(rest, "more machine")}`] : [];
  const kept = sorted.find(waitsForPerson);
  return [
    section(["*Machines that are not nodes*", ...lines, ...more].join("\n")),
    ...(kept ? [context(`${typeThis("remove", kept.instanceId)} terminates a machine.`)] : []),
  ];
}

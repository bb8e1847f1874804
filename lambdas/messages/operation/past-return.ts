import type { NodeRecord } from "../../records/records.ts";
import { type NodeWorkflow, stagesOf } from "../../stages.ts";
import { some } from "../slack/text.ts";
import { nodeLabel } from "./node-lines.ts";

/** Work that is finished although its operation is cancelled, as a clause that follows the names of its nodes. */
const finishes: Readonly<Partial<Record<NodeWorkflow, string>>> = {
  provision: "pods are being admitted, and the node stays in the cluster",
  remove: "EC2 was told to terminate the instance, and the removal is completed",
  reboot: "the machine reboots or has rebooted; the node is given back once it is proven",
  restart: "the services restart or have restarted; the node is given back once it is proven",
  proving: "a proof cannot be cancelled; it moves no pod and ends within its deadline",
};

/** Names in one sentence; more are counted. */
const MOST_NAMED = 3;

/** Has the node entered a stage that is not cancelled, or one after it? */
function isPastReturn({ status, stage, workflow = "provision" }: NodeRecord): boolean {
  const rows = stagesOf(workflow);
  const first = rows.findIndex(({ cancellable }) => !cancellable);
  return status === "running" && first >= 0 && rows.findIndex(({ name }) => name === stage) >= first;
}

/** Nodes whose work a cancellation finishes. */
export const pastReturn = (nodes: readonly NodeRecord[]): readonly NodeRecord[] => nodes.filter(isPastReturn);

/** Does everything that is left of an operation go on although it is cancelled? False while nothing is known of its nodes. */
export function isPastCancelling(nodes: readonly NodeRecord[]): boolean {
  const left = nodes.filter(({ endedAt }) => endedAt === null);
  return left.length > 0 && left.every(isPastReturn);
}

/** Says which nodes are finished although their operation is cancelled, and what that means; null where there is none. */
export function finishedWords(nodes: readonly NodeRecord[]): string | null {
  const past = pastReturn(nodes);
  const [first] = past;
  if (!first) return null;
  const names = some(past.map(nodeLabel), MOST_NAMED);
  return `${names} ${past.length === 1 ? "is" : "are"} past the point of no return: ${finishes[first.workflow ?? "provision"] ?? "the work is completed"}`;
}

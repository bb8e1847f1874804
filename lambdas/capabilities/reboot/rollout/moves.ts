import type { Execution } from "../../../change/operation/op.ts";
import { type RolloutSeen, seeRollout } from "../../../change/operation/rollout-view.ts";
import { rolloutCommand } from "../../../commands/request.ts";
import { pauseCauseOf, pausedSummary, pauseWords } from "../../../messages/rollout/rollout.ts";
import { stopWords } from "../../../messages/stops/stop.ts";
import { BY_ITSELF } from "../../../records/origin.ts";
import { type NodeRecord, newNodeRecord, type OperationRecord } from "../../../records/records.ts";
import type { RolloutNode } from "../../../records/rollout.ts";
import type { Moves, PauseCause } from "../../../records/rollout-moves.ts";
import { executionName } from "../../../steps/executions.ts";
import type { Steps } from "../../../steps/steps.ts";
import type { Stop } from "../../../time/stops.ts";
import { renewed } from "./renew.ts";

/** The rollout whose nodes are started. */
type Starter = Pick<Execution, "steps" | "start">;

/** The function that works on one node of a rollout, by the command. */
const functionOf = { reboot: "reboot-node", restart: "restart-node" } as const;

/** Starts the execution of a node. Its name is derived from the node, so a repeated call starts no second one. */
const startNode = ({ steps, start }: Starter, { name, uid, index, throughEc2 }: RolloutNode): Promise<void> => {
  const { continues: _, ...payload } = start;
  const command = rolloutCommand(start.request);
  return steps.executions.start(functionOf[command], executionName(start.operation, "node", String(index)), {
    ...payload,
    request: { command, node: name, dryRun: false },
    part: { index, uid, throughEc2 },
  });
};

/** Lists the nodes to begin. A node that was restored before its reboot gets a new index first. */
async function toBegin(steps: Steps, { operation, rollout, nodes }: RolloutSeen, start: readonly number[]) {
  const putBack = new Set(
    nodes.flatMap(({ index, status }) => (status === "cancelled" && start.includes(index) ? [index] : [])),
  );
  const all = renewed(rollout.nodes, await steps.ledger.nodes(operation.id), putBack);
  if (putBack.size > 0) await steps.rollouts.change(operation.id, { nodes: all.map(({ node }) => node) });
  return all.flatMap(({ before, node }) => (start.includes(before) ? [node] : []));
}

async function begin(op: Starter, node: RolloutNode, instanceId: string | null): Promise<void> {
  const { steps, start } = op;
  const { operation } = start;
  const at = steps.timestamp();
  const record = newNodeRecord(rolloutCommand(start.request), operation, node.index, at);
  await steps.ledger.recordNode({ ...record, nodeName: node.name, instanceId });
  await steps.ledger.changeNode(operation, node.index, { status: "running", startedAt: at, stageSince: at });
  await startNode(op, node);
}

/** Begins nodes, and repeats starts that may have been lost. */
export async function beginNodes(
  op: Starter,
  seen: RolloutSeen,
  { start: indexes }: Pick<Moves, "start">,
): Promise<void> {
  const { nodes, rollout } = seen;
  const unheard = nodes.filter(({ status, executionArn }) => status === "running" && executionArn === null);
  for (const { index } of unheard) {
    const node = rollout.nodes.find((one) => one.index === index);
    if (node) await startNode(op, node);
  }
  if (indexes.length === 0) return;
  const machines = new Map(nodes.map(({ nodeName, instanceId }) => [nodeName, instanceId]));
  for (const node of await toBegin(op.steps, seen, indexes)) await begin(op, node, machines.get(node.name) ?? null);
}

/**
 * Marks the audit entry of a pause, unique within the rollout. A pause that follows from no node is marked by the Resume
 * before it.
 */
function markOf(cause: PauseCause, { rollout }: OperationRecord): string {
  if (cause.kind === "canary") return "paused after the canary";
  return `paused after ${cause.indexes.join(", ") || (rollout?.heard ?? "its beginning")}`;
}

/**
 * Pauses a rollout without a person's request; the next poll notifies people.
 * @param stop freeze or hold over its pools, if that is the cause
 */
export async function pauseFor(
  steps: Steps,
  { operation, nodes }: RolloutSeen,
  cause: PauseCause,
  stop: Stop | null,
): Promise<void> {
  const why = stop ? stopWords(stop) : pauseWords(cause, nodes);
  const known = pauseCauseOf(cause, nodes);
  const paused = {
    by: null,
    at: steps.timestamp(),
    why,
    ...(known === undefined ? {} : { cause: known }),
    ...(stop ? { stop } : {}),
  };
  await steps.audit.append({ operation: operation.id }, markOf(cause, operation), {
    what: "asked",
    detail: { question: "go on with the rollout", why: paused.why },
  });
  const course = operation.rollout ?? { part: 1, parkedAt: null, heard: null };
  await steps.ledger.changeOperation(operation.id, {
    status: "waiting",
    summary: pausedSummary(paused, nodes),
    rollout: { ...course, paused },
  });
}

const RUNNING: ReadonlySet<string> = new Set<NodeRecord["status"]>(["running", "deciding"]);

/** Wakes the nodes of a paused or cancelled rollout, so that those before their reboot are restored immediately. */
export async function wakeNodes(steps: Steps, id: string): Promise<void> {
  const { operation, nodes } = await seeRollout(steps, id);
  const userId = operation.cancelledBy ?? operation.rollout?.paused?.by ?? BY_ITSELF;
  for (const { status, callbacks } of nodes)
    if (RUNNING.has(status) && callbacks.cancel)
      await steps.executions.complete(callbacks.cancel, { decision: "cancel", userId });
}

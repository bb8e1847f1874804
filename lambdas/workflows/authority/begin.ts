import type { Origin } from "../../origin.ts";
import { idOf, type Opening, openOperation, startOf } from "../../steps/open-operation.ts";
import type { Steps } from "../../steps/steps.ts";
import { beginOperation } from "../operation/lifecycle.ts";
import type { Execution } from "../operation/op.ts";
import { claimNode, type Member } from "./change.ts";
import type { DueNode } from "./due.ts";

/** Origin of the operation: the rule of EventBridge that starts it. */
export const ORIGIN: Origin = { by: "rule", rule: "authority" };

/** Opens the operation and leases its nodes; empty when another run is at work, or every node is leased. */
export async function begin(
  { ctx, steps }: Pick<Execution, "ctx" | "steps">,
  opening: Opening,
  nodes: readonly DueNode[],
): Promise<readonly Member[]> {
  const operation = idOf(opening);
  const free = await Promise.all(nodes.map(async (node) => (await steps.leases.holder(node.instanceId)) ?? operation));
  const mine = nodes.filter((_, at) => free[at] === operation);
  const hasEnded = async (other: string) => (await steps.ledger.operation(other))?.endedAt !== null;
  if (mine.length === 0 || !(await steps.authorityWatch.claim(operation, hasEnded))) return [];
  const { record } = await openOperation(steps, ORIGIN, opening);
  await beginOperation({ ctx, steps, start: startOf(record) });
  const members: Member[] = [];
  for (const [index, node] of mine.entries()) {
    const member = await claimNode(steps, operation, index, node);
    if (member) members.push(member);
  }
  if (members.length === 0) await endUnused(steps, operation);
  return members;
}

/** Ends an operation whose nodes were all leased by others at the last moment. */
const endUnused = (steps: Steps, operation: string): Promise<void> =>
  steps.ledger.changeOperation(operation, {
    status: "cancelled",
    summary: "Other operations work on every node that is due; the next tick takes them.",
    endedAt: steps.timestamp(),
  });

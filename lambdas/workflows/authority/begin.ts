import { requestedAct } from "../../audit/acts.ts";
import type { Configuration } from "../../configuration.ts";
import { originated } from "../../origin.ts";
import type { Steps } from "../../steps/steps.ts";
import { claimNode, type Member } from "./change.ts";
import type { DueNode } from "./due.ts";

/** Origin of the operation: the rule of EventBridge that starts it. */
export const ORIGIN = originated({ by: "rule", rule: "authority" });

/** Writes the operation down and leases its nodes; empty when another run is at work, or every node is leased. */
export async function begin(
  steps: Steps,
  { cluster, slack }: Configuration,
  operation: string,
  executionArn: string,
  nodes: readonly DueNode[],
): Promise<readonly Member[]> {
  const free = await Promise.all(nodes.map(async (node) => (await steps.leases.holder(node.instanceId)) ?? operation));
  const mine = nodes.filter((_, at) => free[at] === operation);
  const hasEnded = async (other: string) => (await steps.ledger.operation(other))?.endedAt !== null;
  if (mine.length === 0 || !(await steps.authorityWatch.claim(operation, hasEnded))) return [];
  const request = { command: "authority" } as const;
  await steps.ledger.requested({
    id: operation,
    cluster: cluster.name,
    request,
    ...ORIGIN,
    status: "running",
    requestedAt: steps.timestamp(),
    endedAt: null,
    executionArn,
    channel: slack.channel,
    messageTs: null,
    summary: "",
    cancelledBy: null,
    callbacks: {},
  });
  await steps.audit.append({ operation }, "requested", requestedAct({ request, ...ORIGIN }));
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

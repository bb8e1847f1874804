import { isDryRun, type Start } from "../commands/request.ts";
import { harmless } from "../log.ts";
import { type OriginFields, originOf } from "../records/origin.ts";
import type { NodeRecord, OperationRecord } from "../records/records.ts";
import type { Json } from "./canonical.ts";
import { type Act, type Actor, type AuditedNode, chainName } from "./entry.ts";

/** Actor that started an operation, as entries name it. */
export function actorOf(record: OriginFields): Actor {
  const origin = originOf(record);
  return origin.by === "rule"
    ? { rule: origin.rule }
    : { person: origin.requester.userId, name: origin.requester.userName };
}

/** Builds the act of an accepted request, with all its options and its reason. */
export const requestedAct = (start: Pick<Start, "request" | "asker" | "origin">): Act => ({
  what: "requested",
  by: actorOf(start),
  detail: { ...start.request, dryRun: isDryRun(start.request) },
});

/** Reads the node of a record; fields that are not known yet are left out. */
export const auditedNode = ({ nodeName, instanceId }: Pick<NodeRecord, "nodeName" | "instanceId">): AuditedNode => ({
  ...(nodeName ? { name: nodeName } : {}),
  ...(instanceId ? { instanceId } : {}),
});

/** Collects the heads of the chains of an operation's nodes: name of the chain → head. */
const headsOf = (operation: string, nodes: readonly NodeRecord[]): { readonly [chain: string]: Json } =>
  Object.fromEntries(
    nodes.flatMap(({ index, audit }) =>
      audit ? [[chainName({ operation, index }), { sequence: audit.sequence, hash: audit.hash }]] : [],
    ),
  );

/** Builds the end of an operation. It holds the heads of its nodes' chains, so that none can be shortened unnoticed. */
export function endedAct(
  { id, status, summary }: Pick<OperationRecord, "id" | "status" | "summary">,
  nodes: readonly NodeRecord[],
): Act {
  const chains = headsOf(id, nodes);
  const held = Object.keys(chains).length > 0 ? { chains } : {};
  return { what: "ended", detail: { status, summary: harmless(summary), ...held } };
}

/** Builds the end of one node's own execution. */
export const nodeEndedAct = (
  node: Pick<NodeRecord, "status" | "nodeName" | "instanceId" | "failure" | "outcome">,
): Act => ({
  what: "ended",
  node: auditedNode(node),
  detail: {
    status: node.status,
    ...(node.failure ? { stage: node.failure.stage, why: harmless(node.failure.why) } : {}),
    ...(node.outcome ? { outcome: harmless(node.outcome) } : {}),
  },
});

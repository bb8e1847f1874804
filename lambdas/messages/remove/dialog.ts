import type { OtherRequest } from "../../records/approval.ts";
import type { Block } from "../../records/records.ts";
import { othersNote } from "../approval/other-requests.ts";
import { byLoss, lossesOf, type MovedPod, noPodsToMove, podLine } from "../plan/moved-pods.ts";
import type { NodePlan, RemovalOutlook } from "../plan/plan.ts";
import { awayLine, removalLines } from "../plan/plan-card.ts";
import { context, divider, section, sections } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { andMore } from "../slack/table.ts";
import { code, counted, some } from "../slack/text.ts";
import { type Dialog, removalModal } from "./modal.ts";

/** Facts for the confirmation of a removal. */
export interface RemovalSummary {
  /** Null for a machine that is not a node. */
  readonly node: string | null;
  readonly instanceId: string;
  readonly pool: string | null;
  /** Number of the pool's nodes before the removal; null for a machine that is not a node, or without a pool. */
  readonly poolNodes?: number | null;
  /** Nodes of the pool that are out of service, which take its slots; missing for a machine that is not a node. */
  readonly slots?: Pick<NodePlan, "pool" | "away" | "maxUnavailable" | "waitsForSlot">;
  /**
   * Approvals that the removal needs, and the roles that may give them; null if it waits for none, missing in a removal
   * that the last release began.
   */
  readonly approval?: { readonly needs: number; readonly roles: readonly string[] } | null;
  readonly pods: readonly MovedPod[];
  /** Effects of emptying the node; missing for a machine that is not a node, and in a removal that the last release began. */
  readonly outlook?: RemovalOutlook;
}

/** Most pods named in the dialog. */
const MOST_PODS = 40;

/** Line for a machine that is not a node. */
export const noNodeToDrain = "The machine is not a node of the cluster: there is nothing to drain.";

function podBlocks(pods: readonly MovedPod[]): Block[] {
  if (pods.length === 0) return [section(noPodsToMove)];
  const rest = pods.length - MOST_PODS;
  return [
    section(`*${counted(pods.length, "pod")} will be evicted:*`),
    ...sections(byLoss(pods).slice(0, MOST_PODS).map(podLine)),
    ...(rest > 0 ? [context(andMore(rest, "pod"))] : []),
  ];
}

function lossBlocks(pods: readonly MovedPod[]): Block[] {
  const losses = lossesOf(pods);
  return losses ? [section(`${sign.warning} *${losses}.*`)] : [];
}

/** "*Pool* web: 2 → 1 nodes" */
export const poolOfRemoval = ({ pool, poolNodes }: Pick<RemovalSummary, "pool" | "poolNodes">): string => {
  const size = poolNodes ? `: ${poolNodes} → ${counted(poolNodes - 1, "node")}` : "";
  return `*Pool* ${pool ? code(pool) : "none"}${size}`;
};

function approvalLine({ approval }: RemovalSummary): string[] {
  if (approval === undefined) return [];
  if (approval === null) return ["*Approval* none needed"];
  const { needs, roles } = approval;
  const from = roles.length > 0 ? `from ${some(roles.map(code), 5)}, not from you` : "but no role may give it";
  return [`*Approval* needs ${counted(needs, "approval")} ${from}, before anything is changed`];
}

/**
 * Dialog with the facts: "Remove" starts the removal, "Keep" changes nothing.
 * @param others other operations on the machine
 */
export const removalDialog = (operation: string, facts: RemovalSummary, others: readonly OtherRequest[] = []): Dialog =>
  removalModal(
    operation,
    "Keep",
    [
      section(
        facts.node
          ? `*${code(facts.node)}* will be removed and its instance terminated. This cannot be undone.`
          : `*${code(facts.instanceId)}* will be terminated with its disk. This cannot be undone.`,
      ),
      section([`*Instance* ${code(facts.instanceId)}`, poolOfRemoval(facts), ...approvalLine(facts)].join("\n")),
      ...sections(othersNote(others, 1)),
      ...(facts.slots ? sections(awayLine(facts.slots)) : []),
      ...lossBlocks(facts.pods),
      ...(facts.outlook ? sections(removalLines(facts.outlook)) : []),
      divider,
      ...(facts.node ? podBlocks(facts.pods) : [section(noNodeToDrain)]),
    ],
    "Remove",
  );

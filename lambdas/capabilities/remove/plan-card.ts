import { byLoss, lossesOf, noPodsToMove, podLine } from "../../messages/plan/moved-pods.ts";
import { awayLine, isHopelessPlan, removalLines } from "../../messages/plan/plan-card.ts";
import { noNodeToDrain, poolOfRemoval, type RemovalSummary } from "../../messages/remove/dialog.ts";
import { context, section, sections } from "../../messages/slack/blocks.ts";
import { sign } from "../../messages/slack/signs.ts";
import { andMore } from "../../messages/slack/table.ts";
import { code, counted } from "../../messages/slack/text.ts";
import type { PlanCard } from "../../records/approval.ts";

/** Most pods named on the card in the channel; the dialog names more. */
const MOST_PODS = 10;

/**
 * The plan of a removal: node, instance and pool, losses, evicted pods, the obstacles to their evictions, and where they can
 * run.
 */
export function removalPlanCard({ node, instanceId, pool, poolNodes, pods, outlook, slots }: RemovalSummary): PlanCard {
  const what = node
    ? `*Plan*: ${code(node)} is drained and removed, and its instance ${code(instanceId)} is terminated. This cannot be undone.`
    : `*Plan*: the instance ${code(instanceId)} is terminated with its disk. This cannot be undone.`;
  const losses = lossesOf(pods);
  const shown = byLoss(pods).slice(0, MOST_PODS).map(podLine);
  const rest = pods.length - shown.length;
  const head = pods.length > 0 ? [`*${counted(pods.length, "pod")} will be evicted:*`] : [];
  return {
    ...(outlook && isHopelessPlan({ ...outlook, ...slots }) ? { isHopeless: true } : {}),
    blocks: [
      section(
        [
          what,
          poolOfRemoval({ pool, ...(poolNodes ? { poolNodes } : {}) }),
          ...(losses ? [`${sign.warning} *${losses}.*`] : []),
        ].join("\n"),
      ),
      ...(pods.length === 0 ? [section(node ? noPodsToMove : noNodeToDrain)] : sections([...head, ...shown])),
      ...(rest > 0 ? [context(andMore(rest, "pod"))] : []),
      ...(slots ? sections(awayLine(slots)) : []),
      ...(outlook ? sections(removalLines(outlook)) : []),
    ],
  };
}

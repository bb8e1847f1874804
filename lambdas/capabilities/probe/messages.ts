import type { SharedTraits } from "../../health/node-traits.ts";
import type { FailingNode } from "../../health/probed-node.ts";
import type { MachineTrouble } from "../../machine/seen-troubles.ts";
import { sharedWords } from "../../messages/fleet/shared-traits.ts";
import { dataPlaneSays } from "../../messages/health/network-troubles.ts";
import { troubleWords } from "../../messages/health/trouble.ts";
import type { TroubleContext } from "../../messages/health/trouble-text.ts";
import { troubleSays } from "../../messages/node/machine-troubles.ts";
import { line, type Notice } from "../../messages/operation/escalations.ts";
import { actions, section } from "../../messages/slack/blocks.ts";
import { DO_NEXT, LOOK_AGAIN } from "../../messages/slack/buttons.ts";
import { sign } from "../../messages/slack/signs.ts";
import { code, counted, mentionOf, some } from "../../messages/slack/text.ts";
import type { Message } from "../../records/records.ts";

const RUNBOOK = "docs/runbook.md#a-node-that-is-ready-and-dead";

/** Nodes named in one sentence; the rest is counted. */
const MOST_NODES = 8;

/** A node that says Ready, and whose pods do not work. */
export type DeadNode = Pick<FailingNode, "node" | "result">;

/**
 * The card of one such node: the evidence, and the button of the reboot that is proven.
 * @param together nodes that fail for a common cause; 1 if no other node fails
 * @param cause the trouble of its machine that explains it, if there is one
 */
export function deadNodeMessage(
  { node, result: { fault, from, words } }: DeadNode,
  told: TroubleContext,
  together = 1,
  cause?: MachineTrouble,
): Message {
  const { says, press } = troubleWords({ kind: "data-plane", fault, from, words }, told);
  const next =
    together === 1
      ? "Next: press Why for the other checks, or reboot it; it takes pods again once the reboot is proven."
      : `It is one of ${counted(together, "node")} that fail at once, so one cause is likely. Next: see the message about all of them before you reboot it.`;
  const text = `${sign.warning} ${code(node)} is Ready, but pods on it do not work. ${says} Casement's probe pods failed twice. ${cause ? `Likely cause: ${troubleSays(cause, code(node))}. ` : ""}${next}`;
  const why = { actionId: LOOK_AGAIN, value: `why ${node}`, text: "Why" };
  const cure = press && together === 1 ? [{ actionId: DO_NEXT, value: press.command, text: press.text }] : [];
  return { text, blocks: [section(text), actions(`dead:${node}`.slice(0, 255), [why, ...cure])] };
}

/**
 * The one card of many such nodes at once: their cause is rather the cluster's than theirs.
 * @param hours in which each node that is probed had its turn
 * @param called ids of user groups (S…) and people
 */
export function deadNodesMessage(
  dead: readonly DeadNode[],
  hours: number,
  shared: SharedTraits,
  called: readonly string[],
): Message {
  const faults = [...Map.groupBy(dead, ({ result }) => result.fault)].map(
    ([fault, nodes]) =>
      `• ${dataPlaneSays(fault)} ${some(
        nodes.map(({ node }) => code(node)),
        MOST_NODES,
      )}`,
  );
  const head = `${sign.warning} *${counted(dead.length, "node")}* are Ready, but pods on them do not work: their probes failed within ${counted(hours, "hour")}. One cause is likely. Next: check the cluster's DNS, network and kube-proxy before you reboot any node.`;
  const words = sharedWords(shared, "no other Ready node");
  const lines = [
    head,
    ...faults,
    ...(words ? [words] : []),
    ...(called.length > 0 ? [called.map(mentionOf).join(" ")] : []),
  ];
  return { text: head, blocks: [section(lines.join("\n").slice(0, 3_000))] };
}

/** Calls people past Slack: to nodes that fail each by itself, or to many with a common cause. */
export const deadNotice = (dead: readonly DeadNode[], isCommon: boolean): Notice => ({
  kind: "data-plane",
  operation: null,
  message: line(
    `${isCommon ? `${counted(dead.length, "node")} at once, one cause is likely: ` : ""}${some(
      dead.map(({ node }) => node),
      MOST_NODES,
    )}: Ready, but pods do not work there. See ${RUNBOOK}.`,
  ),
  until: null,
});

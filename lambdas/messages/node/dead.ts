import type { DataPlaneFault } from "../../desired/probe.ts";
import type { Message } from "../../records.ts";
import { line, type Notice } from "../operation/escalations.ts";
import { actions, section } from "../slack/blocks.ts";
import { DO_NEXT, LOOK_AGAIN } from "../slack/buttons.ts";
import { code, counted, plain, some } from "../slack/text.ts";
import { dataPlaneSays, type Told, troubleWords } from "./trouble.ts";

const RUNBOOK = "docs/runbook.md#a-node-that-is-ready-and-dead";

/** Nodes named in one sentence; the rest is counted. */
const MOST_NODES = 8;

/** A node that says Ready, and whose pods do not work. */
export interface DeadNode {
  readonly node: string;
  readonly fault: DataPlaneFault;
  /** Node from which its pod was not reached; null for any other fault. */
  readonly from: string | null;
}

/** The card of one such node: the evidence, and the button of the reboot that is proven. */
export function deadNodeMessage({ node, fault, from }: DeadNode, told: Told): Message {
  const { says, press } = troubleWords({ kind: "data-plane", fault, from }, told);
  const text = `⚠️ ${code(node)} is Ready, but pods on it do not work. ${says} Casement's probe pods failed twice. Next: press Why for the cause, or reboot it; it takes pods again once the reboot is proven.`;
  const why = { actionId: LOOK_AGAIN, value: `why ${node}`, text: "Why" };
  const next = press ? [{ actionId: DO_NEXT, value: press.command, text: press.text }] : [];
  return { text: plain(text, 300), blocks: [section(text), actions(`dead:${node}`.slice(0, 255), [why, ...next])] };
}

/**
 * The one card of many such nodes at once: their cause is rather the cluster's than theirs.
 * @param probed number of nodes that were probed
 */
export function deadNodesMessage(dead: readonly DeadNode[], probed: number): Message {
  const faults = [...Map.groupBy(dead, ({ fault }) => fault)].map(
    ([fault, nodes]) =>
      `• ${dataPlaneSays(fault)} ${some(
        nodes.map(({ node }) => code(node)),
        MOST_NODES,
      )}`,
  );
  const head = `⚠️ *${counted(dead.length, "node")} of ${probed} that were probed* are Ready, but pods on them do not work. One cause is likely: check the cluster's DNS, network and kube-proxy before you reboot any node.`;
  return { text: plain(head, 300), blocks: [section([head, ...faults].join("\n").slice(0, 3_000))] };
}

/** Calls people past Slack. */
export const deadNotice = (dead: readonly DeadNode[]): Notice => ({
  kind: "data-plane",
  operation: null,
  message: line(
    `${some(
      dead.map(({ node }) => node),
      MOST_NODES,
    )}: Ready, but pods do not work there. See ${RUNBOOK}.`,
  ),
  until: null,
});

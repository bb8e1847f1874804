import { typeThis } from "../../messages/command/syntax.ts";
import { actions, section } from "../../messages/slack/blocks.ts";
import { DO_NEXT } from "../../messages/slack/buttons.ts";
import { code, counted, plain, some } from "../../messages/slack/text.ts";
import type { Message } from "../../records/records.ts";

/** Most nodes that the offer names. */
const MOST_NODES = 8;

/** Offers the reboot of a pool's nodes on which the cluster's proxy is written and not in force. */
export function proxyOfferMessage(pool: string, nodes: readonly string[]): Message {
  const names = some(nodes.map(code), MOST_NODES);
  const text = `🔌 The cluster's proxy is written on ${counted(nodes.length, "node")} of pool ${code(pool)} and not in force: ${names}. containerd and the kubelet use it from their next start.`;
  const command = `reboot ${pool} --due`;
  return {
    text: plain(text, 300),
    blocks: [
      section(`${text} Next: ${typeThis(command)} reboots them one after another, each proven.`),
      actions(`proxy:${pool}`.slice(0, 255), [{ actionId: DO_NEXT, value: command, text: "Reboot…" }]),
    ],
  };
}

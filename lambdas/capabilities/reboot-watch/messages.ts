import { typeThis } from "../../messages/command/syntax.ts";
import { actions, section } from "../../messages/slack/blocks.ts";
import { DO_NEXT, RESTART_SERVICES } from "../../messages/slack/buttons.ts";
import { sign } from "../../messages/slack/signs.ts";
import { code, counted, some } from "../../messages/slack/text.ts";
import type { Message } from "../../records/records.ts";

/** Most nodes that the offer names. */
const MOST_NODES = 8;

/** Offers the restart of services, or the reboot, of a pool's nodes on which the cluster's proxy is written and not in force. */
export function proxyOfferMessage(pool: string, nodes: readonly string[]): Message {
  const names = some(nodes.map(code), MOST_NODES);
  const text = `${sign.warning} The cluster's proxy is written on ${counted(nodes.length, "node")} of pool ${code(pool)} and not in force: ${names}. containerd and the kubelet use it from their next start.`;
  const [restart, reboot] = [`restart ${pool} --due`, `reboot ${pool} --due`];
  return {
    text,
    blocks: [
      section(
        `${text} Next: ${typeThis(restart)} restarts the services of one after another, each proven, and evicts no pod; ${typeThis(reboot)} reboots them.`,
      ),
      actions(`proxy:${pool}`.slice(0, 255), [
        { actionId: RESTART_SERVICES, value: restart, text: "Restart services…" },
        { actionId: DO_NEXT, value: reboot, text: "Reboot…" },
      ]),
    ],
  };
}

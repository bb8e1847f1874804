import { LOW_DISK_BYTES, type MachineTrouble, troubleName } from "../../machine/seen-troubles.ts";
import type { Message } from "../../records/records.ts";
import { typeThis } from "../command/syntax.ts";
import { actions, say, section } from "../slack/blocks.ts";
import { DO_NEXT, LOOK_AGAIN, RESTART_SERVICES } from "../slack/buttons.ts";
import { sign } from "../slack/signs.ts";
import { code, counted, some } from "../slack/text.ts";

/** Most nodes that a message names. */
const MOST_NODES = 8;

const gigabytes = LOW_DISK_BYTES / 1024 ** 3;

/** Sentence without its full stop: the trouble and where it is. @param where nodes, in words */
export function troubleSays(trouble: MachineTrouble, where: string): string {
  if (trouble.kind === "disk-low") return `The system drive has less than ${gigabytes} GB free on ${where}`;
  if (trouble.kind === "routes-lost") return `The route guard repairs its routes again and again on ${where}`;
  if (trouble.kind === "hns-restarted")
    return `The Host Networking Service (HNS) restarted under kube-proxy: Services lost their load balancers, and pods may have no network, on ${where}`;
  return `The service ${code(trouble.service)} ${serviceStates[trouble.kind]} on ${where}`;
}

const serviceStates: Readonly<Record<Extract<MachineTrouble["kind"], `service-${string}`>, string>> = {
  "service-stopped": "does not run",
  "service-absent": "does not exist",
  "service-exits": "keeps exiting",
};

/** Next step for one of the nodes. */
export function troubleRemedy(trouble: MachineTrouble, node: string): string {
  if (trouble.kind === "disk-low")
    return `remove what is not needed there, or replace the node; below ${gigabytes} GB images cannot be pulled, and ${typeThis("why", node)} says how much is left`;
  if (trouble.kind === "routes-lost")
    return `find what takes the routes away there, such as a VPN client, a security agent or a script; between two runs of the guard no command reaches the machine, and ${typeThis("why", node)} counts the repairs`;
  if (trouble.kind === "hns-restarted")
    return `${typeThis("why", node)} names the pods without a network; ${typeThis("reboot", node)} evicts the pods and proves the node. Where no pod is cut off, ${typeThis("restart", node)} is enough`;
  if (trouble.kind === "service-absent")
    return `the machine was changed outside Casement: add a node, then run ${typeThis("remove", node)}`;
  return `${typeThis("why", node)} shows the end of its log; ${typeThis("restart", node)} restarts the services of a node that Casement launched, without evicting pods`;
}

const whereOf = (nodes: readonly string[]): string =>
  nodes.length === 1 ? code(nodes[0] ?? "") : `${counted(nodes.length, "node")}: ${some(nodes.map(code), MOST_NODES)}`;

/** Posts one trouble of all machines on which one observation has found it. */
export function machineTroubleMessage(trouble: MachineTrouble, nodes: readonly string[]): Message {
  const [first = ""] = nodes;
  const isOne = nodes.length === 1;
  const span = trouble.kind === "routes-lost" ? "a day" : "an hour";
  const times = "times" in trouble && isOne ? `: ${counted(trouble.times, "time")} within ${span}` : "";
  const text = `${sign.warning} ${troubleSays(trouble, whereOf(nodes))}${times}.`;
  // A rollout of restarts is about one pool, and the nodes here may belong to several.
  const canRestart = isOne && (trouble.kind === "service-stopped" || trouble.kind === "service-exits");
  return {
    text,
    blocks: [
      section(`${text} Next: ${troubleRemedy(trouble, first)}.`),
      actions(`trouble:${troubleName(trouble)}:${first}`.slice(0, 255), [
        { actionId: LOOK_AGAIN, value: `why ${first}`, text: "Why" },
        ...(isOne && trouble.kind === "hns-restarted"
          ? [{ actionId: DO_NEXT, value: `reboot ${first}`, text: "Reboot…" }]
          : []),
        ...(canRestart ? [{ actionId: RESTART_SERVICES, value: `restart ${first}`, text: "Restart services…" }] : []),
      ]),
    ],
  };
}

/** Posts that a trouble is over. */
export function troubleEndMessage(trouble: MachineTrouble, nodes: readonly string[]): Message {
  const where = whereOf(nodes);
  if (trouble.kind === "disk-low")
    return say(`${sign.done} The system drive has more than ${gigabytes} GB free again on ${where}.`);
  if (trouble.kind === "routes-lost")
    return say(`${sign.done} The route guard has not repaired its routes often for a day on ${where}.`);
  if (trouble.kind === "hns-restarted")
    return say(`${sign.done} kube-proxy has started after the Host Networking Service (HNS) again on ${where}.`);
  const state = trouble.kind === "service-exits" ? "has stopped exiting" : "runs again";
  return say(`${sign.done} The service ${code(trouble.service)} ${state} on ${where}.`);
}

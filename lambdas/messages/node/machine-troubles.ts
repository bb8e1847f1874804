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

/** The trouble of a machine, in a clause that does not name the machine. */
function troubleClause(trouble: MachineTrouble): string {
  if (trouble.kind === "disk-low") return `The system drive has less than ${gigabytes} GB free`;
  if (trouble.kind === "routes-lost") return "The route guard repairs its routes again and again";
  if (trouble.kind === "hns-restarted")
    return "The Host Networking Service (HNS) restarted under kube-proxy: Services lost their load balancers, and pods may have no network";
  return `The service ${code(trouble.service)} ${serviceStates[trouble.kind]}`;
}

/** Sentence without its full stop: the trouble and where it is. @param where nodes, in words */
export const troubleSays = (trouble: MachineTrouble, where: string): string =>
  `${troubleClause(trouble)}${trouble.kind === "hns-restarted" ? "," : ""} on ${where}`;

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

/** Count of what happened on one machine: "5 times within an hour"; empty for several machines. */
function timesOf(trouble: MachineTrouble, nodes: readonly string[]): string {
  if (!("times" in trouble) || nodes.length !== 1) return "";
  return `: ${counted(trouble.times, "time")} within ${trouble.kind === "routes-lost" ? "a day" : "an hour"}`;
}

/** Lists what holds on nodes under a head. */
const listed = (clauses: readonly string[], nodes: readonly string[], head: string): string =>
  [`${head} on ${whereOf(nodes)}:`, ...clauses.map((clause) => `• ${clause}.`)].join("\n");

/**
 * Posts the troubles of all machines on which one observation has found just these.
 * @param troubles at least one
 */
export function machineTroubleMessage(troubles: readonly MachineTrouble[], nodes: readonly string[]): Message {
  const [first = ""] = nodes;
  const [only, ...more] = troubles;
  const isOne = nodes.length === 1;
  const says =
    only && more.length === 0
      ? `${troubleSays(only, whereOf(nodes))}${timesOf(only, nodes)}.`
      : listed(
          troubles.map((one) => `${troubleClause(one)}${timesOf(one, nodes)}`),
          nodes,
          `*${counted(troubles.length, "problem")}*`,
        );
  const text = `${sign.warning} ${says}`;
  const has = (...kinds: readonly MachineTrouble["kind"][]) => troubles.some(({ kind }) => kinds.includes(kind));
  // A rollout of restarts is about one pool, and the nodes here may belong to several.
  const canRestart = isOne && has("service-stopped", "service-exits");
  const steps = [...new Set(troubles.map((one) => `Next: ${troubleRemedy(one, first)}.`))];
  return {
    text,
    blocks: [
      section([text, ...steps].join(more.length === 0 ? " " : "\n")),
      actions(`trouble:${troubles.map(troubleName).join(",")}:${first}`.slice(0, 255), [
        { actionId: LOOK_AGAIN, value: `why ${first}`, text: "Why" },
        ...(isOne && has("hns-restarted") ? [{ actionId: DO_NEXT, value: `reboot ${first}`, text: "Reboot…" }] : []),
        ...(canRestart ? [{ actionId: RESTART_SERVICES, value: `restart ${first}`, text: "Restart services…" }] : []),
      ]),
    ],
  };
}

/** The end of a trouble, in a clause that does not name the machine. */
function endClause(trouble: MachineTrouble): string {
  if (trouble.kind === "disk-low") return `The system drive has more than ${gigabytes} GB free again`;
  if (trouble.kind === "routes-lost") return "The route guard has not repaired its routes often for a day";
  if (trouble.kind === "hns-restarted") return "kube-proxy has started after the Host Networking Service (HNS) again";
  return `The service ${code(trouble.service)} ${trouble.kind === "service-exits" ? "has stopped exiting" : "runs again"}`;
}

/** Posts that troubles are over. @param troubles at least one */
export function troubleEndMessage(troubles: readonly MachineTrouble[], nodes: readonly string[]): Message {
  const [only, ...more] = troubles;
  const says =
    only && more.length === 0
      ? `${endClause(only)} on ${whereOf(nodes)}.`
      : listed(troubles.map(endClause), nodes, `*${counted(troubles.length, "problem")}* solved`);
  return say(`${sign.done} ${says}`);
}

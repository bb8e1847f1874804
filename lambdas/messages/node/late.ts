import { ownerOf } from "../../node-work.ts";
import type { Block, NodeRecord } from "../../records.ts";
import { instanceLink, type MessageSettings } from "../operation/links.ts";
import { nodeLabel } from "../operation/node-lines.ts";
import { between } from "../slack/age.ts";
import { actions, section } from "../slack/blocks.ts";
import { EC2_REBOOT, OPEN_AWS } from "../slack/buttons.ts";
import { prose } from "../slack/text.ts";

/** Nodes whose machines are told as late in one message; a rollout of many has few away at once. */
const MOST_LATE = 3;

const isLate = ({ status, lateSince }: NodeRecord): boolean => status === "running" && lateSince !== undefined;

/** State of the order to EC2, in words; null where EC2 is still to be asked. */
function orderWords(node: NodeRecord, now: string): string | null {
  const { ec2Reboot } = node;
  if (!ec2Reboot || ec2Reboot.answer === "refused") return null;
  const who = ec2Reboot.by === undefined ? "Casement" : prose(`<@${ec2Reboot.by}>`);
  const asked = `${nodeLabel(node)}: ${who} had EC2 reboot the machine, ${between(ec2Reboot.at, now)} ago`;
  if (ec2Reboot.answer === undefined) return `⏳ ${asked}.`;
  return `⚠️ ${asked}, but EC2's answer is unknown. If the machine does not come back, press *EC2 reboot* again.`;
}

const lateWords = (node: NodeRecord, now: string): string =>
  `⚠️ ${nodeLabel(node)} has not come back from its reboot for ${between(node.stageSince, now)}. Windows may still install updates: the console shows its screen (*Actions*, *Monitor and troubleshoot*, *Get instance screenshot*). *EC2 reboot* asks Windows to restart and resets the machine like a power failure after four minutes: an update that is being installed may be damaged.`;

function lateBlocks(node: NodeRecord, settings: MessageSettings, now: string): Block[] {
  const { instanceId, callbacks } = node;
  const words = section(orderWords(node, now) ?? lateWords(node, now));
  // A press counts only while the work waits for one.
  if (callbacks.decision === undefined) return [words];
  const value = ownerOf(node);
  return [
    words,
    actions(`late:${value}`, [
      {
        actionId: EC2_REBOOT,
        value,
        text: "EC2 reboot",
        style: "danger",
        confirm: {
          title: "Reboot through EC2?",
          text: "EC2 resets the machine if Windows does not react within four minutes. Look at the screenshot first.",
          confirm: "EC2 reboot",
          deny: "Wait",
        },
      },
      ...(instanceId
        ? [{ actionId: OPEN_AWS, value, text: "Open in AWS", url: instanceLink(settings, instanceId) }]
        : []),
    ]),
  ];
}

/** Tells the machines that have not come back from their reboot for half an hour, with what can be pressed. */
export const lateMachines = (nodes: readonly NodeRecord[], settings: MessageSettings, now: string): Block[] =>
  nodes
    .filter(isLate)
    .slice(0, MOST_LATE)
    .flatMap((node) => lateBlocks(node, settings, now));

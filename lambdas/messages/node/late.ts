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

function lateBlocks(node: NodeRecord, settings: MessageSettings, now: string): Block[] {
  const { stageSince, instanceId, ec2Reboot } = node;
  const since = between(stageSince, now);
  if (ec2Reboot)
    return [
      section(
        `⏳ ${nodeLabel(node)}: ${prose(`<@${ec2Reboot.by}>`)} had EC2 reboot the machine, ${between(ec2Reboot.at, now)} ago.`,
      ),
    ];
  const value = ownerOf(node);
  return [
    section(
      `⚠️ ${nodeLabel(node)} has not come back from its reboot for ${since}. Windows may still install updates: the console shows its screen (*Actions*, *Monitor and troubleshoot*, *Get instance screenshot*). *EC2 reboot* asks Windows to restart and resets the machine like a power failure after four minutes: an update that is being installed may be damaged.`,
    ),
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

import { SCREENSHOT_LINK_MS } from "../../late-reboot.ts";
import { ownerOf } from "../../node-work.ts";
import type { Block, NodeRecord } from "../../records.ts";
import { instanceLink, type MessageSettings } from "../operation/links.ts";
import { nodeLabel } from "../operation/node-lines.ts";
import { between, localTime } from "../slack/age.ts";
import { actions, type Button, section } from "../slack/blocks.ts";
import { EC2_REBOOT, OPEN_AWS, OPEN_SCREENSHOT } from "../slack/buttons.ts";
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

/** Longest address of a button (Slack, block elements reference, "Button": url); a session token may be long. */
const LONGEST_URL = 3_000;

/** A screenshot that can still be opened, with the end of its link; null where there is none. */
function openScreenshot({ screenshot }: NodeRecord, now: string): { at: string; url: string; until: string } | null {
  if (screenshot?.url === undefined || screenshot.url.length > LONGEST_URL) return null;
  const until = new Date(Date.parse(screenshot.at) + SCREENSHOT_LINK_MS).toISOString();
  return until > now ? { at: screenshot.at, url: screenshot.url, until } : null;
}

function screenWords(node: NodeRecord, now: string): string {
  const screenshot = openScreenshot(node, now);
  if (screenshot === null)
    return "the EC2 console shows its screen (*Actions*, *Monitor and troubleshoot*, *Get instance screenshot*)";
  return `*Screenshot* shows its screen at ${localTime(screenshot.at)} (the link lapses at ${localTime(screenshot.until)})`;
}

const lateWords = (node: NodeRecord, now: string): string =>
  `⚠️ ${nodeLabel(node)} has not come back from its reboot for ${between(node.stageSince, now)}. Windows may still install updates: ${screenWords(node, now)}. *EC2 reboot* asks Windows to restart and resets the machine like a power failure after four minutes: an update that is being installed may be damaged.`;

/** Buttons that open an address. */
function links(node: NodeRecord, settings: MessageSettings, now: string): Button[] {
  const value = ownerOf(node);
  const screenshot = openScreenshot(node, now);
  return [
    ...(screenshot ? [{ actionId: OPEN_SCREENSHOT, value, text: "Screenshot", url: screenshot.url }] : []),
    ...(node.instanceId
      ? [{ actionId: OPEN_AWS, value, text: "Open in AWS", url: instanceLink(settings, node.instanceId) }]
      : []),
  ];
}

function lateBlocks(node: NodeRecord, settings: MessageSettings, now: string): Block[] {
  const words = section(orderWords(node, now) ?? lateWords(node, now));
  // A press counts only while the work waits for one.
  if (node.callbacks.decision === undefined) return [words];
  const value = ownerOf(node);
  const reboot: Button = {
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
  };
  return [words, actions(`late:${value}`, [reboot, ...links(node, settings, now)])];
}

/** Tells the machines that have not come back from their reboot for half an hour, with what can be pressed. */
export const lateMachines = (nodes: readonly NodeRecord[], settings: MessageSettings, now: string): Block[] =>
  nodes
    .filter(isLate)
    .slice(0, MOST_LATE)
    .flatMap((node) => lateBlocks(node, settings, now));

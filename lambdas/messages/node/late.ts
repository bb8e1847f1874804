import { SCREENSHOT_LINK_MS } from "../../records/late-reboot.ts";
import { workOwner } from "../../records/node-work.ts";
import type { Block, NodeRecord } from "../../records/records.ts";
import { instanceLink, type MessageSettings } from "../operation/links.ts";
import { nodeLabel, plainName } from "../operation/node-lines.ts";
import { between, localTime } from "../slack/age.ts";
import { actions, type Button, section } from "../slack/blocks.ts";
import { EC2_REBOOT, OPEN_AWS, OPEN_SCREENSHOT } from "../slack/buttons.ts";
import { sign } from "../slack/signs.ts";
import { prose } from "../slack/text.ts";

/** Most nodes that one message names as late; a rollout of many reboots few at once. */
const MOST_LATE = 3;

const isLate = ({ status, lateSince }: NodeRecord): boolean => status === "running" && lateSince !== undefined;

/** Longest address of a button (Slack, block elements reference, "Button": url); a session token may be long. */
const LONGEST_URL = 3_000;

/** A picture that can still be opened, with the end of its link; null where there is none. */
function openPicture({ screenshot }: NodeRecord, now: string): { at: string; url: string; until: string } | null {
  const taken = screenshot?.taken;
  if (taken === undefined || taken.url.length > LONGEST_URL) return null;
  const until = new Date(Date.parse(taken.at) + SCREENSHOT_LINK_MS).toISOString();
  return until > now ? { ...taken, until } : null;
}

function screenWords(node: NodeRecord, now: string): string {
  const picture = openPicture(node, now);
  if (picture === null)
    return "the EC2 console shows its screen (*Actions*, *Monitor and troubleshoot*, *Get instance screenshot*)";
  return `*Screenshot* shows its screen at ${localTime(picture.at)} (the link lapses by ${localTime(picture.until)})`;
}

const RESET =
  "*Reboot through EC2…* asks Windows to restart and resets the machine like a power failure after four minutes: an update that is being installed may be damaged.";

/** Order that EC2 took or may have taken, in words. */
function orderWords({ ec2Reboot }: NodeRecord, now: string): string | null {
  if (!ec2Reboot || ec2Reboot.answer === "refused") return null;
  const who = ec2Reboot.by === undefined ? "Casement" : prose(`<@${ec2Reboot.by}>`);
  return `${who} had EC2 reboot the machine, ${between(ec2Reboot.at, now)} ago`;
}

/** Says how late the machine is, and what can be pressed. @param isOffered a press of the button is waited for */
function lateWords(node: NodeRecord, now: string, isOffered: boolean): string {
  const label = nodeLabel(node);
  const order = orderWords(node, now);
  const screen = screenWords(node, now);
  if (order === null)
    return `${sign.warning} ${label} has not come back from its reboot for ${between(node.stageSince, now)}. Windows may still install updates: ${screen}. ${RESET}`;
  if (node.ec2Reboot?.answer === "unknown")
    return `${sign.warning} ${label}: ${order}, but EC2's answer is unknown; ${screen}. If the machine does not come back, press *Reboot through EC2…* again.`;
  if (!isOffered) return `${sign.running} ${label}: ${order}; ${screen}.`;
  return `${sign.warning} ${label}: ${order}, and it has not come back. Windows may still install updates: ${screen}. ${RESET}`;
}

/** Button that opens the newest screenshot of a machine's console, while its link works. @param now ISO 8601 */
export function screenshotButtons(node: NodeRecord, now: string): Button[] {
  const picture = openPicture(node, now);
  return picture ? [{ actionId: OPEN_SCREENSHOT, value: workOwner(node), text: "Screenshot", url: picture.url }] : [];
}

/** Buttons that open an address. */
function links(node: NodeRecord, settings: MessageSettings, now: string): Button[] {
  const value = workOwner(node);
  return [
    ...screenshotButtons(node, now),
    ...(node.instanceId
      ? [{ actionId: OPEN_AWS, value, text: "Open in AWS", url: instanceLink(settings, node.instanceId) }]
      : []),
  ];
}

const rebootButton = (node: NodeRecord, now: string): Button => ({
  actionId: EC2_REBOOT,
  value: workOwner(node),
  text: "Reboot through EC2…",
  style: "danger",
  confirm: {
    title: "Reboot through EC2?",
    text: `EC2 resets the machine if Windows does not react within four minutes. Look at ${openPicture(node, now) ? "the screenshot" : "its screen in the EC2 console"} first.`,
    confirm: "Reboot through EC2",
    deny: "Wait",
  },
});

function lateBlocks(node: NodeRecord, settings: MessageSettings, now: string): Block[] {
  // Only work that waits for a press answers it.
  const isOffered = node.callbacks.decision !== undefined;
  const buttons = [...(isOffered ? [rebootButton(node, now)] : []), ...links(node, settings, now)];
  const words = section(lateWords(node, now, isOffered));
  return buttons.length === 0 ? [words] : [words, actions(`late:${workOwner(node)}`, buttons, plainName(node))];
}

/** Tells the machines that have not come back from their reboot for half an hour, with what can be pressed. */
export const lateMachines = (nodes: readonly NodeRecord[], settings: MessageSettings, now: string): Block[] =>
  nodes
    .filter(isLate)
    .slice(0, MOST_LATE)
    .flatMap((node) => lateBlocks(node, settings, now));

import type { Request } from "../../commands/command.ts";
import type { NodeRecord } from "../../records.ts";
import type { NodeWorkflow } from "../../stages.ts";
import type { Button } from "../slack/blocks.ts";
import { INSTALL_GUARD, REBOOT_THROUGH_EC2 } from "../slack/buttons.ts";
import { notRebooted } from "./reboot.ts";

/** Workflows that fail before they have changed the node, for what a button of theirs cures. */
const CURABLE: ReadonlySet<NodeWorkflow | undefined> = new Set<NodeWorkflow>(["reboot", "guarding"]);

/** Pieces of a failure by which a machine takes no command. */
const DEAF = [
  "SSM agent does not answer",
  "which SSM calls",
  "(Cancelled)",
  "(DeliveryTimedOut)",
  "(Undeliverable)",
  "Delivery Timed Out",
  "document process failed",
];

const isDeaf = (why: string): boolean => DEAF.some((piece) => why.includes(piece));

/** Types the command that installs the guard, under the right of whoever presses it. */
const installGuard = (node: string): Button => ({
  actionId: INSTALL_GUARD,
  value: `guard ${node}`,
  text: "Install the guard",
  style: "primary",
});

/** Were the losses of this node taken by typing its whole name? */
const isForced = (request: Request, node: string): boolean =>
  request.command === "reboot" && "force" in request && request.force === node;

/** Types the reboot through EC2, which shows its plan and asks for its approval. */
const throughEc2 = (node: string, request: Request): Button => ({
  actionId: REBOOT_THROUGH_EC2,
  value: `reboot ${node} --ec2${isForced(request, node) ? ` --force ${node}` : ""}`,
  text: "Reboot through EC2…",
});

/** Buttons that cure a failed node, or plan what does: the guard, and EC2's reboot where the machine takes no command. */
export function cureButtons({ workflow, nodeName, failure }: NodeRecord, request: Request): Button[] {
  if (!nodeName || !failure || !CURABLE.has(workflow)) return [];
  const { stage, why } = failure;
  if (stage === "guard" && isDeaf(why)) return [throughEc2(nodeName, request)];
  if (workflow !== "reboot") return [];
  if (stage === "guard") return [installGuard(nodeName)];
  if (stage === "reboot" && why.startsWith(notRebooted)) return [installGuard(nodeName)];
  return stage === "reboot" || stage === "prove" ? [throughEc2(nodeName, request)] : [];
}

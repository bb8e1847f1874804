import type { Request } from "../../commands/request.ts";
import type { Failure, FailureCode } from "../../records/failures.ts";
import type { NodeRecord } from "../../records/records.ts";
import type { NodeWorkflow, StageName } from "../../stages.ts";
import type { Button } from "../slack/blocks.ts";
import { INSTALL_GUARD, KEEP_CORDONED, PROVE_AGAIN, REBOOT_THROUGH_EC2, UNCORDON_NODE } from "../slack/buttons.ts";
import { asksForCordon } from "./cordon.ts";

/** Workflows whose failures a button cures. */
const CURABLE: ReadonlySet<NodeWorkflow | undefined> = new Set<NodeWorkflow>(["reboot", "guarding", "proving"]);

/** Codes of failures by which a machine takes no command. */
const DEAF: ReadonlySet<string | undefined> = new Set<FailureCode>([
  "agent-silent",
  "agent-broken",
  "command-undelivered",
  "command-cancelled",
  "command-waits",
  "script-slow",
]);

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

/** Makes the proof anew, and gives the node back if it is proven. */
const proveAgain = (node: string): Button => ({
  actionId: PROVE_AGAIN,
  value: `prove ${node}`,
  text: "Check again",
  style: "primary",
});

/** Makes the cordon a person's, so that no proof gives the node back. */
const keepCordoned = (node: string): Button => ({
  actionId: KEEP_CORDONED,
  value: `cordon ${node}`,
  text: "Keep cordoned",
});

/** Stages in which a node stays cordoned for want of its proof. */
const UNPROVEN: ReadonlySet<StageName> = new Set<StageName>(["reboot", "prove", "restore"]);

/** Gives the node back, under the right of whoever presses it. */
const uncordon = (node: string): Button => ({
  actionId: UNCORDON_NODE,
  value: `uncordon ${node}`,
  text: "Uncordon",
  style: "primary",
});

/** Buttons of a stage that comes before the machine is told to reboot, or of the order itself. */
function beforeReboot({ stage, code, isNotRebooted }: Failure, node: string, request: Request): Button[] | null {
  if (stage !== "guard" && !isNotRebooted) return null;
  if (DEAF.has(code)) return [throughEc2(node, request)];
  return stage === "guard" || code === "guard-not-in-order" ? [installGuard(node)] : [];
}

/** Buttons that cure a failed node, or plan what does: the guard, and EC2's reboot where the machine takes no command. */
export function cureButtons({ workflow, nodeName, failure, settled }: NodeRecord, request: Request): Button[] {
  if (!nodeName || !failure || settled !== undefined) return [];
  if (failure.left.startsWith(asksForCordon)) return [uncordon(nodeName), keepCordoned(nodeName)];
  if (!CURABLE.has(workflow)) return [];
  if (workflow === "guarding")
    return failure.stage === "guard" && DEAF.has(failure.code) ? [throughEc2(nodeName, request)] : [];
  const early = beforeReboot(failure, nodeName, request);
  if (early !== null) return early;
  return UNPROVEN.has(failure.stage)
    ? [proveAgain(nodeName), throughEc2(nodeName, request), keepCordoned(nodeName)]
    : [];
}

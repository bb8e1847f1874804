import { isForced, type Request } from "../../commands/request.ts";
import type { Failure, FailureCode } from "../../records/failures.ts";
import { isSettled } from "../../records/left-node.ts";
import type { NodeRecord } from "../../records/records.ts";
import type { NodeWorkflow, StageName } from "../../stages.ts";
import type { Button } from "../slack/blocks.ts";
import {
  DO_NEXT,
  INSTALL_GUARD,
  KEEP_CORDONED,
  LOOK_AGAIN,
  PROVE_AGAIN,
  REBOOT_THROUGH_EC2,
  UNCORDON_NODE,
} from "../slack/buttons.ts";
import { asksForCordon } from "./cordon.ts";

/** Workflows whose failures a button can remedy. */
const CURABLE: ReadonlySet<NodeWorkflow | undefined> = new Set<NodeWorkflow>([
  "reboot",
  "restart",
  "guarding",
  "proving",
]);

/** Codes of failures that mean that the machine takes no command. */
export const DEAF: ReadonlySet<string | undefined> = new Set<FailureCode>([
  "agent-silent",
  "agent-broken",
  "command-undelivered",
  "command-cancelled",
  "command-waits",
  "script-slow",
]);

/** Button that installs the guard; it requires that the person who presses it may use the command. */
const installGuard = (node: string): Button => ({
  actionId: INSTALL_GUARD,
  value: `guard ${node}`,
  text: "Install the guard",
  style: "primary",
});

/**
 * Button that requests the reboot through EC2, which shows its plan and needs an approval. Losses that were accepted, for
 * the node or for its pool, stay accepted.
 */
const throughEc2 = (node: string, request: Request): Button => ({
  actionId: REBOOT_THROUGH_EC2,
  value: `reboot ${node} --ec2${request.command === "reboot" && isForced(request) ? ` --force ${node}` : ""}`,
  text: "Reboot through EC2…",
});

/** Button that requests a reboot, which shows its plan. */
const reboot = (node: string): Button => ({
  ...{ actionId: DO_NEXT, value: `reboot ${node}`, text: "Reboot…", style: "primary" },
});

/** Button that repeats the proof, and restores the node if the proof succeeds. */
const proveAgain = (node: string): Button => ({ actionId: PROVE_AGAIN, value: `prove ${node}`, text: "Check again" });

/** Button that shows what is wrong with the node. */
const why = (node: string): Button => ({ actionId: LOOK_AGAIN, value: `why ${node}`, text: "Why?" });

/** Button that makes a person the owner of the cordon, so that no proof uncordons the node. */
const keepCordoned = (node: string): Button => ({
  actionId: KEEP_CORDONED,
  value: `cordon ${node}`,
  text: "Keep cordoned",
});

/** Stages whose failure leaves a node cordoned until it is proven. */
const UNPROVEN: ReadonlySet<StageName> = new Set<StageName>(["reboot", "restart", "prove", "restore"]);

/** Button that uncordons the node; it requires that the person who presses it may use the command. */
const uncordon = (node: string): Button => ({
  actionId: UNCORDON_NODE,
  value: `uncordon ${node}`,
  text: "Uncordon",
  style: "primary",
});

/**
 * Buttons for a failure before the machine got its order, or of the order itself; null for a later failure.
 */
function beforeReboot({ stage, code, isNotRebooted }: Failure, node: string, request: Request): Button[] | null {
  if (stage !== "guard" && !isNotRebooted) return null;
  if (DEAF.has(code)) return [throughEc2(node, request)];
  return stage === "guard" || code === "guard-not-in-order" ? [installGuard(node)] : [];
}

/**
 * Buttons for a node that waits for its proof. Where the machine takes no command, only EC2 can reboot it, and its screen
 * tells whether to: no choice is recommended. Otherwise the whole reboot can be tried again, which is a button of an
 * operation on one node.
 */
function afterReboot({ stage, code }: Failure, node: string, request: Request): Button[] {
  if (code === "endpoints-lost") return [reboot(node), why(node), keepCordoned(node)];
  const ec2 = throughEc2(node, request);
  const isDeaf = DEAF.has(code) || code === "route-lost" || stage === "reboot";
  if (isDeaf) return [ec2, proveAgain(node), keepCordoned(node)];
  const others = request.command === "reboot" && "node" in request ? [] : [ec2];
  return [{ ...proveAgain(node), style: "primary" }, why(node), ...others, keepCordoned(node)];
}

/** Does a person decide whether the node stays cordoned? Records of the last release only have its words. */
const isLeftToPerson = ({ asksPerson, left }: Failure): boolean => asksPerson ?? left.startsWith(asksForCordon);

/** Buttons that remedy the failure of a node that its workflow left to a person. */
function remedies(failure: Failure, node: string, workflow: NodeWorkflow | undefined, request: Request): Button[] {
  if (isLeftToPerson(failure)) return [uncordon(node), keepCordoned(node)];
  if (!CURABLE.has(workflow)) return [];
  if (workflow === "guarding")
    return failure.stage === "guard" && DEAF.has(failure.code) ? [throughEc2(node, request)] : [];
  const early = beforeReboot(failure, node, request);
  if (early !== null) return early;
  return UNPROVEN.has(failure.stage) ? afterReboot(failure, node, request) : [];
}

/**
 * Buttons that remedy a failed node, such as the guard's installation, or the reboot through EC2 where the machine
 * takes no command. A node of a rollout has one that shows what is wrong with it in any case.
 */
export function cureButtons(node: NodeRecord, request: Request): Button[] {
  const { workflow, nodeName, failure } = node;
  // No command finds a Node that was deleted.
  if (!nodeName || !failure || isSettled(node) || failure.code === "node-deleted") return [];
  const buttons = remedies(failure, nodeName, workflow, request);
  const isShown = "node" in request || buttons.some(({ actionId }) => actionId === LOOK_AGAIN);
  return CURABLE.has(workflow) && !isShown ? [...buttons, why(nodeName)] : buttons;
}

import type { Failure } from "../../records/failures.ts";
import { workOwner } from "../../records/node-work.ts";
import { asksToContinue, type Message, type NodeRecord } from "../../records/records.ts";
import type { NodeWorkflow } from "../../stages.ts";
import { line, type Notice } from "../operation/escalations.ts";
import { between, localTime, utc } from "../slack/age.ts";
import { type Button, say } from "../slack/blocks.ts";
import {
  CANCEL_OPERATION,
  CONTINUE_DRAIN,
  CONTINUE_REBOOT,
  CONTINUE_REMOVAL,
  REBOOT_WITH_PODS,
} from "../slack/buttons.ts";
import { code } from "../slack/text.ts";

/** Button by workflow: whoever continues needs the right to the command that drains. */
const continues: Readonly<Partial<Record<NodeWorkflow, string>>> = {
  reboot: CONTINUE_REBOOT,
  remove: CONTINUE_REMOVAL,
};

/**
 * May the reboot of a node end the pods that its drain waits for? Their containers did not end within their grace, which
 * a boot ends.
 */
const mayRebootWithPods = (node: NodeRecord): boolean =>
  asksToContinue(node) && node.workflow === "reboot" && node.failure?.code === "pod-stuck";

const rebootWithPods = (node: NodeRecord): Button => ({
  actionId: REBOOT_WITH_PODS,
  value: workOwner(node),
  text: "Reboot with these pods",
  style: "danger",
  confirm: {
    title: "Reboot with these pods?",
    text: "Their containers did not end within their grace, and the reboot ends them. What they have not written to their volumes is lost.",
    confirm: "Reboot",
    deny: "Wait",
  },
});

/** Does the drain wait for a budget that only its owner can satisfy? Evicting on changes nothing then. */
const isBlocked = (failure: Pick<Failure, "code"> | null): boolean => failure?.code === "budget-allows-none";

/** A drain's failure, as far as its question depends on it. */
type Late = Pick<Failure, "code" | "hasStuckPods">;

/** End of a drain that no one decides about. A node whose pods do not end would get new ones. */
const undecided = ({ code: cause, hasStuckPods }: Late): "stays cordoned" | "is given back" =>
  cause === "pod-stuck" || hasStuckPods ? "stays cordoned" : "is given back";

/** Button that continues the drain, by what it waits for. */
const goOn = (failure: Pick<Failure, "code"> | null): string =>
  isBlocked(failure) ? "Check the budget again" : "Continue";

/** Buttons under a drain that has passed its deadline: the first is the one that can help. */
export function continueButtons(node: NodeRecord): Button[] {
  const more = { actionId: (node.workflow && continues[node.workflow]) ?? CONTINUE_DRAIN, value: workOwner(node) };
  const back: Button = { actionId: CANCEL_OPERATION, value: node.operation, text: "Give the node back" };
  const text = goOn(node.failure);
  if (isBlocked(node.failure))
    return [
      { ...back, style: "primary" },
      { ...more, text },
    ];
  return [...(mayRebootWithPods(node) ? [rebootWithPods(node)] : []), { ...more, text, style: "primary" }, back];
}

const at = (decideBy: string | null, now: string): string =>
  decideBy ? ` at ${localTime(decideBy)} (in ${between(now, decideBy)})` : "";

/** Next step under a drain that has passed its deadline. @param now ISO 8601 */
export function continueNext(node: NodeRecord, now: string): string {
  const { decideBy, failure } = node;
  const end = `Without a decision it ${undecided(failure ?? {})}${at(decideBy, now)}.`;
  if (isBlocked(failure)) return `give the node back, or press ${goOn(failure)} after a change. ${end}`;
  const first = mayRebootWithPods(node) ? "press Reboot with these pods if the reboot may end them, " : "press ";
  return `${first}Continue to list the pods again and drain until a new deadline, or give the node back. ${end}`;
}

/** State in which a drain leaves its node while it asks, as a clause. */
export const stillCordoned = "the node stays cordoned, and evicted pods stay where they are";

/** Note on a drain that continues after its deadline; the thread mentions no person in notes. @param until ISO 8601: the next deadline */
export const drainContinues = (until: string): string =>
  `Continue was pressed: the pods are listed again and evicted until ${utc(until)}`;

/** Summary of an operation whose reboot no longer waits for pods that do not end. */
export const rebootsWithPodsBy = (userId: string): string =>
  `<@${userId}> pressed Reboot with these pods: the drain no longer waits for pods whose containers do not end.`;

/** Private answer to who pressed Reboot with these pods. */
export const withPodsHeard = (node: string): Message =>
  say(`Rebooting ${code(node)} without waiting for pods whose containers do not end.`);

/** Summary of an operation whose drain continues after its deadline. @param until ISO 8601: the next deadline */
export const continuedBy = (userId: string, until: string): string =>
  `<@${userId}> pressed Continue: pods are evicted until ${utc(until)}.`;

/** Private answer to who pressed Continue: the message shows it a moment later. */
export const continueHeard = (node: string): Message => say(`Continuing to drain ${code(node)}.`);

/** Event on the Node of a drain that has passed its deadline. */
export const lateEvent = (operation: string): string =>
  `${operation} has not drained the node by its deadline and needs a decision`;

/**
 * Calls people to a drain that has passed its deadline.
 * @param late the report of what holds it up, and its code
 * @param until ISO 8601
 */
export const continueNotice = (
  operation: string,
  node: string,
  late: Late & Pick<Failure, "why">,
  until: string,
): Notice => ({
  kind: "decision",
  operation,
  message: line(
    `${operation}: ${node} was not drained by its deadline. Press ${goOn(late)} in Slack to keep draining; without a decision it ${undecided(late)} at ${utc(until)}. See docs/runbook.md#stage-eviction. Cause: ${late.why}`,
  ),
  until,
});

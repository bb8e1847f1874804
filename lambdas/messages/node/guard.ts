import type { Message, NodeRecord } from "../../records/records.ts";
import { typeThis } from "../command/syntax.ts";
import type { NodePlan } from "../plan/plan.ts";
import { context, section, sections } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { code, counted, plain, sentence, some } from "../slack/text.ts";
import { nodeIsGone } from "./cordon.ts";

/** State in which a failed installation of the guard leaves a machine, as a clause. */
export const guardLeaves = {
  untouched: "nothing on the machine was changed",
  perhaps: "its guard may be installed in part; nothing else on the machine was changed",
} as const;

/** Outcome of a machine whose Node was deleted while the guard was installed on it. */
export const guardedWithoutNode = `guarded, but ${nodeIsGone}`;

/** Reason why a machine was not changed: its operation was cancelled first. */
export const calledOffBefore = "the operation was cancelled before this machine was changed";

/** Reasons why a command on a machine is cancelled. */
export const calledOff = {
  cancelled: "the operation was cancelled",
  late: "it did not end in time",
} as const;

/** Reason why a machine cannot be given the guard: no command reaches it. */
export const agentSilentForGuard = (node: string): string =>
  `${code(node)} cannot be given a guard of the metadata route: its SSM agent does not respond, usually because the route is lost. Next: ${typeThis("reboot", node, "--ec2")} reboots it through EC2, once a person approved it; an installed guard runs at start-up.`;

/** Reason why a plan does not show the guard's state. */
export const guardAgentSilent = "the SSM agent of the machine does not answer";

/**
 * Shows the guard's state in a plan, since a reboot is refused without a working guard. No blocks where it was not
 * checked.
 */
export function guardBlocks({ guard, node }: NodePlan): ReturnType<typeof section>[] {
  if (!guard) return [];
  const unfit =
    guard.unfit === undefined
      ? []
      : [section(`${sign.blocked} ${sentence(guard.unfit)} A reboot is refused until that is corrected.`)];
  if (guard.state === "in order")
    return [section(`${sign.done} The guard of the metadata route is in order.`), ...unfit];
  const words =
    guard.state === "fault"
      ? `${sign.blocked} ${sentence(guard.what)} A reboot is refused until it is installed: ${typeThis("guard", node)}.`
      : `${sign.unknown} The guard of the metadata route could not be checked: ${plain(guard.why, 200)}. A reboot checks it again before it begins.`;
  return [section(words), ...unfit];
}

/** Counts the nodes of an operation by outcome, for message and ledger. */
export function guardSummary(nodes: readonly Pick<NodeRecord, "status" | "outcome">[]): string {
  const count = (status: NodeRecord["status"]): number => nodes.filter((node) => node.status === status).length;
  const [well, failed, cancelled] = [count("succeeded"), count("failed"), count("cancelled")];
  const parts = [
    ...(well > 0 ? [`The guard of the metadata route works on ${counted(well, "node")}`] : []),
    ...(failed > 0 ? [`${counted(failed, "node")} failed`] : []),
    ...(cancelled > 0 ? [`${counted(cancelled, "node")} not touched, because the operation was cancelled`] : []),
  ];
  const gone = nodes.filter(({ outcome }) => outcome === guardedWithoutNode).length;
  const without = `${counted(gone, "Node")} of these no longer ${gone === 1 ? "exists" : "exist"}: restart the kubelet or the machine, and it registers again.`;
  return `${parts.join(", ")}.${gone > 0 ? ` ${without}` : ""}`;
}

/** A node as the dry run shows it. */
interface ShownTarget {
  readonly name: string;
  readonly refusal: string | null;
}

/** Most nodes named in a dry run. */
const MOST_NAMED = 20;

/** The dry run: the machines that would get the guard, and those that would not, with the reasons. */
export function guardDryRun(targets: readonly ShownTarget[]): Message {
  const names = targets.filter(({ refusal }) => refusal === null).map(({ name }) => name);
  const refused = targets.flatMap(({ refusal }) => (refusal === null ? [] : [`• ${refusal}`]));
  return {
    text: `Dry run: guard ${counted(names.length, "node")}`,
    blocks: [
      section(
        `*Dry run: nothing was changed.* The guard of the metadata route would be installed and checked on ${some(names.map(code), MOST_NAMED)}. No service is restarted and no pod is moved.`,
      ),
      ...sections(refused),
      context(`To apply: ${typeThis("guard", ...names.slice(0, 1))}`),
    ],
  };
}

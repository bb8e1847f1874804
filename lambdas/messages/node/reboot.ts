import type { Fault } from "../../health/checks.ts";
import type { PlanCard } from "../../records/approval.ts";
import type { Message } from "../../records/records.ts";
import { typeThis } from "../command/syntax.ts";
import { checkNames, troubleWords } from "../health/trouble.ts";
import type { GuardSeen, NodePlan } from "../plan/plan.ts";
import { isHopelessPlan, planBlocks } from "../plan/plan-card.ts";
import { between } from "../slack/age.ts";
import { context, section } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { code, plain } from "../slack/text.ts";
import { guardBlocks } from "./guard.ts";

/** Sums up a reboot that was proven. @param left state of the node now, as a clause */
export const rebootedSummary = (node: string, left: string): string =>
  `${node} was rebooted and works: boot, routes, services, container network and kubelet are checked; ${left}.`;

/** Sums up a reboot whose Node or instance was gone before it began. */
export const goneBeforeReboot = (node: string): string => `${node} no longer exists: nothing was rebooted.`;

/** Sums up a reboot that did not happen, or was not proven. @param left the node's state, as a clause */
export const notRebootedSummary = {
  cancelled: (left: string): string => `Cancelled before the reboot: ${left}.`,
  failed: (left: string): string => `The node was not rebooted: ${left}.`,
  unproven: (left: string): string => `The reboot is not proven: ${left}.`,
} as const;

/** Beginning of the reason why a machine was not rebooted, whose guard was not in order right before. */
export const notRebooted = "not rebooted:";

/** State of a node that was proven without a reboot, for its line. */
export const provenOutcome = "proven";

/** Sums up a proof without a reboot. @param left what became of the cordon of an earlier reboot, as a clause; null without one */
export const provenSummary = (node: string, left: string | null): string =>
  `${node} works: it passed every check of the proof; ${left ?? "no reboot had left it cordoned, so nothing was changed"}.`;

/** Sums up a proof that failed. @param left the node's state, as a clause */
export const notProvenSummary = (left: string): string => `Not proven: ${left}.`;

/** Reason not to reboot: the machine's guard is another than the release's. */
export const guardIsOld = "the guard of the metadata route on the machine is not the one of this release";

/** Reason why a reboot cannot begin, with the next step. */
export const guardNotReady = (fault: string): string =>
  `${fault}. Without a working guard the machine may lose its metadata route in the reboot, and no command would reach it again`;

/** Reason why a reboot cannot begin: a script on the machine would refuse the order. */
export const machineNotReady = (fault: string): string =>
  `${fault}. The script on the machine would refuse the reboot after its pods were evicted`;

/**
 * Explains why a reboot is refused before it is approved; null where it is not. A guard that an execution of the last release
 * has seen refuses none: people may have been asked.
 */
export function rebootRefused(node: string, guard: GuardSeen): string | null {
  const refused = (fault: string, next: string): string =>
    `${code(node)} cannot be rebooted: ${plain(fault, 300)}. Next: ${next}.`;
  if (guard.unfit !== undefined)
    return refused(
      guard.unfit,
      `correct that on the machine, or reboot it through EC2, which runs no script on it: ${typeThis("reboot", node, "--ec2")}`,
    );
  return guard.state === "fault" && guard.refuses
    ? refused(guard.what, `install the guard, then reboot: ${typeThis("guard", node)}`)
    : null;
}

/** Reason why a reboot cannot begin: whether it would survive is not known, and a person has not agreed to EC2's reboot. */
export const guardNotAsked = "the machine's SSM agent does not answer, so that its guard cannot be checked";

/** Note on a guard that could not be checked before EC2's reboot. */
export const guardUnchecked =
  "The guard of the metadata route could not be checked, because the machine takes no command. One that is installed runs at start-up.";

/** Wait for a machine that EC2 was asked to reboot. */
export const machineToBoot = "the machine to boot: its kubelet or its SSM agent reports then";

/** Note on a machine that a person had EC2 reboot, because it did not come back. */
export const ec2Rebooted = "EC2 was asked to reboot the machine, because it had not come back.";

/** Note on a machine that EC2 did not reboot although a person asked for it. @param why in EC2's words */
export const ec2RefusedReboot = (why: string): string =>
  `EC2 refused to reboot the machine: ${plain(why, 300)}. Casement still waits for it to come back; *Reboot through EC2…* asks EC2 again.`;

/** Wait for a service that ended and was started again between two observations of a proof. */
export const restartedInProof = (service: string): string =>
  `Windows services: The Windows service '${service}' has restarted since the last check; it is not staying up`;

/** Wait for the report of an agent whose machine may have booted a moment ago. */
export const agentToReport = "the SSM agent to report: its machine may have booted a moment ago";

/** Wait for the machine's own answers after its reboot or restart. */
export const machineToAnswer = "the machine to answer the questions of the proof";

/**
 * Reason why a node cannot be proven: no command reaches its machine.
 * @param since ISO 8601: last report of its agent; null without one
 * @param now ISO 8601
 */
export const silentInProof = (since: string | null, now: string): string =>
  since === null
    ? "the machine's SSM agent does not report, so nothing on the machine can be checked"
    : `the machine's SSM agent has not reported for ${between(since, now)}, so nothing on the machine can be checked; after a reboot it reports within minutes`;

/** Note on a service that keeps ending during the proof. @param why the failed check */
export const keepsEnding = (why: string): string => `${why}. The proof goes on until its deadline.`;

/** Wait between two observations of a node that is well. */
export const nodeToStayWell = "the node to stay well for a minute";

/** Wait for the end of the soak. */
export const nodeToSoak = "the end of its pool's soakSeconds";

/** Reasons why a node that was proven is not given back: what happened to it while it was watched. */
export const goneInSoak = "while it was watched after its proof, the Node was deleted by someone else";
export const bootInSoak = "while it was watched after its proof, the machine booted again";
export const notReadyInSoak = "while it was watched after its proof, the node was not Ready";

/** Reason why a node is not proven: its Node was deleted by others meanwhile. */
export const deletedInProof = "the Node was deleted by someone else";

/** Reason why a reboot is not proven: its Node was deleted by others, and the kubelet registered the machine anew. */
export const registeredAnew =
  "the Node was deleted by someone else, and the machine has registered as a new Node, which keeps its start-up taint";

/** Reason why a reboot is not proven yet: the first check that is wrong. */
export const notProvenYet = ({ name, trouble }: Fault, node: string, now: string): string =>
  `${checkNames[name]}: ${troubleWords(trouble, { node, now }).says.replace(/\.$/, "")}`;

/** Note on a data plane that could not be tried. */
export const notProbed = (why: string): string => `The data plane was not probed: ${plain(why, 200)}.`;

/** Reason why a reboot is not proven yet: a check lacks a fact. */
export const notKnownYet = (name: Fault["name"], why: string): string => `${checkNames[name]}: ${plain(why, 200)}`;

/** Time that a reboot takes after its drain; on the simulated machine the reboot and its proof take eight minutes. */
const restOfReboot =
  "The reboot and its proof come on top: about 10 minutes, or up to two hours when Windows installs updates.";

const whyThroughEc2 = {
  asked: "as requested",
  silent: "because its SSM agent does not answer",
} as const;

/** Way of a reboot that goes through EC2, and what that means. */
const wayOf = ({ throughEc2 }: NodePlan): ReturnType<typeof section>[] =>
  throughEc2
    ? [
        section(
          `${sign.warning} The machine is rebooted *through EC2*, ${whyThroughEc2[throughEc2]}: EC2 asks Windows to restart, and resets the machine like a power failure if it has not reacted within four minutes. The guard of the metadata route may not be checked before; one that is installed runs at start-up.`,
        ),
      ]
    : [];

/** The plan of a reboot, for the message that asks for its approval. */
export const rebootPlanCard = (plan: NodePlan): PlanCard => ({
  ...(isHopelessPlan(plan) ? { isHopeless: true } : {}),
  blocks: [
    section(
      `*Plan*: ${code(plan.node)} is drained and rebooted. It takes pods again when the reboot is proven, unless it was cordoned before.`,
    ),
    ...wayOf(plan),
    ...guardBlocks(plan),
    ...planBlocks(plan),
    context(restOfReboot),
  ],
});

/** Is a reboot refused for the machine's state? `guardBlocks` names the fault and the next step. */
const isRefusedBy = ({ state, unfit }: GuardSeen): boolean => state === "fault" || unfit !== undefined;

/** The dry run of a reboot: its plan, which only the requester sees. */
export const rebootDryRun = (plan: NodePlan, typed: string): Message => ({
  text: `Dry run: reboot ${plan.node}`,
  blocks: [
    section(`*Dry run: nothing was changed.* Plan to drain and reboot ${code(plan.node)}:`),
    ...wayOf(plan),
    ...guardBlocks(plan),
    ...planBlocks(plan),
    context(restOfReboot),
    ...(plan.guard && isRefusedBy(plan.guard) ? [] : [context(`To apply: ${typed}`)]),
  ],
});

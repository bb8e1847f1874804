import { typeThis } from "../../messages/command/syntax.ts";
import type { RestartPlan } from "../../messages/plan/plan.ts";
import { surroundings } from "../../messages/plan/plan-card.ts";
import { context, section, sections } from "../../messages/slack/blocks.ts";
import { code, plain } from "../../messages/slack/text.ts";
import type { PlanCard } from "../../records/approval.ts";
import type { Block, Message } from "../../records/records.ts";

/** Sums up a restart that was proven. @param left state of the node now, as a clause */
export const restartedSummary = (node: string, left: string): string =>
  `The services of ${node} were restarted and work: services, routes, container network and kubelet are checked, and its pods kept running; ${left}.`;

/** Sums up a restart whose Node was gone before it began. */
export const goneBeforeRestart = (node: string): string => `${node} no longer exists: nothing was restarted.`;

/** Sums up a restart that did not happen, or was not proven. @param left the node's state, as a clause */
export const notRestartedSummary = {
  cancelled: (left: string): string => `Cancelled before the restart: ${left}.`,
  failed: (left: string): string => `No service was restarted: ${left}.`,
  unproven: (left: string): string => `The restart is not proven: ${left}.`,
} as const;

/** Reason why a restart cannot begin: the machine takes no command. */
export const agentToRestart = "the machine's SSM agent does not answer, so that no service can be restarted";

/** Reason why a restart is not proven: a service runs as before. */
export const notRestartedYet = (service: string): string =>
  `Windows services: The Windows service '${service}' was not restarted; it still runs in the process from before`;

/** Wait for the pod that must still work after the restart. */
export const witnessToStart = "a pod to start on the node that must still work after the restart";

/** Note on a pod from before the restart that could not be tried after it. */
export const notTried = (why: string): string =>
  `No pod from before the restart was tried after it: ${plain(why, 200)}.`;

/** Reason why a restart is not proven: a pod from before the restart does not work. @param words the fault */
export const ofWitness = (words: string): string => `${words} (a pod that was started before the restart)`;

/** Effect of a restart on the pods of a node. */
export const podsGoOn = "No pod is evicted; pods go on running.";

const does = ({ services, node }: RestartPlan): string =>
  `${services.map(code).join(", ")} of ${code(node)} are restarted. ${podsGoOn}`;

/** Time of a restart with its proof; on the simulated machine it takes four minutes. */
const meanwhile =
  "Expected time: about 5 minutes. Meanwhile no pod starts or stops on the node, and logs and exec of its pods fail.";

const restartBlocks = (plan: RestartPlan): Block[] => [...sections(surroundings(plan)), context(meanwhile)];

/** The plan of a restart, for the message that asks for its approval. */
export const restartPlanCard = (plan: RestartPlan): PlanCard => ({
  ...(plan.waitsForSlot ? { isHopeless: true } : {}),
  blocks: [
    section(
      `*Plan*: ${does(plan)} The node takes new pods again when the restart is proven, unless it was cordoned before.`,
    ),
    ...restartBlocks(plan),
  ],
});

/** The dry run of a restart: its plan, which only the requester sees. */
export const restartDryRun = (plan: RestartPlan): Message => ({
  text: `Dry run: restart services of ${plan.node}`,
  blocks: [
    section(`*Dry run: nothing was changed.* Plan: ${does(plan)}`),
    ...restartBlocks(plan),
    context(`To apply: ${typeThis("restart", plan.node)}`),
  ],
});

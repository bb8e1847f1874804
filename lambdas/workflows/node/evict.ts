import { type HeldUp, podsCameBack, podsHeldUp, podsToLeave } from "../../messages/remove/failures.ts";
import { podsToEvict } from "../../steps/cluster/evictions.ts";
import { hasEnded } from "../../steps/ec2/instances.ts";
import { done, type Poll, pending, StageFailed } from "../engine/durable.ts";
import { leaseOf, type NodeTask, nodeOf, once, waitFor } from "./task.ts";

/**
 * Evicts every pod that an emptied node must not hold, within the stage's deadline. Each poll asks again for the pods
 * that are still there.
 * @throws DeadlineExceeded that names the pods and what holds them up; StageFailed if pods came back; Cancelled
 */
export async function evictPods(task: NodeTask): Promise<void> {
  await waitFor(task, "the pods have left", () => evictOnce(task));
  await once(task, "the pods have left for good", async () => {
    if (await isMachineGone(task)) return;
    const rest = podsToEvict(await task.steps.nodes.podsOn(nodeOf(task).name));
    if (rest.length > 0) throw new StageFailed(podsCameBack(rest.map(nameOf)));
  });
}

const nameOf = ({ metadata }: { metadata?: { namespace?: string; name?: string } }): string =>
  `${metadata?.namespace}/${metadata?.name}`;

/** Waiting saves nothing of an instance that has ended; the cluster cleans up its pods. */
async function isMachineGone(task: NodeTask): Promise<boolean> {
  const machine = await task.steps.instances.describe(leaseOf(task).instanceId);
  return machine !== undefined && hasEnded(machine);
}

async function evictOnce(task: NodeTask): Promise<Poll<true>> {
  const pods = podsToEvict(await task.steps.nodes.podsOn(nodeOf(task).name));
  if (pods.length === 0 || (await isMachineGone(task))) return done(true);
  const asked = await task.steps.evictions.evictAll(leaseOf(task), pods, task.wait.until);
  const heldUp = asked.flatMap(({ pod, answer }): HeldUp[] =>
    "why" in answer ? [{ name: nameOf(pod), by: answer.state, why: answer.why }] : [],
  );
  return pending(heldUp.length > 0 ? podsHeldUp(heldUp) : podsToLeave(pods.map(nameOf)));
}

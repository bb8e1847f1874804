import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../../commands/command.ts";
import { Refused } from "../../errors.ts";
import { type HeldUp, podsCameBack, podsHeldUp, podsToLeave } from "../../messages/remove/failures.ts";
import { removalRefusal } from "../../messages/remove/refusal.ts";
import { type NodeRecord, newNodeRecord } from "../../records.ts";
import { podsToEvict } from "../../steps/cluster/evictions.ts";
import { hasEnded } from "../../steps/ec2/instances.ts";
import type { Lease } from "../../steps/ledger/leases.ts";
import type { Steps } from "../../steps/steps.ts";
import { done, type Poll, pending, StageFailed, step } from "../engine/durable.ts";
import type { Begun } from "../operation/lifecycle.ts";
import { type Published, postFirst } from "../operation/publisher.ts";
import { checkAsker } from "../operation/requester.ts";
import { type Chosen, choose } from "./choose.ts";
import { finishRemoved, rollBack } from "./endings.ts";
import { enter, INDEX, type Removal, waitFor } from "./removal.ts";

/** Cordon, evict, terminate, delete: in this order, each told in the message; what fails before the end is put back. */
export async function drainAndTerminate(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  begun: Begun,
  asked: Chosen,
): Promise<void> {
  const { lease, chosen } = await step(ctx, "take the lease", () => takeLease(steps, start, begun, asked));
  try {
    const published = await step(ctx, "post the message", () => begin(steps, start, begun, chosen));
    const world = { ctx, steps, start, begun, chosen, lease };
    await remove({ ...world, published, stage: "cordon", isTouched: false, isBeyondReturn: false });
  } finally {
    await step(ctx, "release the lease", () => steps.leases.release(lease));
  }
}

async function remove(removal: Removal): Promise<void> {
  const { steps, chosen } = removal;
  try {
    await enter(removal, "cordon", () => steps.nodes.setUnschedulable(chosen.name, true));
    await evict(removal);
    await terminate(removal);
    await enter(removal, "delete", () => steps.nodes.remove(chosen.name, chosen.uid));
  } catch (error) {
    return rollBack(removal, error);
  }
  await finishRemoved(removal);
}

/** World and asker are judged again after the answer: minutes have passed. From here on the later judgement counts. */
async function takeLease(
  steps: Steps,
  start: Start,
  begun: Begun,
  before: Chosen,
): Promise<{ lease: Lease; chosen: Chosen }> {
  await checkAsker(steps, start, await steps.runtime.rules());
  const chosen = await choose(steps, start, begun, before.name);
  if (chosen.refusal) {
    const { why, next } = removalRefusal(chosen.refusal, begun.commandWord);
    throw new Refused(`${why}. Next: ${next}.`);
  }
  if (chosen.uid !== before.uid) throw new Refused("the Node was deleted and made again since you were asked");
  return { lease: await steps.leases.take(chosen.facts.instanceId, `${start.operation}:${INDEX}`), chosen };
}

async function begin(steps: Steps, start: Start, begun: Begun, { name, facts }: Chosen): Promise<Published> {
  const record: NodeRecord = {
    ...newNodeRecord(start.operation, INDEX, steps.timestamp()),
    status: "running",
    stage: "cordon",
    instanceId: facts.instanceId,
    nodeName: name,
  };
  await steps.ledger.beginNode(record);
  await steps.ledger.changeOperation(start.operation, { status: "running", callbacks: {} });
  return postFirst(steps, start.operation, null, begun.commandWord);
}

/** One deadline for all evictions together; each look asks again for what is still there. */
async function evict(removal: Removal): Promise<void> {
  const { ctx, steps, chosen } = removal;
  await enter(removal, "evict", async () => undefined);
  await waitFor(removal, "evict", "the pods have left", (deadline) => evictOnce(removal, deadline));
  await step(ctx, "the pods have left for good", async () => {
    if (await isGone(removal)) return;
    const rest = podsToEvict(await steps.nodes.podsOn(chosen.name));
    if (rest.length > 0) throw new StageFailed(podsCameBack(rest.map(nameOf)));
  });
}

const nameOf = ({ metadata }: { metadata?: { namespace?: string; name?: string } }): string =>
  `${metadata?.namespace}/${metadata?.name}`;

/** Nothing of an instance that has ended can be saved by waiting; its pods are the cluster's to clean up. */
async function isGone({ steps, lease }: Removal): Promise<boolean> {
  const machine = await steps.instances.describe(lease.instanceId);
  return machine !== undefined && hasEnded(machine);
}

async function evictOnce(removal: Removal, deadline: number): Promise<Poll<true>> {
  const { steps, chosen, lease } = removal;
  const pods = podsToEvict(await steps.nodes.podsOn(chosen.name));
  if (pods.length === 0 || (await isGone(removal))) return done(true);
  const asked = await steps.evictions.evictAll(lease, pods, deadline);
  const heldUp = asked.flatMap(({ pod, answer }): HeldUp[] =>
    "why" in answer ? [{ name: nameOf(pod), by: answer.state, why: answer.why }] : [],
  );
  return pending(heldUp.length > 0 ? podsHeldUp(heldUp) : podsToLeave(pods.map(nameOf)));
}

async function terminate(removal: Removal): Promise<void> {
  const { steps, lease } = removal;
  await enter(removal, "terminate", () => steps.instances.terminate(lease));
  removal.isBeyondReturn = true;
  await waitFor(removal, "terminate", "the instance is terminated", async () => {
    const machine = await steps.instances.describe(lease.instanceId);
    return !machine || machine.state === "terminated" ? done(true) : pending(`EC2 to terminate ${lease.instanceId}`);
  });
}

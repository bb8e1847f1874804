import { isDeepStrictEqual } from "node:util";
import { done, type Poll, pending } from "../../engine/durable.ts";
import { Retryable } from "../../errors.ts";
import { type SlotHolder, slotTaken } from "../../messages/node/slot.ts";
import { workOf } from "../../records/node-work.ts";
import { asksToContinue } from "../../records/records.ts";
import { hasEnded } from "../../steps/ec2/instances.ts";
import { mostAway, type PoolView, poolNodes } from "../../steps/ledger/slot-rules.ts";
import { poolOf } from "../../tags.ts";
import { leaseOf, type NodeTask, nodeOf, waitFor } from "../node/task.ts";
import { workRecord } from "../operation/work-record.ts";

/** Slots of nodes without a pool, and of a pool that the configuration no longer names. */
const ONE = 1;

/** Waits within the stage's deadline until one more node of the pool may be out of service. */
export const takeSlot = (task: NodeTask): Promise<true> => waitFor(task, "a slot is free", () => askForSlot(task));

/** Releases the slot; a second call does nothing. Belongs into a step. */
export const releaseSlot = async ({ steps, owner }: NodeTask): Promise<void> => {
  await steps.slots.release(owner);
};

async function askForSlot(task: NodeTask): Promise<Poll<true>> {
  const { steps, owner, ctx } = task;
  const { name: node, uid } = nodeOf(task);
  const machine = await steps.instances.describe(leaseOf(task).instanceId);
  // An instance that has ended is out of service already and needs no slot.
  if (!machine || hasEnded(machine)) return done(true);
  const pool = poolOf(machine);
  const asking = { owner, execution: ctx.executionContext.durableExecutionArn, uid, node };
  const answer = await steps.slots.take(pool, asking, () => viewPool(task, pool));
  if (answer.granted) return done(true);
  await noteTakers(
    task,
    answer.away.map(({ node }) => node),
  );
  const holders = await Promise.all(answer.holders.map((entry) => holderOf(task, entry)));
  return pending(slotTaken(pool, { ...answer, holders }), { code: "slot-taken" });
}

/** Keeps in the record who takes the slots and how long it waits, so that the schedule can call people to them. */
async function noteTakers(task: NodeTask, slotTakenBy: readonly string[]): Promise<void> {
  const { steps, operation, index, wait, windowEnds } = task;
  const slotUntil = new Date(Math.min(wait.until, windowEnds ?? wait.until)).toISOString();
  const known = await workRecord(steps, task);
  if (isDeepStrictEqual(known?.slotTakenBy ?? [], slotTakenBy) && known?.slotUntil === slotUntil) return;
  await steps.ledger.changeNode(operation, index, { slotTakenBy, slotUntil });
}

/** Describes the work that holds a slot, and whether it waits for a person. */
async function holderOf(
  { steps }: NodeTask,
  { owner, node, since }: { readonly owner: string; readonly node: string; readonly since: string },
): Promise<SlotHolder> {
  const work = workOf(owner);
  const { operation } = work;
  const record = await workRecord(steps, work);
  return { operation, node, since, asksUntil: record && asksToContinue(record) ? record.decideBy : null };
}

/**
 * Reads the pool by the newest configuration, so that all waiting operations use the same limit. A rollout may have more
 * unavailable nodes if the person who resumed it chose so.
 * @throws Retryable if the cluster lists no node
 */
async function viewPool({ steps, operation }: NodeTask, pool: string | null): Promise<PoolView> {
  const { configuration } = await steps.runtime.read(null);
  const [nodes, machines] = await Promise.all([steps.nodes.all(), steps.instances.ofCluster(configuration.cluster.id)]);
  if (nodes.length === 0) throw new Retryable("the API server lists no nodes");
  const { maxUnavailable = ONE } = configuration.pools[pool ?? ""] ?? {};
  const members = poolNodes(nodes, machines, pool);
  const { unavailable = 0 } = (await steps.rollouts.read(operation)) ?? {};
  return { nodes: members, maxUnavailable: Math.max(mostAway(maxUnavailable, members.length), unavailable) };
}

import { done, type Poll, pending } from "../../engine/durable.ts";
import { Retryable } from "../../errors.ts";
import { type SlotHolder, slotTaken } from "../../messages/node/slot.ts";
import { workOf } from "../../records/node-work.ts";
import { asksToContinue } from "../../records/records.ts";
import { hasEnded } from "../../steps/ec2/instances.ts";
import { type PoolView, poolNodes } from "../../steps/ledger/slot-rules.ts";
import { TAG } from "../../tags.ts";
import { leaseOf, type NodeTask, nodeOf, waitFor } from "../node/task.ts";

/** A pool that the configuration does not name any more, and the nodes of no pool. */
const ONE = 1;

/** Waits within the stage's deadline until one more node of the pool may be away. */
export const takeSlot = (task: NodeTask): Promise<true> => waitFor(task, "a slot is free", () => askForSlot(task));

/** Gives the slot back; doing it twice does nothing. Belongs into a step. */
export const releaseSlot = async ({ steps, owner }: NodeTask): Promise<void> => {
  await steps.slots.release(owner);
};

async function askForSlot(task: NodeTask): Promise<Poll<true>> {
  const { steps, owner, ctx } = task;
  const { name: node, uid } = nodeOf(task);
  const machine = await steps.instances.describe(leaseOf(task).instanceId);
  // Nothing is in service on an instance that has ended.
  if (!machine || hasEnded(machine)) return done(true);
  const pool = machine.tags[TAG.pool] ?? null;
  const asking = { owner, execution: ctx.executionContext.durableExecutionArn, uid, node };
  const answer = await steps.slots.take(pool, asking, () => lookAtPool(task, pool));
  if (answer.granted) return done(true);
  const holders = await Promise.all(answer.holders.map((entry) => holderOf(task, entry)));
  return pending(slotTaken(pool, { ...answer, holders }), { code: "slot-taken" });
}

/** The work behind a slot, and whether it waits for a person. */
async function holderOf(
  { steps }: NodeTask,
  { owner, node, since }: { readonly owner: string; readonly node: string; readonly since: string },
): Promise<SlotHolder> {
  const { operation, index } = workOf(owner);
  const record = (await steps.ledger.nodes(operation)).find((one) => one.index === index);
  return { operation, node, since, asksUntil: record && asksToContinue(record) ? record.decideBy : null };
}

/** The newest configuration counts, so that all who wait go by one number. @throws Retryable if the cluster lists no node */
async function lookAtPool({ steps }: NodeTask, pool: string | null): Promise<PoolView> {
  const { configuration } = await steps.runtime.read(null);
  const [nodes, machines] = await Promise.all([steps.nodes.all(), steps.instances.ofCluster(configuration.cluster.id)]);
  if (nodes.length === 0) throw new Retryable("the API server lists no nodes");
  const { maxUnavailable = ONE } = configuration.pools[pool ?? ""] ?? {};
  return { nodes: poolNodes(nodes, machines, pool), maxUnavailable };
}

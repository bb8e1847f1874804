import { notProbed } from "../../messages/node/reboot.ts";
import { type NodeTask, once, record } from "./task.ts";

/** Most notes of one node: each is a message in the thread. */
const MOST_NOTES = 20;

/**
 * Adds notes to the node's record, which the thread shows; notes that another node of the operation has are skipped.
 * Belongs into a step or a poll.
 * @param most notes that the node may have in total
 * @returns the notes that are new
 */
export async function addNotes(
  task: NodeTask,
  notes: readonly string[],
  most = MOST_NOTES,
): Promise<readonly string[]> {
  const nodes = await task.steps.ledger.nodes(task.operation);
  const known = nodes.find(({ index }) => index === task.index)?.notes ?? [];
  // A note over the limit is not returned as new: it would be new at every poll, and each poll would mention people.
  const fresh = notes
    .filter((one) => !nodes.some((node) => node.notes.includes(one)))
    .slice(0, Math.max(0, most - known.length));
  if (fresh.length > 0) await record(task, { notes: [...known, ...fresh] });
  return fresh;
}

/** Notes that the data plane of a node was not probed, so that the node is not judged by it. */
export const noteUnprobed = (task: NodeTask, why: string): Promise<void> =>
  once(task, "the data plane was not probed", async () => void (await addNotes(task, [notProbed(why)])));

import { type NodeTask, record } from "./task.ts";

/** Notes of one node: each is a message in the thread. */
const MOST_NOTES = 20;

/**
 * Adds notes to the node's record, and so to the thread; those that a node of the operation has already are left out.
 * Belongs into a step or a poll.
 * @param most notes that the node may have in all
 * @returns the notes that are new
 */
export async function addNotes(
  task: NodeTask,
  notes: readonly string[],
  most = MOST_NOTES,
): Promise<readonly string[]> {
  const nodes = await task.steps.ledger.nodes(task.operation);
  const known = nodes.find(({ index }) => index === task.index)?.notes ?? [];
  // A note that does not fit is not new either: it would be new again at each poll, and people would be called each time.
  const fresh = notes
    .filter((one) => !nodes.some((node) => node.notes.includes(one)))
    .slice(0, Math.max(0, most - known.length));
  if (fresh.length > 0) await record(task, { notes: [...known, ...fresh] });
  return fresh;
}

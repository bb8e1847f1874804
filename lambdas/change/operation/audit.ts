import type { Act, AuditedNode, Chain } from "../../audit/entry.ts";
import type { Steps } from "../../steps/steps.ts";

/** The fields of work on one node that its audit entries need. */
export interface AuditedTask {
  readonly steps: Steps;
  readonly operation: string;
  readonly index: number;
  readonly node: { readonly name: string; readonly uid: string } | null;
  readonly lease: { readonly instanceId: string } | null;
  /** Null if another execution publishes the operation's message. */
  readonly published: object | null;
}

/**
 * Finds the chain that a node's execution writes: the operation's own if it publishes the operation's message, else one
 * of the node, because two executions never append to one chain.
 */
const chainOf = ({ operation, index, published }: AuditedTask): Chain =>
  published === null ? { operation, index } : { operation };

/** The node that a task works on, as far as it is known. */
const nodeOf = ({ node, lease }: AuditedTask): AuditedNode => ({
  ...(node ?? {}),
  ...(lease ? { instanceId: lease.instanceId } : {}),
});

/** Makes the mark of an entry unique for a node that was restored and is begun again. */
const markOf = ({ index, published }: AuditedTask, mark: string): string =>
  published !== null && index > 0 ? `${mark}, try ${index + 1}` : mark;

/**
 * Appends an act on a task's node. Belongs into the step or the poll that does the act, after it was done.
 * @param mark unique within the chain, and the same if the step is repeated
 */
export async function auditNode(task: AuditedTask, mark: string, act: Act): Promise<void> {
  await task.steps.audit.append(chainOf(task), markOf(task, mark), { node: nodeOf(task), ...act });
}

import { QUARANTINED } from "../../cluster/node-keys.ts";
import { Cancelled, causeOf } from "../../engine/durable.ts";
import { cordonLeaves } from "../../messages/node/cordon.ts";
import { codeOf } from "../../records/failures.ts";
import { hasSkipped } from "../../steps/drain/filters.ts";
import type { UnprovenReboot } from "../../steps/ledger/cordons.ts";
import type { EmptyingTask } from "../emptying/emptying-task.ts";
import { auditNode } from "../operation/audit.ts";
import { restoreNode } from "./restore.ts";
import { nodeOf, once } from "./task.ts";

/** Would the node get new pods that it could not end either, also once its stopped machine is started again? */
function hasStuckPods({ workflow, options }: EmptyingTask, cause: Error): boolean {
  if (cause instanceof Cancelled) return false;
  const code = codeOf(cause);
  return code === "pod-stuck" || (code === "machine-ended" && workflow === "drain") || hasSkipped(options);
}

/**
 * Uncordons a node whose work has failed or was cancelled. A node whose pods do not end stays cordoned. If the eviction
 * failed and the pool's `afterFailedDrain` is "hold" or "ask", the node stays cordoned; after a cancellation it is
 * always uncordoned.
 * @returns the state that is left, as a clause
 */
export function leaveNode(task: EmptyingTask, cause: Error): Promise<string> | string {
  if (!task.isTouched) return cordonLeaves.untouched;
  if (hasStuckPods(task, cause)) return holdNode(task, cordonLeaves.stuck);
  const { afterFailedDrain } = task.runtime.configuration.pools[task.pool ?? ""] ?? {};
  const isGivenBack = afterFailedDrain !== "hold" && afterFailedDrain !== "ask";
  if (isGivenBack || task.stage !== "evict" || cause instanceof Cancelled) return restoreNode(task);
  if (afterFailedDrain === "hold") return holdNode(task, cordonLeaves.held);
  return holdNode(task, (node) => {
    task.asked = { asksPerson: true };
    return cordonLeaves.asks(node);
  });
}

/**
 * Keeps the cordon until a person decides: neither the operation's end nor the sweep uncordons the node.
 * @param says makes the clause about the state that is left
 * @param unproven set for a reboot that was not proven: a later proof uncordons the node
 */
export async function holdNode(
  task: EmptyingTask,
  says: (node: string) => string,
  unproven?: Pick<UnprovenReboot, "before">,
): Promise<string> {
  const { steps, operation } = task;
  const { name, uid } = nodeOf(task);
  try {
    const held = await once(task, "hold the node", async (): Promise<"held" | "quarantined" | "not held"> => {
      const node = await steps.nodes.read(name);
      // Somebody uncordoned the node, which made the drain fail: there is no cordon to keep.
      if (node?.metadata?.uid !== uid || node.spec?.unschedulable !== true) return "not held";
      const kept = await steps.cordons.keep(uid, operation, unproven);
      const isQuarantined = kept?.unproven?.isQuarantined === true;
      if (isQuarantined) await steps.nodes.change(node, { metadata: { labels: { [QUARANTINED]: "true" } } });
      await auditNode(task, "hold", {
        what: "changed",
        detail: { change: isQuarantined ? "quarantine" : "keep the cordon" },
      });
      return isQuarantined ? "quarantined" : "held";
    });
    if (held === "not held") return restoreNode(task);
    return (held === "quarantined" ? cordonLeaves.quarantined : says)(name);
  } catch (error) {
    return holdUnseen(task, says, unproven, causeOf(error).message);
  }
}

/** Keeps the cordon although the Node cannot be read or labelled: the sweep goes by the record in the ledger. */
async function holdUnseen(
  task: EmptyingTask,
  says: (node: string) => string,
  unproven: Pick<UnprovenReboot, "before"> | undefined,
  why: string,
): Promise<string> {
  const { steps, operation } = task;
  const { name, uid } = nodeOf(task);
  try {
    await once(task, "hold the node unseen", async () => {
      await steps.cordons.keep(uid, operation, unproven);
      await auditNode(task, "hold", { what: "changed", detail: { change: "keep the cordon" } });
    });
    return `${says(name)} (${cordonLeaves.unseen(why)})`;
  } catch {
    return cordonLeaves.unknown;
  }
}

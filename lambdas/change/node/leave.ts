import { QUARANTINED } from "../../cluster/node-keys.ts";
import { Cancelled, causeOf } from "../../engine/durable.ts";
import { cordonLeaves } from "../../messages/node/cordon.ts";
import type { UnprovenReboot } from "../../steps/ledger/cordons.ts";
import type { EmptyingTask } from "../emptying/emptying-task.ts";
import { auditNode } from "../operation/audit.ts";
import { restoreNode } from "./restore.ts";
import { nodeOf, once } from "./task.ts";

/**
 * Leaves a node whose drain has failed or was cancelled: schedulable again, or cordoned where its eviction has failed and its
 * pool says so. A cancellation gives it back always.
 * @returns the state that is left, as a clause
 */
export function leaveNode(task: EmptyingTask, cause: Error): Promise<string> | string {
  if (!task.isTouched) return cordonLeaves.untouched;
  const { afterFailedDrain } = task.runtime.configuration.pools[task.pool ?? ""] ?? {};
  const isGivenBack = afterFailedDrain !== "hold" && afterFailedDrain !== "ask";
  if (isGivenBack || task.stage !== "evict" || cause instanceof Cancelled) return restoreNode(task);
  return holdNode(task, afterFailedDrain === "ask" ? cordonLeaves.asks : cordonLeaves.held);
}

/**
 * Leaves the cordon to a person: neither the operation's end nor the sweep takes it off.
 * @param says the state that is left, as a clause
 * @param unproven of a reboot that was not proven: a later proof gives the node back
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
      // Others uncordoned it: that is why the drain has failed.
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

/** Leaves a cordon to a person although the Node cannot be read or labelled: the record in the ledger is what counts. */
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

import { once } from "../../change/node/task.ts";
import { viewOf } from "../../change/operation/publisher.ts";
import { messageSettings } from "../../messages/operation/links.ts";
import { operationMessage } from "../../messages/operation/operation.ts";
import { machineEndedBy } from "../../messages/provision/machine-outcome.ts";
import { originId } from "../../records/origin.ts";
import { isKept } from "../../records/records.ts";
import type { RemovalTask } from "./stages.ts";

/**
 * Writes into the record of the operation that launched a kept machine that it was terminated, so that its message and the
 * daily reminder do not go on offering to.
 */
export async function closeKept(task: RemovalTask): Promise<void> {
  const { steps, chosen, op, runtime } = task;
  const { launchedBy } = chosen;
  if (launchedBy === null) return;
  const isClosed = await once(task, "close the record of the kept machine", async () => {
    const nodes = await steps.ledger.nodes(launchedBy);
    const kept = nodes.find((node) => node.instanceId === chosen.facts.instanceId && isKept(node));
    if (!kept) return false;
    const outcome = machineEndedBy.decision(originId(op.start));
    await steps.ledger.changeNode(launchedBy, kept.index, { outcome, isTerminated: true });
    return true;
  });
  if (!isClosed) return;
  const show = async (): Promise<void> => {
    const pool = (await steps.ledger.operation(launchedBy))?.pool ?? null;
    const view = await viewOf(steps, launchedBy, pool);
    const { channel, messageTs } = view?.operation ?? {};
    if (!view || !channel || !messageTs) return;
    await steps.thread.update(channel, messageTs, operationMessage(view, messageSettings(runtime.configuration)));
  };
  await once(task, "show that it was terminated", show).catch(() => undefined);
}

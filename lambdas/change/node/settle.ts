import { isRollout } from "../../commands/request.ts";
import { messageSettings } from "../../messages/operation/links.ts";
import { operationMessage } from "../../messages/operation/operation.ts";
import { failureMessage } from "../../messages/operation/thread.ts";
import type { OperationRecord, OperationView } from "../../records/records.ts";
import { isBusy } from "../../steps/client-errors.ts";
import type { OpenCordon } from "../../steps/ledger/cordons.ts";
import type { Steps } from "../../steps/steps.ts";
import { viewOf } from "../operation/publisher.ts";
import { seeRollout, viewOfRollout } from "../operation/rollout-view.ts";

/** A cordon that an operation has left to a person. */
type KeptCordon = Pick<OpenCordon, "operation" | "index" | "keptAt">;

const viewToShow = async (steps: Steps, { id, request, pool }: OperationRecord): Promise<OperationView | undefined> =>
  isRollout(request) ? viewOfRollout(await seeRollout(steps, id), steps.timestamp()) : viewOf(steps, id, pool ?? null);

/** Updates the message of an operation that has ended, and this node's failure in its thread. */
async function showSettled(steps: Steps, operation: OperationRecord, index: number): Promise<void> {
  const { id, channel, messageTs } = operation;
  const view = await viewToShow(steps, operation);
  const node = view?.nodes.find((one) => one.index === index);
  if (!view || !node || !messageTs) return;
  const { configuration } = await steps.runtime.read(null);
  const settings = messageSettings(configuration);
  await steps.thread.update(channel, messageTs, operationMessage(view, settings));
  const inThread = failureMessage(operation, node, settings, view.now);
  // Its mark finds the line in the thread, so that it is not posted again.
  const ts = await steps.thread.post(channel, inThread, `${id} ${index} ${node.status}`, messageTs);
  await steps.thread.update(channel, ts, inThread);
}

/**
 * Records the decision about a node that an earlier operation has left cordoned, and removes the buttons from that
 * operation's
 * message. If Slack is down, the buttons stay and still work. Belongs into a step or a poll.
 * @param settled the decision, in words
 */
export async function settleLeftWork(
  steps: Steps,
  { operation: id, index, keptAt }: KeptCordon,
  settled: string,
): Promise<void> {
  if (keptAt === undefined) return;
  const operation = await steps.ledger.operation(id);
  const node = (await steps.ledger.nodes(id)).find((one) => one.index === index);
  if (!operation || !node?.failure) return;
  await steps.ledger.noteOnNode(id, index, { settled });
  // An operation that still runs is shown by its own execution.
  if (operation.endedAt === null) return;
  try {
    await showSettled(steps, operation, index);
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

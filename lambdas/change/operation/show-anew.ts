import { isRollout } from "../../commands/request.ts";
import { log } from "../../logging.ts";
import { messageSettings } from "../../messages/operation/links.ts";
import { operationMessage } from "../../messages/operation/operation.ts";
import { failureMessage } from "../../messages/operation/thread.ts";
import type { OperationRecord, OperationView } from "../../records/records.ts";
import { wordsOf } from "../../steps/client-errors.ts";
import type { Steps } from "../../steps/steps.ts";
import { seeRollout, viewOfRollout } from "./rollout-view.ts";
import { viewOf } from "./view.ts";

const viewToShow = async (steps: Steps, { id, request, pool }: OperationRecord): Promise<OperationView | undefined> =>
  isRollout(request) ? viewOfRollout(await seeRollout(steps, id), steps.timestamp()) : viewOf(steps, id, pool ?? null);

/**
 * Updates the message of an operation, and a node's failure in its thread, after something else has changed what they
 * offer. Belongs into a step or a poll.
 * @param index of the node; null for what concerns only the message
 */
export async function showAnew(steps: Steps, operation: OperationRecord, index: number | null): Promise<void> {
  const { id, channel, messageTs } = operation;
  const view = await viewToShow(steps, operation);
  if (!view || !messageTs) return;
  const { configuration } = await steps.runtime.read(null);
  const settings = messageSettings(configuration);
  await steps.thread.update(channel, messageTs, operationMessage(view, settings));
  const node = view.nodes.find((one) => one.index === index);
  if (!node?.failure || view.nodes.length === 1) return;
  const inThread = failureMessage(view, node, settings);
  // Its mark finds the line in the thread, so that it is not posted again.
  const ts = await steps.thread.post(channel, inThread, `${id} ${node.index} ${node.status}`, messageTs);
  await steps.thread.update(channel, ts, inThread);
}

/**
 * Shows in the message whose button started an operation that it was started, or that it did nothing, so that the button
 * comes back. If that fails, the button stays as it is and still works, and the operation continues. Belongs into a step or a
 * poll.
 */
export async function showFollowed(steps: Steps, { follows }: Pick<OperationRecord, "follows">): Promise<void> {
  if (!follows) return;
  try {
    const operation = await steps.ledger.operation(follows.operation);
    if (operation) await showAnew(steps, operation, follows.index);
  } catch (error) {
    log("WARN", "refusal", {
      operation: follows.operation,
      action: "show what its button started",
      why: wordsOf(error),
    });
  }
}

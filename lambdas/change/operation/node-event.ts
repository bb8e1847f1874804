import { log } from "../../logging.ts";
import type { NodeEvent } from "../../messages/node/cordon.ts";
import { wordsOf } from "../../steps/client-errors.ts";
import type { Steps } from "../../steps/steps.ts";

/** The fields of work on one node that its Events need. */
interface InformedTask {
  readonly steps: Steps;
  readonly operation: string;
  readonly node: { readonly name: string; readonly uid: string } | null;
}

/**
 * Writes an Event on the task's Node, if it has one. It only informs people: if the API server refuses it, the work continues
 * without it. Belongs into a step.
 */
export async function informNode(
  { steps, operation, node }: InformedTask,
  { type, reason, message }: NodeEvent,
): Promise<void> {
  if (!node) return;
  try {
    await steps.nodes.announce(node, type, reason, message);
  } catch (error) {
    const about = { service: "kubernetes", action: "create an Event", why: wordsOf(error) };
    log("WARN", "refusal", { operation, node: node.name, ...about });
  }
}

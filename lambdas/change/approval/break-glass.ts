import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { actorOf } from "../../audit/acts.ts";
import { breakGlassOf, type Start } from "../../commands/request.ts";
import { step } from "../../engine/durable.ts";
import { escalate } from "../../engine/escalate.ts";
import { Refused } from "../../errors.ts";
import { breakGlassCall, breakGlassNotice, breakGlassTaken } from "../../messages/approval/break-glass.ts";
import type { MessageSettings } from "../../messages/operation/links.ts";
import type { Approval } from "../../records/approval.ts";
import { isBusy } from "../../steps/client-errors.ts";
import type { Steps } from "../../steps/steps.ts";
import { postFirst } from "../operation/publisher.ts";

/** The node that a person takes without waiting for the approval. */
export interface BreakGlass {
  readonly reason: string;
  readonly node: string;
  /** UID of the Node; the instance id of a machine that is no node. */
  readonly uid: string;
  readonly isReady: boolean;
}

/** The node of a request that does not wait for its approval; null for one that waits. */
export function breakGlassFor(
  { request }: Start,
  { node, uid, isReady }: Omit<BreakGlass, "reason">,
): BreakGlass | null {
  const reason = breakGlassOf(request);
  return reason === null ? null : { reason, node, uid, isReady };
}

/** Everything that is done without an approval. */
interface Unapproved {
  readonly operation: string;
  readonly pool: string | null;
  readonly breakGlass: BreakGlass;
  readonly settings: MessageSettings;
  /** The question that would have been asked. */
  readonly approval: Approval;
  /** Ids of user groups and people who may approve, and review now. */
  readonly audience: readonly string[];
}

/**
 * Goes on without the approval that a plan needs: within the bound of `--break-glass`, with an entry in the audit, and with
 * the approvers called. The right to it was judged with the node; slots and guard hold as ever.
 * @throws Refused when another node was taken so and not reviewed
 */
export async function goOnUnapproved(ctx: DurableContext, steps: Steps, work: Unapproved): Promise<void> {
  const { operation, breakGlass, settings, audience } = work;
  const record = await step(ctx, "use --break-glass", () => use(steps, work));
  await escalate(ctx, steps, "break-glass", breakGlassNotice(record, breakGlass.reason));
  const call = breakGlassCall(record, work.approval, audience);
  // Past Slack they were called by now: while it is away, what was urgent does not wait for it.
  await step(ctx, "call the approvers", async () => {
    try {
      const { messageTs } = await postFirst(steps, operation, null, settings);
      await steps.thread.post(record.channel, call, `${operation} break-glass`, messageTs);
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  });
}

/** Writes down the use, the open review and the entry of the audit. Belongs into a step. */
async function use(steps: Steps, { operation, pool, breakGlass, approval }: Unapproved) {
  const { node, uid, isReady, reason } = breakGlass;
  const obstacle = await steps.breakGlass.use({ operation, node, uid, isReady, pool });
  if (obstacle) throw new Refused(breakGlassTaken(obstacle));
  await steps.ledger.changeOperation(operation, { approval });
  const record = await steps.ledger.operation(operation);
  if (!record) throw new Error(`the operation ${operation} is not in the ledger`);
  await steps.audit.append({ operation }, "break-glass", {
    what: "break-glass",
    by: actorOf(record),
    node: { name: node },
    detail: { reason, plan: approval.hash, needs: approval.needs, ready: isReady },
  });
  return record;
}

import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { actorOf } from "../../audit/acts.ts";
import { BREAK_GLASS } from "../../commands/approvals.ts";
import { commandOf } from "../../commands/list.ts";
import { breakGlassOf, type Start } from "../../commands/request.ts";
import { step } from "../../engine/durable.ts";
import { escalate } from "../../engine/escalate.ts";
import { Refused } from "../../errors.ts";
import { breakGlassCall, breakGlassNotice, breakGlassTaken } from "../../messages/approval/break-glass.ts";
import type { MessageSettings } from "../../messages/operation/links.ts";
import type { Approval } from "../../records/approval.ts";
import { originId } from "../../records/origin.ts";
import { isBusy } from "../../steps/client-errors.ts";
import type { Steps } from "../../steps/steps.ts";
import { postFirst } from "../operation/publisher.ts";

/** The node that a person changes without waiting for the approval. */
export interface BreakGlass {
  readonly reason: string;
  readonly node: string;
  /** UID of the Node; the instance id of a machine that is no node. */
  readonly uid: string;
  readonly isReady: boolean;
}

/** Finds the node of a request that does not wait for its approval; null for a request that waits. */
export function breakGlassFor(
  { request }: Start,
  { node, uid, isReady }: Omit<BreakGlass, "reason">,
): BreakGlass | null {
  const reason = breakGlassOf(request);
  return reason === null ? null : { reason, node, uid, isReady };
}

/** The node of a request for approval, if its command can change one without the approval and without a dialog. */
export function soleNode(command: string, node: string): { readonly node?: string } {
  const { dialog, options } = commandOf(command);
  return !dialog && options.some(({ option }) => option === BREAK_GLASS) ? { node } : {};
}

/** Work that begins without its approval. */
interface UnapprovedWork {
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
 * Continues without the approval that a plan needs: within the limits of `--break-glass`, with an entry in the audit,
 * and with the approvers called. The permission was checked with the node; slots and guard apply as usual.
 * @throws Refused when the use of `--break-glass` on another node was not reviewed yet
 */
export async function goOnUnapproved(ctx: DurableContext, steps: Steps, work: UnapprovedWork): Promise<void> {
  const { operation, breakGlass, settings, audience } = work;
  const record = await step(ctx, "use --break-glass", () => use(steps, work));
  await escalate(ctx, steps, "break-glass", breakGlassNotice(record, breakGlass.reason));
  const call = breakGlassCall(record, work.approval, audience);
  // The approvers were paged outside of Slack already, so urgent work does not wait while Slack is down.
  await step(ctx, "call the approvers", async () => {
    try {
      const { messageTs } = await postFirst(steps, operation, null, settings);
      await steps.thread.post(record.channel, call, `${operation} break-glass`, messageTs);
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  });
}

/**
 * Cancels the request for approval whose button *Run without approval…* has started this operation. Called once the
 * operation holds its machine, so that a refused one leaves the request to its approvers; that request's next poll of
 * its votes ends it. Belongs into a step.
 */
export async function cancelAskedRequest(steps: Steps, { operation, request }: Start): Promise<void> {
  if (breakGlassOf(request) === null) return;
  const record = await steps.ledger.operation(operation);
  if (!record?.follows) return;
  const asked = await steps.ledger.operation(record.follows.operation);
  if (asked?.approval?.state !== "open" || asked.request.command !== request.command) return;
  await steps.ledger.requestCancel(asked.id, originId(record), operation);
}

/** Records the use, the open review and the audit entry. Belongs into a step. */
async function use(steps: Steps, { operation, pool, breakGlass, approval }: UnapprovedWork) {
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

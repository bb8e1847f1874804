import { step } from "../../engine/durable.ts";
import { escalate } from "../../engine/escalate.ts";
import { Refused } from "../../errors.ts";
import { approvalNotice, approvalUsed } from "../../messages/approval/approval.ts";
import type { Approval } from "../../records/approval.ts";
import type { Execution } from "../operation/op.ts";

/** Uses an approval, which is valid for one execution only. @throws Refused when another execution has used it */
export const useApproval = ({ ctx, steps, start: { operation } }: Execution, asking: number): Promise<void> =>
  step(ctx, `use the approval ${asking}`, async () => {
    const { durableExecutionArn } = ctx.executionContext;
    if (!(await steps.ledger.consumeApproval(operation, asking, durableExecutionArn)))
      throw new Refused(approvalUsed(operation));
  });

/** Pages approvers outside of Slack, once for each question. @param audience ids of user groups and people */
export async function callApprovers(
  { ctx, steps, start: { operation } }: Execution,
  { asking, until }: Approval,
  audience: readonly string[],
): Promise<void> {
  const record = await step(ctx, `who is called to approve ${asking}`, () => steps.ledger.operation(operation));
  if (record && audience.length > 0) await escalate(ctx, steps, `approve ${asking}`, approvalNotice(record, until));
}

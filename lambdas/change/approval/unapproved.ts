import { step } from "../../engine/durable.ts";
import { type NotApproved, notApprovedSummary } from "../../messages/approval/approval.ts";
import type { OperationStatus } from "../../records/records.ts";
import type { Op } from "../operation/op.ts";
import { publishEnd } from "../operation/publish-end.ts";
import { postFirst, publish } from "../operation/publisher.ts";
import { showFollowed } from "../operation/show-anew.ts";
import { viewOf } from "../operation/view.ts";

const endings: Readonly<Record<NotApproved["kind"], OperationStatus>> = {
  denied: "refused",
  lapsed: "cancelled",
  superseded: "cancelled",
  cancelled: "cancelled",
  worse: "refused",
};

/**
 * Ends an operation that did not begin, with the reason in its message.
 * @param summary the reason, for message and ledger
 */
export async function endUnbegun(
  { ctx, steps, start: { operation }, settings }: Op,
  { status, summary }: { readonly status: OperationStatus; readonly summary: string },
): Promise<void> {
  await step(ctx, "end without beginning", () =>
    steps.ledger.changeOperation(operation, { status, summary, endedAt: steps.timestamp(), callbacks: {} }),
  );
  await publishEnd(ctx, steps, async () => {
    const published = await postFirst(steps, operation, null, settings);
    const view = await viewOf(steps, operation, null);
    if (view) await showFollowed(steps, view.operation);
    return view ? publish(steps, view, { ...published, view: "" }, settings) : published;
  });
}

/**
 * Ends an operation whose plan was not approved, with the reason in its message.
 * @param again the command to retype
 */
export const endUnapproved = (op: Op, end: NotApproved, again: string): Promise<void> =>
  endUnbegun(op, { status: endings[end.kind], summary: notApprovedSummary(end, again) });

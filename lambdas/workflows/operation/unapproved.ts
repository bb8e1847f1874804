import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { type NotApproved, notApprovedSummary } from "../../messages/operation/approval.ts";
import type { OperationStatus } from "../../records.ts";
import type { Steps } from "../../steps/steps.ts";
import { step } from "../engine/durable.ts";
import type { Begun } from "./lifecycle.ts";
import { publishEnd } from "./publish-end.ts";
import { postFirst, publish, viewOf } from "./publisher.ts";

const endings: Readonly<Record<NotApproved["kind"], OperationStatus>> = {
  denied: "refused",
  lapsed: "cancelled",
  cancelled: "cancelled",
  worse: "refused",
};

/**
 * Ends an operation whose plan was not approved, and says why in its message; nothing was changed.
 * @param again the command to ask with again, as people type it
 */
export async function endUnapproved(
  ctx: DurableContext,
  steps: Steps,
  operation: string,
  begun: Begun,
  end: NotApproved,
  again: string,
): Promise<void> {
  await step(ctx, "end without an approval", () =>
    steps.ledger.changeOperation(operation, {
      status: endings[end.kind],
      summary: notApprovedSummary(end, again),
      endedAt: steps.timestamp(),
      callbacks: {},
    }),
  );
  await publishEnd(ctx, steps, async () => {
    const published = await postFirst(steps, operation, null, begun);
    const view = await viewOf(steps, operation, null);
    return view ? publish(steps, view, { ...published, view: "" }, begun) : published;
  });
}

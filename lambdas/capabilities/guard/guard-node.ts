import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { changeOrSettle, changeRequested, type RequestedChange } from "../../change/fleet/requested.ts";
import type { Request, Start } from "../../commands/request.ts";
import { step } from "../../engine/durable.ts";
import { guardDryRun, guardSummary } from "../../messages/node/guard.ts";
import { lambdaEntry } from "../../steps/host.ts";
import type { Steps } from "../../steps/steps.ts";
import { guardRow } from "./row.ts";
import { type Target, targetsOf } from "./targets.ts";

type GuardRequest = Extract<Request, { command: "guard" }>;

/** Ends the operation by the results of its nodes. Call inside a step. */
async function end(steps: Steps, operation: string): Promise<void> {
  const nodes = await steps.ledger.nodes(operation);
  const by = (await steps.ledger.operation(operation))?.cancelledBy ?? null;
  const isWhole = nodes.every(({ status }) => status === "succeeded");
  const status = isWhole ? "succeeded" : by === null ? "failed" : "cancelled";
  const endedAt = steps.timestamp();
  await steps.ledger.changeOperation(operation, { status, summary: guardSummary(nodes), endedAt, callbacks: {} });
}

const guardChange: RequestedChange<GuardRequest, readonly Target[]> = {
  plan: targetsOf,
  dryRun: async (_op, targets) => guardDryRun(targets),
  change: async ({ ctx, steps, start: { operation }, settings }, targets) => {
    const op = { ctx, steps, operation };
    const { published } = await changeOrSettle(op, guardRow(op, settings), targets);
    await step(ctx, "end", () => end(steps, operation));
    return published;
  },
};

/**
 * `/win guard`: installs the guard of the metadata route on machines in service and verifies it; changes nothing else.
 */
export const guardNode =
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    const { request } = start;
    if (request.command !== "guard") throw new Error("this workflow guards the metadata route and nothing else");
    await changeRequested({ ctx, steps, start }, request, guardChange);
  };

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(guardNode);

import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { changeFleet } from "../../change/fleet/change-fleet.ts";
import { settleLeft } from "../../change/fleet/settle.ts";
import { beginAccepted, failOperation, showOnly } from "../../change/operation/lifecycle.ts";
import type { Execution, OperationSettings } from "../../change/operation/op.ts";
import { publishWatched } from "../../change/operation/progress.ts";
import { publishEnd } from "../../change/operation/publish-end.ts";
import type { Request, Start } from "../../commands/request.ts";
import { step } from "../../engine/durable.ts";
import { guardDryRun, guardSummary } from "../../messages/node/guard.ts";
import { lambdaEntry } from "../../steps/host.ts";
import type { Steps } from "../../steps/steps.ts";
import { endOfGuarding, guardRow } from "./row.ts";
import { targetsOf } from "./targets.ts";

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

async function work(execution: Execution, settings: OperationSettings, request: GuardRequest): Promise<void> {
  const { ctx, steps, start } = execution;
  const { operation } = start;
  const targets = await targetsOf(execution, settings, request.targets);
  if (request.dryRun) {
    const message = guardDryRun(targets);
    return step(ctx, "show what would happen", () => showOnly(execution, message));
  }
  const op = { ctx, steps, operation };
  const { published } = await changeFleet(op, guardRow(op, settings), targets);
  await step(ctx, "end", () => end(steps, operation));
  if (!published) return;
  const watched = { steps, operation, pool: null, settings };
  await publishEnd(ctx, steps, () => publishWatched(watched, published));
}

/**
 * `/win guard`: installs the guard of the metadata route on machines in service and verifies it; changes nothing else.
 */
export const guardNode =
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    const { request, operation } = start;
    if (request.command !== "guard") throw new Error("this workflow guards the metadata route and nothing else");
    const execution = { ctx, steps, start };
    try {
      const settings = await step(ctx, "begin", () => beginAccepted(execution));
      if (settings) await work(execution, settings, request);
    } catch (error) {
      await settleLeft({ ctx, steps, operation }, { endOf: endOfGuarding }, error);
      await step(ctx, "end without a result", () => failOperation(execution, error));
    }
  };

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(guardNode);

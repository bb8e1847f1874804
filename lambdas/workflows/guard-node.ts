import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Request, Start } from "../commands/command.ts";
import { guardDryRun, guardSummary } from "../messages/node/guard.ts";
import { lambdaEntry } from "../steps/host.ts";
import type { Steps } from "../steps/steps.ts";
import { step } from "./engine/durable.ts";
import { changeFleet } from "./fleet/change-fleet.ts";
import { settleLeft } from "./fleet/settle.ts";
import { endOfGuarding, guardRow } from "./guard/row.ts";
import { targetsOf } from "./guard/targets.ts";
import { beginOperation, failOperation, showOnly } from "./operation/lifecycle.ts";
import type { Execution, OperationSettings } from "./operation/op.ts";
import { publishWatched } from "./operation/progress.ts";
import { publishEnd } from "./operation/publish-end.ts";

type Wanted = Extract<Request, { command: "guard" }>;

/** Ends the operation by the results of its nodes. Belongs into a step. */
async function end(steps: Steps, operation: string): Promise<void> {
  const nodes = await steps.ledger.nodes(operation);
  const by = (await steps.ledger.operation(operation))?.cancelledBy ?? null;
  const isWhole = nodes.every(({ status }) => status === "succeeded");
  const status = isWhole ? "succeeded" : by === null ? "failed" : "cancelled";
  const endedAt = steps.timestamp();
  await steps.ledger.changeOperation(operation, { status, summary: guardSummary(nodes), endedAt, callbacks: {} });
}

async function work(execution: Execution, begun: OperationSettings, wanted: Wanted): Promise<void> {
  const { ctx, steps, start } = execution;
  const { operation } = start;
  const targets = await targetsOf(execution, begun, wanted.targets);
  if (wanted.dryRun) {
    const message = guardDryRun(targets);
    return step(ctx, "show what would happen", () => showOnly(execution, message));
  }
  const op = { ctx, steps, operation };
  const { published } = await changeFleet(op, guardRow(op, begun), targets);
  await step(ctx, "end", () => end(steps, operation));
  if (!published) return;
  const watched = { steps, operation, pool: null, settings: begun };
  await publishEnd(ctx, steps, () => publishWatched(watched, published));
}

/** `/win guard`: puts the guard of the metadata route on machines in service and proves it, and changes nothing else. */
export const guardNode =
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    const { request, operation } = start;
    if (request.command !== "guard") throw new Error("this workflow guards the metadata route and nothing else");
    const execution = { ctx, steps, start };
    try {
      const begun = await step(ctx, "begin", () => beginOperation(execution));
      if (begun) await work(execution, begun, request);
    } catch (error) {
      await settleLeft({ ctx, steps, operation }, { endOf: endOfGuarding }, error);
      await step(ctx, "end without a result", () => failOperation(execution, error));
    }
  };

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(guardNode);

import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../commands/command.ts";
import { deployed } from "../steps/host.ts";
import type { Steps } from "../steps/steps.ts";
import { step } from "./durably.ts";
import { beginOperation, failOperation } from "./operation.ts";
import { confirm } from "./remove/confirm.ts";
import { type Chosen, choose, previewRemoval, refuseRemoval } from "./remove/choose.ts";
import { takeOut } from "./remove/take-out.ts";

/** `/win remove`: judges, shows what would go, asks, and takes the node out; nothing is touched before the answer. */
export const removeNode =
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    if (start.request.command !== "remove") throw new Error("this workflow removes nodes and nothing else");
    const { dryRun } = start.request;
    try {
      const begun = await step(ctx, "begin", () =>
        beginOperation(steps, start, ctx.executionContext.durableExecutionArn),
      );
      if (!begun) return;
      const chosen = await step(ctx, "judge", (): Promise<Chosen> => choose(steps, start, begun));
      if (chosen.refusal) return await step(ctx, "refuse", () => refuseRemoval(steps, start, begun, chosen));
      if (dryRun) return await step(ctx, "show what would happen", () => previewRemoval(steps, start, begun, chosen));
      if (await confirm(ctx, steps, start, chosen)) await takeOut(ctx, steps, start, begun, chosen);
    } catch (error) {
      await step(ctx, "end without a removal", () => failOperation(steps, start, error));
    }
  };

/** The Lambda entry. */
export const handler = deployed(removeNode);

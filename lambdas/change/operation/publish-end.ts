import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { done, MINUTE, pending, StageFailed, step, until, untilTime } from "../../engine/durable.ts";
import type { PublishedMessage } from "../../records/records.ts";
import type { Steps } from "../../steps/steps.ts";

const PUBLISHED_WITHIN_MS = 30 * MINUTE;

/**
 * Publishes the end of an operation and mentions the requester. While Slack is down it retries for half an hour, so
 * that the message does not show a running operation forever. The ledger has the end in any case.
 * @param publishNow publishes once; returns null if there is nothing to publish
 */
export async function publishEnd(
  ctx: DurableContext,
  steps: Steps,
  publishNow: () => Promise<PublishedMessage | null>,
): Promise<void> {
  const last = await step(ctx, "publish until", async () => steps.now() + PUBLISHED_WITHIN_MS);
  const say = async () => {
    const trouble = (await publishNow())?.trouble ?? null;
    return trouble === null ? done(true) : pending(trouble);
  };
  await until(ctx, "publish the end", untilTime(last, steps.now), say).catch((error: unknown) => {
    if (!(error instanceof StageFailed)) throw error;
  });
}

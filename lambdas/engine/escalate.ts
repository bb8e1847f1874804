import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Notice } from "../messages/operation/escalations.ts";
import type { Steps } from "../steps/steps.ts";

/** A few seconds: a person who presses a button meanwhile must not wait for EventBridge. */
const ATTEMPTS = 3;
const PAUSE = { seconds: 2 };

/**
 * Notifies people outside Slack that a decision is awaited. A failed notification blocks nothing: the message in Slack says
 * the same, and the step's failure stays in the execution's history.
 * @param name unique within the execution
 */
export const escalate = (ctx: DurableContext, steps: Steps, name: string, notice: Notice): Promise<void> =>
  ctx
    .step(`call people: ${name}`, () => steps.notices.send(notice), {
      retryStrategy: (_error, attempt) =>
        attempt < ATTEMPTS ? { shouldRetry: true, delay: PAUSE } : { shouldRetry: false },
    })
    .catch(() => undefined);

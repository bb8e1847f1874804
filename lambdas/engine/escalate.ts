import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Notice } from "../messages/operation/escalations.ts";
import type { Steps } from "../steps/steps.ts";

/** All attempts take a few seconds: a person who presses a button meanwhile must not wait for the notification. */
const ATTEMPTS = 3;
const PAUSE = { seconds: 2 };

/**
 * Notifies people outside Slack that a decision is awaited. A failed notification blocks nothing: Slack shows the same
 * message, and the execution's history keeps the failure. A caller that records the call does so only if it was sent.
 * @param name unique within the execution
 * @param notice the notice, or a function that makes it; null from it if people were called for the same cause before
 * @returns false if EventBridge did not take it
 */
export const escalate = (
  ctx: DurableContext,
  steps: Steps,
  name: string,
  notice: Notice | (() => Promise<Notice | null>),
): Promise<boolean> =>
  ctx
    .step(
      `call people: ${name}`,
      async () => {
        const made = typeof notice === "function" ? await notice() : notice;
        if (made) await steps.notices.send(made);
      },
      {
        retryStrategy: (_error, attempt) =>
          attempt < ATTEMPTS ? { shouldRetry: true, delay: PAUSE } : { shouldRetry: false },
      },
    )
    .then(
      () => true,
      () => false,
    );

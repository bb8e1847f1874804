import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { step } from "../../engine/durable.ts";
import { escalate } from "../../engine/escalate.ts";
import type { Notice } from "../../messages/operation/escalations.ts";
import { isReminderDue } from "../../records/reminders.ts";
import type { Steps } from "../../steps/steps.ts";

/** The next sweep asks an unavailable service again. */
const ATTEMPTS = 3;

/** State that waits for a person. */
interface Waiting {
  /** Unique among all waits. */
  readonly name: string;
  /** ISO 8601. */
  readonly since: string;
  /** People are called again after 30 and 90 minutes. */
  readonly isUrgent?: boolean;
}

/**
 * Calls people past Slack to something that waits for them, at most once a day, or again after 30 and 90 minutes if it
 * keeps a node away. A page that EventBridge did not take is due again at the next sweep. The page is recorded by itself,
 * so that a reminder that Slack refuses and that is tried again pages nobody again.
 * @param noticeAt makes the page for a time (ISO 8601)
 */
export async function pageOnce(
  ctx: DurableContext,
  steps: Steps,
  { name, since, isUrgent }: Waiting,
  noticeAt: (now: string) => Notice,
): Promise<void> {
  const mark = `page ${name}`;
  const isDue = async () => {
    const known = await steps.reminders.all();
    return isReminderDue(since, known.get(mark)?.at, steps.now(), isUrgent) ? steps.timestamp() : null;
  };
  const now = await step(ctx, `the time of the page: ${name}`, isDue, ATTEMPTS);
  if (now === null) return;
  if (!(await escalate(ctx, steps, name, noticeAt(now)))) return;
  await step(ctx, `keep the page: ${name}`, () => steps.reminders.keep(mark), ATTEMPTS);
}

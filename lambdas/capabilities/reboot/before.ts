import { checkStillDrained } from "../../change/emptying/drain.ts";
import { waitFor } from "../../change/node/task.ts";
import { done } from "../../engine/durable.ts";
import { checkStillAllowed } from "./still-allowed.ts";
import type { RebootTask } from "./task.ts";

/**
 * Judges right before the machine is told to reboot: does no freeze, no hold and no controller forbid it, and is the node still
 * cordoned and still empty? Minutes may have passed since its last pod left. An API server that does not answer is asked again
 * until the stage's deadline.
 * @param note what is read right after that
 * @throws StageFailed that says what has changed; DeadlineExceeded
 */
export const judgeBeforeReboot = <T>(task: RebootTask, note: () => Promise<T>): Promise<T> =>
  waitFor(task, "judge right before the reboot", async () => {
    await checkStillAllowed(task);
    await checkStillDrained(task, task.options);
    return done(await note());
  });

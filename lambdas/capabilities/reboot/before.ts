import { checkStillDrained } from "../../change/emptying/drain.ts";
import { checkGoesOn } from "../../change/emptying/stopped.ts";
import { changeFactsOf } from "../../change/node/change-facts.ts";
import { nodeOf, waitFor } from "../../change/node/task.ts";
import { done, StageFailed } from "../../engine/durable.ts";
import { changeRefused } from "../../messages/node/change-refusal.ts";
import { changeRefusalOf } from "../../steps/cluster/change-rules.ts";
import type { RebootTask } from "./task.ts";

/**
 * Judges whose the machine is, and which controllers would take it away while it is down: the pods may have taken an hour to leave. A
 * Node or an instance that is gone is left to what comes after.
 */
async function checkController(task: RebootTask): Promise<void> {
  const { steps, runtime, operation } = task;
  const { name, uid } = nodeOf(task);
  const { cluster } = runtime.configuration;
  const node = await steps.nodes.read(name);
  if (!node || node.metadata?.uid !== uid) return;
  const { unread: _, ...facts } = await changeFactsOf(steps, node, cluster.name, operation);
  const refusal = facts.machine && changeRefusalOf({ ...facts, heldBy: null }, "reboot");
  if (refusal) throw new StageFailed("reboot-stood-against", changeRefused(refusal, "reboot", name));
}

/**
 * Judges right before the reboot what may have come while the pods left. Belongs into a poll.
 * @throws StageFailed that names the freeze, the hold or the controller that stands against it, and what ends or pauses it
 */
async function checkStillAllowed(task: RebootTask): Promise<void> {
  await checkGoesOn(task);
  await checkController(task);
}

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

import { checkStillDrained } from "../../change/emptying/drain.ts";
import { checkGoesOn } from "../../change/emptying/stopped.ts";
import { changeFactsOf } from "../../change/node/change-facts.ts";
import { nodeOf, waitFor } from "../../change/node/task.ts";
import { done, StageFailed } from "../../engine/durable.ts";
import { changeRefused } from "../../messages/node/change-refusal.ts";
import { uncordonedMeanwhile } from "../../messages/node/drain.ts";
import { changeRefusalOf } from "../../steps/cluster/change-rules.ts";
import type { RebootTask } from "./task.ts";

/**
 * Refuses the work if the machine's owner or its Node has changed, or a controller would replace the machine while it is down: the
 * eviction may have taken an hour. A deleted Node or a terminated instance passes; later checks report it.
 */
async function checkController(task: RebootTask, change: "reboot" | "restart"): Promise<void> {
  const { steps, runtime, operation } = task;
  const { name, uid } = nodeOf(task);
  const nodes = await steps.nodes.all();
  const node = nodes.find(({ metadata }) => metadata?.uid === uid);
  if (!node) return;
  const { unread: _, ...facts } = await changeFactsOf(steps, { node, nodes }, runtime.configuration, operation);
  const refusal = facts.machine && changeRefusalOf({ ...facts, heldBy: null }, change);
  if (refusal) throw new StageFailed("reboot-stood-against", changeRefused(refusal, change, name));
}

/**
 * Checks whether a freeze, a hold or a controller came up since the work began. Call inside a poll.
 * @throws StageFailed that names the freeze, hold or controller in the way, and how to end or pause it
 */
async function checkStillAllowed(task: RebootTask, change: "reboot" | "restart"): Promise<void> {
  await checkGoesOn(task);
  await checkController(task, change);
}

/**
 * Last check before the order to reboot: no freeze, hold or controller forbids it, and the node is still cordoned and
 * empty. Minutes may have passed since its last pod left. If the API server does not answer, it is asked again until
 * the stage's deadline.
 * @param note reads the facts to keep, right after the check
 * @throws StageFailed that names the change; DeadlineExceeded
 */
export const judgeBeforeReboot = <T>(task: RebootTask, note: () => Promise<T>): Promise<T> =>
  waitFor(task, "judge right before the reboot", async () => {
    await checkStillAllowed(task, "reboot");
    await checkStillDrained(task, task.options);
    return done(await note());
  });

/**
 * Last check before services are restarted: no freeze, hold or controller forbids it, and the node is still cordoned.
 * @returns false if the Node was deleted
 * @throws StageFailed that names the change; DeadlineExceeded
 */
export const judgeBeforeRestart = (task: RebootTask): Promise<boolean> =>
  waitFor(task, "judge right before the restart", async () => {
    await checkStillAllowed(task, "restart");
    const { name, uid } = nodeOf(task);
    const node = await task.steps.nodes.read(name);
    if (node?.metadata?.uid !== uid) return done(false);
    if (node.spec?.unschedulable !== true) throw new StageFailed("uncordoned-meanwhile", uncordonedMeanwhile(name));
    return done(true);
  });

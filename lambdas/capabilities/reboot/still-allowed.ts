import { checkGoesOn } from "../../change/emptying/stopped.ts";
import { changeFactsOf } from "../../change/node/change-facts.ts";
import { nodeOf } from "../../change/node/task.ts";
import { StageFailed } from "../../engine/durable.ts";
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
export async function checkStillAllowed(task: RebootTask): Promise<void> {
  await checkGoesOn(task);
  await checkController(task);
}

import type { BootBefore } from "../../desired/health/facts.ts";
import { machineToBoot } from "../../messages/node/reboot.ts";
import { bootIdOf } from "../../steps/cluster/node-facts.ts";
import { done, MINUTE, pending } from "../engine/durable.ts";
import { checkGoesOn } from "../node/stopped.ts";
import { nodeOf, once, waitFor } from "../node/task.ts";
import { askEc2, auditEc2Reboot, ec2RebootOf } from "./ask-ec2.ts";
import type { RebootTask } from "./task.ts";

/**
 * An agent that still ran when EC2 was asked may report once more until Windows has shut down: EC2 gives it four minutes (EC2
 * user guide, "Reboot your instance").
 */
const LAST_REPORT_MS = 5 * MINUTE;

/** Has EC2 reboot the machine, but not again after a crash before EC2's answer: the boot shows whether EC2 took the order. */
async function askOnce(task: RebootTask): Promise<void> {
  const order = await ec2RebootOf(task);
  if (order && order.answer !== "refused") return auditEc2Reboot(task, order);
  await askEc2(task);
}

async function hasBooted({ steps, lease, node }: RebootTask, before: BootBefore): Promise<boolean> {
  const now = bootIdOf((await steps.nodes.read(node?.name ?? "")) ?? null);
  if (now !== null && before.bootId !== null) return now !== before.bootId;
  const { online, lastPingAt } = await steps.health.agent(lease?.instanceId ?? "");
  return online && lastPingAt !== null && Date.parse(lastPingAt) > Date.parse(before.askedAt) + LAST_REPORT_MS;
}

/**
 * Has EC2 reboot a machine that takes no command, and waits until it has booted. EC2 takes the order at once and says nothing
 * of its end: the kubelet or the agent do. What it is then is the proof's to find out.
 */
export async function rebootThroughEc2(task: RebootTask): Promise<void> {
  const { steps } = task;
  const { name } = nodeOf(task);
  const before = await once(task, "the boot before", async (): Promise<BootBefore> => {
    const askedAt = steps.timestamp();
    return { bootId: bootIdOf((await steps.nodes.read(name)) ?? null), bootedAt: askedAt, askedAt };
  });
  await once(task, "judge right before the reboot", () => checkGoesOn(task));
  task.before = before;
  await once(task, "ask EC2 to reboot", () => askOnce(task));
  await waitFor(task, "the machine has booted", async () =>
    (await hasBooted(task, before)) ? done(true) : pending(machineToBoot),
  );
}

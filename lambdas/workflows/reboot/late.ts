import { ec2Rebooted } from "../../messages/node/reboot.ts";
import { MINUTE } from "../engine/durable.ts";
import { addNotes } from "../node/notes.ts";
import { leaseOf, record } from "../node/task.ts";
import { auditNode } from "../operation/audit.ts";
import { mayDecide } from "../operation/requester.ts";
import type { RebootTask } from "./task.ts";

/** Time after which a machine is called late: Windows mostly boots in some minutes, and may install updates for two hours. */
const LATE_MS = 30 * MINUTE;

/** The first person who pressed EC2 reboot and may; null while no one did. */
async function pressedBy({ steps, operation, index, pool }: RebootTask): Promise<string | null> {
  for (const { decision, userId } of await steps.ledger.decisions(operation, `node ${index}`))
    if (decision === "ec2-reboot" && (await mayDecide(steps, userId, "reboot", pool))) return userId;
  return null;
}

/**
 * Offers EC2's reboot, once a machine has not come back from its reboot for half an hour, and has EC2 do it when a permitted
 * person pressed the button. The reboot is asked for once. Belongs into a poll.
 * @param askedAt ISO 8601: when the machine was told to reboot
 * @param callbackId wakes the poll
 */
export async function offerEc2Reboot(task: RebootTask, askedAt: string, callbackId: string): Promise<void> {
  const { steps, operation, index } = task;
  if (steps.now() - Date.parse(askedAt) < LATE_MS) return;
  const known = (await steps.ledger.nodes(operation)).find((one) => one.index === index);
  if (known?.ec2Reboot) return;
  const by = await pressedBy(task);
  if (by === null) {
    const lateSince = known?.lateSince ?? steps.timestamp();
    return record(task, { lateSince, callbacks: { decision: callbackId } });
  }
  await steps.instances.reboot(leaseOf(task));
  await record(task, { ec2Reboot: { by, at: steps.timestamp() }, callbacks: {} });
  await addNotes(task, [ec2Rebooted]);
  const detail = { change: "reboot through EC2" };
  await auditNode(task, "reboot through EC2", { what: "changed", by: { person: by }, detail });
}

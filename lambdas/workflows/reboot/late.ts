import { ec2Rebooted } from "../../messages/node/reboot.ts";
import { MINUTE } from "../engine/durable.ts";
import { addNotes } from "../node/notes.ts";
import { record } from "../node/task.ts";
import { mayDecide } from "../operation/requester.ts";
import { askEc2, auditEc2Reboot, ec2RebootOf } from "./ask-ec2.ts";
import type { RebootTask } from "./task.ts";

/** Time after which a machine is called late: Windows mostly boots in some minutes, and may install updates for two hours. */
const LATE_MS = 30 * MINUTE;

/** The first person who pressed EC2 reboot after a time (ISO 8601) and may; null while no one did. */
async function pressedBy({ steps, operation, index, pool }: RebootTask, after: string): Promise<string | null> {
  for (const { decision, userId, at } of await steps.ledger.decisions(operation, `node ${index}`))
    if (decision === "ec2-reboot" && at > after && (await mayDecide(steps, userId, "reboot", pool))) return userId;
  return null;
}

/** Shows the button, and has its press wake the poll. */
async function offer(task: RebootTask, callbackId: string): Promise<void> {
  const { steps, operation, index } = task;
  const known = (await steps.ledger.nodes(operation)).find((one) => one.index === index);
  await record(task, { lateSince: known?.lateSince ?? steps.timestamp(), callbacks: { decision: callbackId } });
}

/**
 * Offers EC2's reboot, once a machine has not come back from its reboot for half an hour, and has EC2 do it when a permitted
 * person pressed the button. EC2 is asked once for each press; where its answer is unknown, only another press asks again. Belongs
 * into a poll.
 * @param askedAt ISO 8601: when the machine was told to reboot
 * @param callbackId wakes the poll
 */
export async function offerEc2Reboot(task: RebootTask, askedAt: string, callbackId: string): Promise<void> {
  const { steps } = task;
  if (steps.now() - Date.parse(askedAt) < LATE_MS) return;
  const order = await ec2RebootOf(task);
  if (order && order.answer === undefined) return;
  const isUnknown = order?.answer === "unknown";
  if (isUnknown) await auditEc2Reboot(task, order);
  const by = await pressedBy(task, isUnknown ? order.at : "");
  if (by === null) return offer(task, callbackId);
  await askEc2(task, by);
  await addNotes(task, [ec2Rebooted]);
}

import { addNotes } from "../../change/node/notes.ts";
import { record } from "../../change/node/task.ts";
import { mayDecide } from "../../change/operation/requester.ts";
import { MINUTE } from "../../engine/durable.ts";
import { Refused } from "../../errors.ts";
import { log } from "../../logging.ts";
import { ec2Rebooted, ec2RefusedReboot } from "../../messages/node/reboot.ts";
import type { LateReboot } from "../../records/late-reboot.ts";
import type { NodeRecord } from "../../records/records.ts";
import { isBusy, wordsOf } from "../../steps/client-errors.ts";
import { askEc2, auditEc2Reboot, lateRebootOf, type Press } from "./ask-ec2.ts";
import { currentScreenshot } from "./screenshot.ts";
import type { RebootTask } from "./task.ts";

/** Time after which a machine is called late: Windows mostly boots in some minutes, and may install updates for two hours. */
const LATE_MS = 30 * MINUTE;

/** Presses up to here were judged; of the last release's orders, those up to an unknown one. */
const judgedUntil = ({ pressesUntil, ec2Reboot }: LateReboot): string =>
  pressesUntil ?? (ec2Reboot?.answer === "unknown" ? ec2Reboot.at : "");

/** Finds the first press that was not judged yet, of a person who may; the others are told once that they may not. */
async function nextPress(task: RebootTask, late: LateReboot): Promise<Press | null> {
  const { steps, operation, index, pool } = task;
  const after = judgedUntil(late);
  for (const { decision, userId: by, at } of await steps.ledger.decisions(operation, `node ${index}`)) {
    if (decision !== "ec2-reboot" || at <= after) continue;
    if (await mayDecide(steps, by, "reboot", pool)) return { by, at };
    await steps.ledger.changeNode(operation, index, { pressesUntil: at });
  }
  return null;
}

/** Does EC2 have an order that it took less than half an hour ago? The machine is given as long as it had at first. */
const isOrderNew = ({ ec2Reboot: order }: LateReboot, now: number): boolean =>
  order !== undefined && order.answer === undefined && now - Date.parse(order.at) < LATE_MS;

/** Finds since when it is offered: after an order that EC2 took, the offer is a new one. */
function offeredSince({ lateSince = "", ec2Reboot: order }: LateReboot, now: string): string {
  const takenAt = order !== undefined && order.answer === undefined ? order.at : "";
  return lateSince > takenAt ? lateSince : now;
}

/** Shows that the machine is late, at once, and the screenshot of its console, which EC2 may take seconds for. */
async function show(
  task: RebootTask,
  late: LateReboot,
  lateSince: string,
  callbacks: NodeRecord["callbacks"],
): Promise<void> {
  await record(task, { lateSince, callbacks });
  const screenshot = await currentScreenshot(task, late);
  if (screenshot !== late.screenshot) await record(task, { screenshot });
}

/** Has EC2 reboot the machine as a person wished. A refusal is told, and the machine is waited for as before. */
async function obey(task: RebootTask, press: Press): Promise<void> {
  try {
    await askEc2(task, press);
    await addNotes(task, [ec2Rebooted]);
  } catch (error) {
    if (isBusy(error) || error instanceof Refused) throw error;
    await addNotes(task, [ec2RefusedReboot(wordsOf(error))]);
  }
}

async function offerOrObey(task: RebootTask, callbackId: string): Promise<void> {
  const late = await lateRebootOf(task);
  const { ec2Reboot: order, lateSince } = late;
  const { steps } = task;
  if (isOrderNew(late, steps.now())) return show(task, late, lateSince ?? steps.timestamp(), {});
  if (order?.answer === "unknown") await auditEc2Reboot(task, order);
  const press = await nextPress(task, late);
  if (press !== null) return obey(task, press);
  return show(task, late, offeredSince(late, steps.timestamp()), { decision: callbackId });
}

/**
 * Offers EC2's reboot, once a machine has not come back from its reboot for half an hour, and has EC2 do it when a permitted
 * person pressed the button. EC2 is asked once for each press; where its answer is unknown, only another press asks again. Half an
 * hour after an order that EC2 took, it is offered again. If a service is busy, the next poll goes on. Belongs into a poll.
 * @param askedAt ISO 8601: when the machine was told to reboot
 * @param callbackId wakes the poll
 * @throws Refused when the lease is not ours any more
 */
export async function offerEc2Reboot(task: RebootTask, askedAt: string, callbackId: string): Promise<void> {
  if (task.steps.now() - Date.parse(askedAt) < LATE_MS) return;
  try {
    await offerOrObey(task, callbackId);
  } catch (error) {
    if (!isBusy(error)) throw error;
    log("WARN", "refusal", { operation: task.operation, action: "offer EC2's reboot", why: wordsOf(error) });
  }
}

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

/**
 * Time after which a machine is reported as late: Windows mostly boots within minutes, but may install updates for two
 * hours.
 */
const LATE_MS = 30 * MINUTE;

/**
 * Time of the last press that was judged. Records of the last release have none: there it is the time of an order
 * without an answer.
 */
const judgedUntil = ({ pressesUntil, ec2Reboot }: LateReboot): string =>
  pressesUntil ?? (ec2Reboot?.answer === "unknown" ? ec2Reboot.at : "");

/** Finds the first new press by a person with the right to reboot. Presses of others are marked as judged. */
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

/** Did EC2 accept an order less than half an hour ago? The machine gets the same time as after its first reboot. */
const isOrderNew = ({ ec2Reboot: order }: LateReboot, now: number): boolean =>
  order !== undefined && order.answer === undefined && now - Date.parse(order.at) < LATE_MS;

/** Time since which the EC2 reboot is offered. After an order that EC2 accepted, a new offer begins. */
function offeredSince({ lateSince = "", ec2Reboot: order }: LateReboot, now: string): string {
  const takenAt = order !== undefined && order.answer === undefined ? order.at : "";
  return lateSince > takenAt ? lateSince : now;
}

/** Shows first that the machine is late, then the screenshot of its console, which may take EC2 seconds. */
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

/**
 * Orders the EC2 reboot that a person requested. If EC2 refuses, the thread reports it and the wait for the boot
 * continues.
 */
async function orderPressed(task: RebootTask, press: Press): Promise<void> {
  try {
    await askEc2(task, press);
    await addNotes(task, [ec2Rebooted]);
  } catch (error) {
    if (isBusy(error) || error instanceof Refused) throw error;
    await addNotes(task, [ec2RefusedReboot(wordsOf(error))]);
  }
}

async function offerOrOrder(task: RebootTask, callbackId: string): Promise<void> {
  const late = await lateRebootOf(task);
  const { ec2Reboot: order, lateSince } = late;
  const { steps } = task;
  if (isOrderNew(late, steps.now())) return show(task, late, lateSince ?? steps.timestamp(), {});
  if (order?.answer === "unknown") await auditEc2Reboot(task, order);
  const press = await nextPress(task, late);
  if (press !== null) return orderPressed(task, press);
  return show(task, late, offeredSince(late, steps.timestamp()), { decision: callbackId });
}

/**
 * Offers the EC2 reboot once a machine has not booted for half an hour, and orders it when a permitted person presses
 * the button. Each press orders once; if EC2's answer is unknown, only another press repeats the order. Half an hour
 * after an accepted order the offer is renewed. If a service is busy, the next poll retries. Call inside a poll.
 * @param askedAt ISO 8601: time of the order to reboot
 * @param callbackId wakes the poll
 * @throws Refused when another operation holds the lease
 */
export async function offerEc2Reboot(task: RebootTask, askedAt: string, callbackId: string): Promise<void> {
  if (task.steps.now() - Date.parse(askedAt) < LATE_MS) return;
  try {
    await offerOrOrder(task, callbackId);
  } catch (error) {
    if (!isBusy(error)) throw error;
    log("WARN", "refusal", { operation: task.operation, action: "offer EC2's reboot", why: wordsOf(error) });
  }
}

import { workRecord } from "../../change/operation/work-record.ts";
import { calledTo } from "../../change/waits/called.ts";
import { keptNotice, type Notice } from "../../messages/operation/escalations.ts";
import { messageSettings } from "../../messages/operation/links.ts";
import { isKept, type NodeRecord } from "../../records/records.ts";
import { isReminderDue, REMIND_EVERY_MS } from "../../records/reminders.ts";
import { instanceIdOf, isReady } from "../../steps/cluster/node-facts.ts";
import { hasEnded, isOurs, launcherOf } from "../../steps/ec2/instances.ts";
import type { Steps } from "../../steps/steps.ts";
import { keptReminder } from "./kept-message.ts";

/** A kept machine of which people are reminded now. */
export interface Reminder {
  readonly operation: string;
  readonly index: number;
  /** 0 on the day of the decision, 1 a day later. */
  readonly day: number;
  /** ISO 8601: the decision to keep it. */
  readonly since: string;
  readonly notice: Notice;
}

const days = (since: string, now: number): number => Math.floor((now - Date.parse(since)) / REMIND_EVERY_MS);

const isDue = (node: NodeRecord, now: number): boolean =>
  isKept(node) && isReminderDue(node.keptAt ?? "", node.remindedAt, now);

/** Lists kept machines that live, of which people are to be reminded; one whose Node is Ready serves the cluster. */
export async function dueReminders(steps: Steps): Promise<Reminder[]> {
  const { configuration } = await steps.runtime.read(null);
  const { id, name } = configuration.cluster;
  const ready = new Set((await steps.nodes.all()).filter(isReady).map(instanceIdOf));
  const living = (await steps.instances.ofCluster(id)).filter(
    (machine) => isOurs(machine, name) && !hasEnded(machine) && !ready.has(machine.instanceId),
  );
  const instances = new Set(living.map(({ instanceId }) => instanceId));
  const operations = [...new Set(living.flatMap((machine) => launcherOf(machine) ?? []))];
  const records = (await Promise.all(operations.map((operation) => steps.ledger.nodes(operation)))).flat();
  const now = steps.now();
  return records
    .filter((node) => instances.has(node.instanceId ?? "") && isDue(node, now))
    .map((node) => ({
      operation: node.operation,
      index: node.index,
      day: days(node.keptAt ?? "", now),
      since: node.keptAt ?? "",
      notice: keptNotice(node, steps.timestamp()),
    }));
}

/** Reminds people in the operation's thread, with the machine's buttons. Call inside a step. */
export async function remind(steps: Steps, { operation: id, index, day }: Reminder): Promise<void> {
  const { configuration } = await steps.runtime.read(null);
  const operation = await steps.ledger.operation(id);
  const node = await workRecord(steps, { operation: id, index });
  if (!operation || !node || !isDue(node, steps.now())) return;
  const pool = operation.pool?.name ?? null;
  const wait = { audience: { command: "remove" }, pool, since: node.keptAt ?? "", isUrgent: false };
  const called = calledTo(configuration, wait, steps.now());
  const message = keptReminder(node, called, messageSettings(configuration), steps.timestamp());
  await steps.thread.post(operation.channel, message, `${id} ${index} kept ${day}`, operation.messageTs ?? undefined);
  await steps.ledger.changeNode(id, index, { remindedAt: steps.timestamp() });
}

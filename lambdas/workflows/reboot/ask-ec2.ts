import type { Ec2Reboot } from "../../late-reboot.ts";
import { leaseOf, record } from "../node/task.ts";
import { auditNode } from "../operation/audit.ts";
import type { RebootTask } from "./task.ts";

/** Reads the newest order to EC2 for the task's machine; null without one. */
export async function ec2RebootOf({ steps, operation, index }: RebootTask): Promise<Ec2Reboot | null> {
  const node = (await steps.ledger.nodes(operation)).find((one) => one.index === index);
  return node?.ec2Reboot ?? null;
}

/** Writes into the audit that EC2 was asked; a repeated call writes nothing. */
export const auditEc2Reboot = (task: RebootTask, { by, at }: Ec2Reboot): Promise<void> =>
  auditNode(task, `reboot through EC2 at ${at}`, {
    what: "changed",
    ...(by === undefined ? {} : { by: { person: by } }),
    detail: { change: "reboot through EC2" },
  });

/**
 * Has EC2 reboot the machine. The order is written before the call: a process that dies before EC2's answer leaves
 * `answer: "unknown"`, and the caller must not ask again on its own, because a second reboot may break the boot of the first.
 * @param by Slack id of the person who pressed the button; undefined where the approved plan goes through EC2
 * @throws as `steps.instances.reboot`; the order is then written as refused
 */
export async function askEc2(task: RebootTask, by?: string): Promise<void> {
  const order: Ec2Reboot = { ...(by === undefined ? {} : { by }), at: task.steps.timestamp() };
  await record(task, { ec2Reboot: { ...order, answer: "unknown" }, callbacks: {} });
  try {
    await task.steps.instances.reboot(leaseOf(task));
  } catch (error) {
    await record(task, { ec2Reboot: { ...order, answer: "refused" } });
    throw error;
  }
  await record(task, { ec2Reboot: order });
  await auditEc2Reboot(task, order);
}

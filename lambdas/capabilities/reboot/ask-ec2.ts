import { leaseOf, record, tell } from "../../change/node/task.ts";
import { auditNode } from "../../change/operation/audit.ts";
import type { Ec2Reboot, LateReboot } from "../../records/late-reboot.ts";
import { isBusy } from "../../steps/client-errors.ts";
import type { RebootTask } from "./task.ts";

/** A person's press of the button EC2 reboot. */
export interface Press {
  /** Slack id. */
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Reads what the ledger holds on reboots of the task's machine through EC2. */
export async function lateRebootOf({ steps, operation, index }: RebootTask): Promise<LateReboot> {
  return (await steps.ledger.nodes(operation)).find((one) => one.index === index) ?? {};
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
 * `answer: "unknown"`, as a lost answer does, and the caller must not ask again on its own, because a second reboot may break the
 * boot of the first.
 * @param press of the button; undefined where the approved plan goes through EC2
 * @throws as `steps.instances.reboot`; the order is then written as refused, and a press counts again where EC2 was only busy
 */
export async function askEc2(task: RebootTask, press?: Press): Promise<void> {
  const { steps, operation, index } = task;
  const write = (change: LateReboot) => steps.ledger.changeNode(operation, index, { ...change, callbacks: {} });
  const { pressesUntil = "" } = await lateRebootOf(task);
  const order: Ec2Reboot = { ...(press ? { by: press.by } : {}), at: steps.timestamp() };
  const judged = press ? { pressesUntil: press.at } : {};
  await write({ ec2Reboot: { ...order, answer: "unknown" }, ...judged });
  await steps.machines.seen.noteOrder(leaseOf(task).instanceId, operation);
  let answer: "taken" | "unknown";
  try {
    answer = await steps.instances.reboot(leaseOf(task));
  } catch (error) {
    await write({ ec2Reboot: { ...order, answer: "refused" }, ...(isBusy(error) ? { pressesUntil } : {}) });
    throw error;
  }
  await auditEc2Reboot(task, order);
  if (answer === "taken") await record(task, { ec2Reboot: order });
  else await tell(task);
}

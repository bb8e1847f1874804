import { leaseOf, record, tell } from "../../change/node/task.ts";
import { auditNode } from "../../change/operation/audit.ts";
import { workRecord } from "../../change/operation/work-record.ts";
import type { Ec2Reboot, LateReboot } from "../../records/late-reboot.ts";
import { isBusy } from "../../steps/client-errors.ts";
import type { RebootTask } from "./task.ts";

/** A person's press of the button "EC2 reboot". */
export interface Press {
  /** Slack id. */
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Reads from the ledger which EC2 reboots of the task's machine were offered and ordered. */
export const lateRebootOf = async (task: RebootTask): Promise<LateReboot> => (await workRecord(task.steps, task)) ?? {};

/** Writes the audit entry of an EC2 reboot. A repeated call writes nothing. */
export const auditEc2Reboot = (task: RebootTask, { by, at }: Ec2Reboot): Promise<void> =>
  auditNode(task, `reboot through EC2 at ${at}`, {
    what: "changed",
    ...(by === undefined ? {} : { by: { person: by } }),
    detail: { change: "reboot through EC2" },
  });

/**
 * Orders EC2 to reboot the machine. The ledger holds the order before EC2 is called: if the process dies before EC2
 * answers, or the answer is lost, the record says `answer: "unknown"`. The caller must not repeat the order then,
 * because a second reboot may interrupt the boot of the first.
 * @param press the person's press of the button; undefined if the approved plan already says EC2
 * @throws as `steps.instances.reboot`; the order is then recorded as refused. If EC2 was only busy, the press stays
 * valid
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

import type { Observation, RebootRequest, RebootResult } from "../../desired/plan.ts";
import { notRebooted } from "../../messages/node/reboot.ts";
import { StageFailed } from "../engine/durable.ts";
import { isLostResult, runScript } from "../engine/run-script.ts";
import { guardFault } from "./guard.ts";
import { observe } from "./observe.ts";
import { leaseOf, type NodeTask, once } from "./task.ts";

/** Parts of a reboot that only some workflows have. */
interface RebootOptions {
  /** Own reasons not to reboot, beside a guard that is not in order; null if there is none. */
  readonly faultOf?: (before: Observation) => string | null;
  /** Judges after the machine was observed, right before the reboot is sent. @throws StageFailed when it may not be */
  readonly mayGoOn?: () => Promise<void>;
  /** Called with the machine as it was observed, once nothing stands against the reboot any more; it may be called again. */
  readonly onOrder?: (before: Observation) => void;
  /** Called when the machine has answered that it does not reboot. */
  readonly onRefusal?: () => void;
  /** Called by each poll while the machine reboots. */
  readonly whileAway?: (callbackId: string) => Promise<void>;
}

/**
 * Reboots the machine through SSM and proves by the boot id that it rebooted.
 * @returns the machine as it was observed before and after the boot
 * @throws StageFailed if it was not rebooted; MachineEnded; Cancelled
 */
export async function reboot(
  task: NodeTask,
  { faultOf = () => null, mayGoOn, onOrder, onRefusal, whileAway = async () => undefined }: RebootOptions = {},
): Promise<{ readonly before: Observation; readonly after: Observation }> {
  const before = await observe(task, "look before the reboot");
  const fault = guardFault(before) ?? faultOf(before);
  if (fault) throw new StageFailed(`${notRebooted} ${fault}`);
  const request: RebootRequest = {
    operation: task.owner,
    notAfter: Math.floor(task.wait.until / 1000),
    bootId: before.bootId,
  };
  await mayGoOn?.();
  onOrder?.(before);
  await once(task, "write down the reboot", () =>
    task.steps.machines.seen.noteOrder(leaseOf(task).instanceId, task.operation),
  );
  const lost = await rebootOnce(task, request, { onRefusal, whileAway });
  const after = await observe(task, "look after the reboot");
  if (after.bootId === before.bootId)
    throw new StageFailed(lost ?? "the machine reports a reboot, but its boot id has not changed");
  return { before, after };
}

/** Error of `reboot.ps1` when it had asked for a reboot of this boot before: that one may still come. */
const ASKED_BEFORE = "was asked for before";

/** Did the script answer, in the boot before, that it asks for no reboot? */
const isRefusal = ({ ok, bootIdBefore, bootIdAfter, error }: RebootResult): boolean =>
  !ok && bootIdAfter !== "" && bootIdAfter === bootIdBefore && !error?.includes(ASKED_BEFORE);

/**
 * Orders the reboot and waits for the script's result.
 * @returns null, or the error by which the result was lost: then only the boot id tells whether the machine rebooted
 * @throws StageFailed if the script refuses; MachineEnded; Cancelled
 */
async function rebootOnce(
  task: NodeTask,
  request: RebootRequest,
  { onRefusal, whileAway: onRound }: Pick<RebootOptions, "onRefusal" | "whileAway">,
): Promise<string | null> {
  const order = { script: "reboot", request } as const;
  let result: RebootResult;
  try {
    result = await runScript<RebootResult>(task.ctx, task.steps, leaseOf(task), "reboot", order, {
      ...task.wait,
      onRound,
    });
  } catch (error) {
    if (isLostResult(error)) return error.message;
    throw error;
  }
  if (isRefusal(result)) onRefusal?.();
  if (!result.ok) throw new StageFailed(result.error ?? "reboot.ps1 failed without an error message");
  return null;
}

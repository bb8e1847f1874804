import { StageFailed } from "../../engine/durable.ts";
import { isLostResult, runScript } from "../../engine/run-script.ts";
import { hasBooted, isKnownByTime, isSameBoot } from "../../machine/boots.ts";
import type { Observation, RebootRequest, RebootResult } from "../../machine/plan.ts";
import { notRebooted } from "../../messages/node/reboot.ts";
import { codeOfScript, type StageFault } from "../../records/failures.ts";
import { guardFault } from "./guard.ts";
import { observe } from "./observe.ts";
import { leaseOf, type NodeTask, once } from "./task.ts";

/** Options of a reboot, which differ between workflows. */
interface RebootOptions {
  /** Ends the names of its steps: unique within the execution, and empty for its first reboot. */
  readonly suffix?: string;
  /** Finds a reason not to reboot, besides a faulty guard; null if there is none. */
  readonly faultOf?: (before: Observation) => StageFault | null;
  /** Called after the observation, right before the reboot is sent. @throws StageFailed to prevent the reboot */
  readonly mayGoOn?: () => Promise<void>;
  /** Called with the observation once the reboot will be sent; may be called again. */
  readonly onOrder?: (before: Observation) => void;
  /** Called when the machine refuses to reboot. */
  readonly onRefusal?: () => void;
  /** Called by each poll while the machine reboots. */
  readonly whileAway?: (callbackId: string) => Promise<void>;
}

/**
 * Reboots the machine through SSM and proves by the boot id that it rebooted.
 * @returns the observations before and after the boot
 * @throws StageFailed if it was not rebooted; MachineEnded; Cancelled
 */
export async function rebootThroughSsm(
  task: NodeTask,
  {
    suffix = "",
    faultOf = () => null,
    mayGoOn,
    onOrder,
    onRefusal,
    whileAway = async () => undefined,
  }: RebootOptions = {},
): Promise<{ readonly before: Observation; readonly after: Observation }> {
  const before = await observe(task, `look before the reboot${suffix}`);
  const fault = faultOfGuard(before) ?? faultOf(before);
  if (fault) throw new StageFailed(fault.code, `${notRebooted} ${fault.why}`);
  const request: RebootRequest = {
    // The machine keeps what it was asked for: another reboot of the same operation is another request.
    operation: `${task.owner}${suffix}`,
    notAfter: Math.floor(task.wait.until / 1000),
    bootId: before.bootId,
  };
  await mayGoOn?.();
  onOrder?.(before);
  await once(task, `write down the reboot${suffix}`, () =>
    task.steps.machines.seen.noteOrder(leaseOf(task).instanceId, task.operation),
  );
  const lost = await rebootOnce(task, request, { suffix, onRefusal, whileAway });
  const after = await observe(task, `look after the reboot${suffix}`);
  // The script compares how long the machine is up, and runs before the second observation.
  const isProven = hasBooted(before, after) || (lost === null && isKnownByTime(after.bootId));
  if (!isProven) throw lost ?? new StageFailed("reboot-not-happened", sameBoot);
  return { before, after };
}

/** Gives every fault of the guard one code: before a reboot all of them have the same remedy. */
function faultOfGuard(before: Observation): StageFault | null {
  const fault = guardFault(before);
  return fault && { code: "guard-not-in-order", why: fault.why };
}

const sameBoot = "the machine reports a reboot, but its boot id has not changed";

/** Did the script refuse, within the same boot? Not if it had already ordered the reboot, which may still come. */
const isRefusal = ({ ok, bootIdBefore, bootIdAfter, code }: RebootResult): boolean =>
  !ok && bootIdAfter !== "" && isSameBoot(bootIdAfter, bootIdBefore) && code !== "reboot-not-happened";

const rebootFailed = (result: RebootResult): StageFailed =>
  result.error === null
    ? new StageFailed("reboot-not-happened", "reboot.ps1 failed without an error message")
    : new StageFailed(codeOfScript(result), result.error);

/**
 * Orders the reboot and waits for the script's result.
 * @returns null, or the error that lost the result: then only the boot id shows whether the machine rebooted
 * @throws StageFailed if the script refuses; MachineEnded; Cancelled
 */
async function rebootOnce(
  task: NodeTask,
  request: RebootRequest,
  { suffix = "", onRefusal, whileAway: onRound }: Pick<RebootOptions, "suffix" | "onRefusal" | "whileAway">,
): Promise<StageFailed | null> {
  const order = { script: "reboot", request } as const;
  let result: RebootResult;
  try {
    const run = { held: leaseOf(task), name: `reboot${suffix}`, wait: { ...task.wait, onRound } };
    result = await runScript<RebootResult>(task.ctx, task.steps, run, order);
  } catch (error) {
    if (isLostResult(error)) return error;
    throw error;
  }
  if (isRefusal(result)) onRefusal?.();
  if (!result.ok) throw rebootFailed(result);
  return null;
}

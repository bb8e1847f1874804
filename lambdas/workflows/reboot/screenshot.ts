import type { LateReboot, Screenshot } from "../../late-reboot.ts";
import { log } from "../../logging.ts";
import { wordsOf } from "../../steps/client-errors.ts";
import { MINUTE } from "../engine/durable.ts";
import { leaseOf } from "../node/task.ts";
import type { RebootTask } from "./task.ts";

/** Interval between screenshots, and between attempts: what Windows shows while it works on updates changes in minutes. */
const RENEW_MS = 10 * MINUTE;

/** Is it new, and of the boot that the machine is in? EC2's reboot ends what an older one shows. */
const isCurrent = ({ at }: Screenshot, { ec2Reboot }: LateReboot, now: number): boolean =>
  now - Date.parse(at) < RENEW_MS && at > (ec2Reboot?.at ?? "");

/**
 * Takes a screenshot of a late machine's console unless the newest one is current. If EC2 or S3 refuse, the offer of EC2's reboot
 * stands without one. Belongs into a poll.
 */
export async function currentScreenshot(task: RebootTask, late: LateReboot): Promise<Screenshot> {
  const { steps, operation } = task;
  if (late.screenshot && isCurrent(late.screenshot, late, steps.now())) return late.screenshot;
  const at = steps.timestamp();
  const { instanceId } = leaseOf(task);
  try {
    return { at, url: await steps.screenshots.take(instanceId, `screenshots/${operation}/${instanceId}/${at}.jpg`) };
  } catch (error) {
    log("WARN", "refusal", { operation, action: "take a screenshot of the console", why: wordsOf(error) });
    return { at };
  }
}

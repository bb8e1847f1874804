import { leaseOf } from "../../change/node/task.ts";
import { MINUTE } from "../../engine/durable.ts";
import { log } from "../../logging.ts";
import type { LateReboot, Screenshot } from "../../records/late-reboot.ts";
import { wordsOf } from "../../steps/client-errors.ts";
import type { RebootTask } from "./task.ts";

/** Interval between screenshots: what Windows shows while it works on updates changes in minutes. */
const RENEW_MS = 10 * MINUTE;
/** Interval after an attempt that EC2 or S3 refused. */
const RETRY_MS = 2 * MINUTE;

/** Leaves out a picture from before EC2's reboot: the boot that it shows is over. */
function ofThisBoot({ screenshot, ec2Reboot }: LateReboot): Screenshot | undefined {
  return screenshot !== undefined && screenshot.triedAt > (ec2Reboot?.at ?? "") ? screenshot : undefined;
}

function isDue(last: Screenshot | undefined, now: number): boolean {
  if (last === undefined) return true;
  return now - Date.parse(last.triedAt) >= (last.taken?.at === last.triedAt ? RENEW_MS : RETRY_MS);
}

/**
 * Takes a screenshot of a late machine's console unless the newest one is current. If EC2 or S3 refuse, an earlier picture stays,
 * and the next attempt is made two minutes later. Belongs into a poll.
 * @returns the newest one, which is the record's own where none was due
 */
export async function currentScreenshot(task: RebootTask, late: LateReboot): Promise<Screenshot> {
  const { steps, operation } = task;
  const last = ofThisBoot(late);
  if (last !== undefined && !isDue(last, steps.now())) return last;
  const at = steps.timestamp();
  const { instanceId } = leaseOf(task);
  try {
    const url = await steps.screenshots.take(instanceId, `screenshots/${operation}/${instanceId}/${at}.jpg`);
    return { triedAt: at, taken: { at, url } };
  } catch (error) {
    log("WARN", "refusal", { operation, action: "take a screenshot of the console", why: wordsOf(error) });
    return { triedAt: at, ...(last?.taken ? { taken: last.taken } : {}) };
  }
}

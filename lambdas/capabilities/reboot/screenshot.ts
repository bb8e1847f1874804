import { leaseOf } from "../../change/node/task.ts";
import { MINUTE } from "../../engine/durable.ts";
import { log } from "../../logging.ts";
import type { LateReboot, Screenshot } from "../../records/late-reboot.ts";
import { wordsOf } from "../../steps/client-errors.ts";
import type { RebootTask } from "./task.ts";

/** Interval between screenshots: while Windows installs updates, its console changes within minutes. */
const RENEW_MS = 10 * MINUTE;
/** Interval after an attempt that EC2 or S3 refused. */
const RETRY_MS = 2 * MINUTE;

/** Omits a screenshot from before the EC2 reboot: the boot that it shows is over. */
function ofThisBoot({ screenshot, ec2Reboot }: LateReboot): Screenshot | undefined {
  return screenshot !== undefined && screenshot.triedAt > (ec2Reboot?.at ?? "") ? screenshot : undefined;
}

function isDue(last: Screenshot | undefined, now: number): boolean {
  if (last === undefined) return true;
  return now - Date.parse(last.triedAt) >= (last.taken?.at === last.triedAt ? RENEW_MS : RETRY_MS);
}

/**
 * Takes a screenshot of a late machine's console unless the newest one is current. If EC2 or S3 refuses, the earlier
 * picture stays and the next attempt follows after two minutes. Call inside a poll.
 * @returns the newest screenshot; the recorded one if none was due
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

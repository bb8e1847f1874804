import type { Steps } from "../../steps/steps.ts";

/** Writes the copies of the audit that S3 did not take when the entries came. Belongs into a step. */
export async function exportLate(steps: Steps): Promise<void> {
  // While S3 takes none, the next sweep tries again; the doctor says how long they are late.
  for (const { chain } of await steps.audit.lateExports()) if (!(await steps.audit.catchUp(chain))) return;
}

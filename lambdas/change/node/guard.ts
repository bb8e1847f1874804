import { guardFile } from "../../machine/machine-paths.ts";
import type { PayloadManifest } from "../../machine/payload.ts";
import type { Observation } from "../../machine/plan.ts";
import { guardIsOld } from "../../messages/node/reboot.ts";
import type { StageFault } from "../../records/failures.ts";

/**
 * Judges the guard of the metadata route. Without it, a machine may stay unreachable after a reboot.
 * @returns its fault; null if the machine would survive a reboot
 */
export function guardFault({
  guard,
  metadataAnswers,
}: Pick<Observation, "guard" | "metadataAnswers">): StageFault | null {
  if (!guard.present || !guard.taskEnabled)
    return {
      code: "guard-task-missing",
      why: "the guard of the metadata route is not installed as a scheduled task",
    };
  if (guard.lastResult !== 0) {
    const why = `the guard of the metadata route ended with ${guard.lastResult ?? "no result"}`;
    const code = metadataAnswers ? "guard-failed" : "metadata-silent";
    return { code, why: guard.error ? `${why}: ${guard.error}` : why };
  }
  if (guard.paths !== 1)
    return { code: "network-paths", why: `the guard finds ${guard.paths} network paths to choose from instead of one` };
  return metadataAnswers ? null : { code: "metadata-silent", why: "the metadata service does not answer" };
}

/**
 * Compares the guard's file on the machine with the release's: a file of another release may lack what this release
 * relies on.
 * @returns the difference as a fault; null if the files are equal
 */
export function guardFileFault(
  { guard }: Pick<Observation, "guard">,
  { files }: Pick<PayloadManifest, "files">,
): StageFault | null {
  const file = files.find(({ path }) => path === guardFile);
  return !file || guard.sha256 === file.sha256 ? null : { code: "guard-of-another-release", why: guardIsOld };
}

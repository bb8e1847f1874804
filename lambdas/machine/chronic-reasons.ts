import type { RebootReason } from "./questions.ts";

/** Reasons for which Casement last rebooted a machine. */
export interface ProvenReboot {
  readonly reasons: readonly RebootReason[];
  /** Time of the proof; ISO 8601. */
  readonly at: string;
}

/**
 * Milliseconds after a proven reboot within which one of its reasons is no new one (chosen): programs that write files
 * for the next boot do it at their start or once a day, and Windows' updates come weeks apart.
 */
const AGAIN_MS = 24 * 3_600_000;

/** Reasons of a machine that are known before an observation. */
interface KnownReasons {
  readonly chronic?: readonly RebootReason[];
  readonly reboot?: ProvenReboot | undefined;
  readonly reasons?: readonly RebootReason[];
}

/**
 * Finds the reasons that a proven reboot of Casement did not end. Files may wait again within a day; any other reason must
 * have been there since the reboot, because Windows may install the next update after it. The proxy is none of them:
 * Casement writes it itself.
 * @param known the chronic reasons so far, the last proven reboot, and the reasons of the last observation
 * @param now milliseconds since the epoch
 */
export function chronicOf(
  { chronic = [], reboot, reasons: had = [] }: KnownReasons,
  reasons: readonly RebootReason[],
  now: number,
): readonly RebootReason[] {
  const rebootedFor = reboot && now - Date.parse(reboot.at) <= AGAIN_MS ? reboot.reasons : [];
  const isBack = (one: RebootReason): boolean =>
    rebootedFor.includes(one) && (one === "file-renames" || had.includes(one));
  return reasons.filter((one) => one !== "proxy" && (chronic.includes(one) || isBack(one)));
}

/**
 * Largest difference in milliseconds between two boot ids that are times of the same boot: Windows computes the time of
 * the boot again after its clock is set.
 */
export const SAME_BOOT_MS = 5 * 60_000;

/** Is a boot known by its time, because Windows does not count boots? */
export const isKnownByTime = (bootId: string): boolean => /^\d{4}-\d\d-\d\dT/.test(bootId);

/**
 * Converts a boot id that is a time (where Windows does not count boots) from the machine's clock to Casement's.
 * @param clock the machine's clock, Unix seconds
 * @param now milliseconds since the epoch
 */
export const onOurClock = (bootId: string, clock: number, now: number): string =>
  isKnownByTime(bootId) ? new Date(now - (clock * 1_000 - Date.parse(bootId))).toISOString() : bootId;

/**
 * Tests whether two ids belong to the same boot. Times of one boot may differ by minutes. A number and a time cannot be
 * compared, so they are treated as the same: nothing may be taken for a boot that did not happen.
 */
export function isSameBoot(one: string, other: string): boolean {
  if (isKnownByTime(one) !== isKnownByTime(other)) return true;
  return isKnownByTime(one) ? Math.abs(Date.parse(one) - Date.parse(other)) <= SAME_BOOT_MS : one === other;
}

/** A boot as a machine reports it. */
interface ReportedBoot {
  readonly bootId: string;
  /** The machine's clock at that moment, Unix seconds. */
  readonly clock: number;
}

/** Milliseconds since a boot that is known by its time: setting the clock moves both. */
const upMs = ({ bootId, clock }: ReportedBoot): number => clock * 1_000 - Date.parse(bootId);

/**
 * Tests whether a machine has booted between two reports. Two boots within minutes look the same by their times, but a
 * machine that is up for less time than before has booted.
 */
export const hasBooted = (before: ReportedBoot, after: ReportedBoot): boolean =>
  !isSameBoot(before.bootId, after.bootId) ||
  (isKnownByTime(before.bootId) && isKnownByTime(after.bootId) && upMs(after) < upMs(before));

/**
 * Largest difference in milliseconds between two boot ids that are times of the same boot: Windows computes the time of
 * the boot again after its clock is set.
 */
export const SAME_BOOT_MS = 5 * 60_000;

const isTime = (bootId: string): boolean => /^\d{4}-\d\d-\d\dT/.test(bootId);

/**
 * Converts a boot id that is a time (where Windows does not count boots) from the machine's clock to Casement's.
 * @param clock the machine's clock, Unix seconds
 * @param now milliseconds since the epoch
 */
export const onOurClock = (bootId: string, clock: number, now: number): string =>
  isTime(bootId) ? new Date(now - (clock * 1_000 - Date.parse(bootId))).toISOString() : bootId;

/**
 * Tests whether two ids belong to the same boot. Times of one boot may differ by minutes. A number and a time cannot be
 * compared, so they are treated as the same: nothing may be taken for a boot that did not happen.
 */
export function isSameBoot(one: string, other: string): boolean {
  if (isTime(one) !== isTime(other)) return true;
  return isTime(one) ? Math.abs(Date.parse(one) - Date.parse(other)) <= SAME_BOOT_MS : one === other;
}

/** Repairs of the route guard that looks have seen within a day. */
export interface RepairWatch {
  /** The first look of that day; ISO 8601. */
  readonly since: string;
  /** Repairs that the guard had counted until then. */
  readonly from: number;
}

const DAY_MS = 24 * 3_600_000;

/** Repairs within a day from which on something takes the routes away (chosen): a boot, or an overlay made anew, costs two. */
const MANY = 6;

/**
 * Counts the guard's repairs within a day. A guard that has counted fewer than before was installed anew.
 * @param repairs as the guard counts them since its installation; undefined if the machine did not say
 * @param now ISO 8601
 * @returns the watch to keep, and the number of repairs, 0 if they are not many
 */
export function observedRepairs(
  before: RepairWatch | undefined,
  repairs: number | undefined,
  now: string,
): { readonly watch: RepairWatch | undefined; readonly many: number } {
  if (repairs === undefined) return { watch: before, many: 0 };
  const isOver = before === undefined || Date.parse(now) - Date.parse(before.since) > DAY_MS;
  const watch = isOver || repairs < before.from ? { since: now, from: repairs } : before;
  const many = repairs - watch.from;
  return { watch, many: many < MANY ? 0 : many };
}

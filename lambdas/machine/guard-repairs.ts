/** Repairs of the route guard that observations have counted within a day. */
export interface RepairWatch {
  /** The first observation of that day; ISO 8601. */
  readonly since: string;
  /** Repairs that the guard had counted until then. */
  readonly from: number;
  /** Repairs since then. */
  readonly count: number;
  /** Repairs of the day before; 0 for the first day. */
  readonly last: number;
}

const DAY_MS = 24 * 3_600_000;

/** Repairs within a day from which on something takes the routes away (chosen): a boot, or an overlay made anew, costs two. */
const MANY = 6;

/** Begins another day where the last one is over, or the guard was installed anew and has counted fewer than before. */
function watchAfter(before: RepairWatch | undefined, repairs: number, now: string): RepairWatch {
  if (before === undefined || repairs < before.from) return { since: now, from: repairs, count: 0, last: 0 };
  const count = repairs - before.from;
  const isOver = Date.parse(now) - Date.parse(before.since) > DAY_MS;
  return isOver ? { since: now, from: repairs, count: 0, last: count } : { ...before, count };
}

/**
 * Counts the guard's repairs within a day. Many repairs are over after a whole day with few.
 * @param repairs as the guard counts them since its installation; undefined if the machine did not say
 * @param now ISO 8601
 * @returns the watch to keep, and the number of repairs, 0 if they are not many
 */
export function observedRepairs(
  before: RepairWatch | undefined,
  repairs: number | undefined,
  now: string,
): { readonly watch: RepairWatch | undefined; readonly many: number } {
  const watch = repairs === undefined ? before : watchAfter(before, repairs, now);
  const most = Math.max(watch?.count ?? 0, watch?.last ?? 0);
  return { watch, many: most < MANY ? 0 : most };
}

import { type Calendar, datesInForce, type FreezeDates, type MaintenanceWindow, spanOfDates } from "./maintenance.ts";
import type { Stop } from "./stops.ts";

/** The part of a configuration that decides when nodes may be disturbed. */
export interface MaintenanceRules {
  readonly freezes: readonly FreezeDates[];
  readonly pools: Readonly<
    Record<
      string,
      { readonly maintenance: readonly MaintenanceWindow[]; readonly freezes: readonly FreezeDates[] } | undefined
    >
  >;
}

/** The windows and freezes of a pool; without a configured pool, only the freezes of the whole cluster. */
export function calendarOf({ freezes, pools }: MaintenanceRules, pool: string | null): Calendar {
  const own = pool === null ? undefined : pools[pool];
  return { windows: own?.maintenance ?? [], freezes: [...freezes, ...(own?.freezes ?? [])] };
}

/**
 * The time zone in which people read the times of a pool. For the whole cluster: the one that all pools share,
 * otherwise UTC.
 */
export function zoneOf({ pools }: Pick<MaintenanceRules, "pools">, pool: string | null): string {
  const named = pool === null ? Object.values(pools) : [pools[pool]];
  const zones = new Set(named.flatMap((one) => one?.maintenance ?? []).map(({ timeZone }) => timeZone));
  const [first = "UTC"] = zones;
  return pool !== null || zones.size === 1 ? first : "UTC";
}

/** Turns the freeze dates in force into stops. @param now milliseconds since the epoch */
export function stopsOfDates({ freezes, pools }: MaintenanceRules, now: number): Stop[] {
  const stopOf =
    (target: Stop["target"]) =>
    (dates: FreezeDates): Stop => {
      const { from, until } = spanOfDates(dates);
      const times = { at: new Date(from).toISOString(), until: new Date(until).toISOString() };
      return { kind: "freeze", target, reason: dates.reason, by: "the configuration", ...times, isConfigured: true };
    };
  return [
    ...datesInForce(freezes, now).map(stopOf({ kind: "cluster" })),
    ...Object.entries(pools).flatMap(([pool, own]) =>
      datesInForce(own?.freezes ?? [], now).map(stopOf({ kind: "pool", pool })),
    ),
  ];
}

import { describe, expect, test } from "vitest";
import { calendarOf, type MaintenanceRules, stopsOfDates, zoneOf } from "../../lambdas/time/calendar.ts";
import type { FreezeDates, MaintenanceWindow } from "../../lambdas/time/maintenance.ts";

const window = (timeZone: string): MaintenanceWindow => ({ days: ["Sat"], from: "22:00", until: "04:00", timeZone });
const freeze = (reason: string): FreezeDates => ({
  ...{ from: "2026-12-19", until: "2027-01-03", reason, timeZone: "UTC" },
});
const rules: MaintenanceRules = {
  freezes: [freeze("holidays")],
  pools: {
    web: { maintenance: [window("Europe/Berlin")], freezes: [freeze("sale")] },
    batch: { maintenance: [], freezes: [] },
  },
};

describe("The calendar of a pool", () => {
  test("has its own windows, and the cluster's freezes before its own", () => {
    expect(calendarOf(rules, "web")).toEqual({
      windows: [window("Europe/Berlin")],
      freezes: [freeze("holidays"), freeze("sale")],
    });
  });

  test.for(["batch", "gone", null])("has the cluster's freezes alone for %s", (pool) => {
    expect(calendarOf(rules, pool)).toEqual({ windows: [], freezes: [freeze("holidays")] });
  });
});

describe("The time zone of times", () => {
  const zones = (...pools: readonly (readonly string[])[]): Pick<MaintenanceRules, "pools"> => ({
    pools: Object.fromEntries(pools.map((of, at) => [`p${at}`, { maintenance: of.map(window), freezes: [] }])),
  });

  test.for<[readonly (readonly string[])[], string | null, string]>([
    [[["Europe/Berlin"]], "p0", "Europe/Berlin"],
    [[["Europe/Berlin", "Asia/Tokyo"]], "p0", "Europe/Berlin"],
    [[[]], "p0", "UTC"],
    [[["Europe/Berlin"]], "gone", "UTC"],
    [[["Europe/Berlin"], ["Europe/Berlin"]], null, "Europe/Berlin"],
    [[["Europe/Berlin"], []], null, "Europe/Berlin"],
    [[["Europe/Berlin"], ["Asia/Tokyo"]], null, "UTC"],
    [[], null, "UTC"],
  ])("of windows in %j for pool %s is %s", ([pools, pool, zone]) => {
    expect(zoneOf(zones(...pools), pool)).toBe(zone);
  });
});

test("The dates that are in force are stops, of the cluster before those of pools", () => {
  const of = { at: "2026-12-19T00:00:00.000Z", until: "2027-01-04T00:00:00.000Z" };
  const stop = { kind: "freeze", by: "the configuration", isConfigured: true, ...of };
  expect(stopsOfDates(rules, Date.parse("2026-12-24T12:00:00Z"))).toEqual([
    { ...stop, target: { kind: "cluster" }, reason: "holidays" },
    { ...stop, target: { kind: "pool", pool: "web" }, reason: "sale" },
  ]);
  expect(stopsOfDates(rules, Date.parse(of.at) - 1)).toEqual([]);
  expect(stopsOfDates(rules, Date.parse(of.until) - 1)).toHaveLength(2);
  expect(stopsOfDates(rules, Date.parse(of.until))).toEqual([]);
});

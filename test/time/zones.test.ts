import { describe, expect, test } from "vitest";
import { daysAfter, isZone, localAt, momentOf, weekdayOf } from "../../lambdas/time/zones.ts";

const dateOf = (text: string) => {
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
  return { year, month, day };
};

test.each([
  ["Europe/Berlin", true],
  ["UTC", true],
  ["Europe/Atlantis", false],
  ["", false],
])("the time zone %j is known: %s", (timeZone, isKnown) => {
  expect(isZone(timeZone)).toBe(isKnown);
});

test.each([
  ["2026-11-21", 0, "2026-11-21"],
  ["2026-11-30", 1, "2026-12-01"],
  ["2026-12-31", 1, "2027-01-01"],
  ["2028-02-28", 1, "2028-02-29"],
  ["2026-03-01", -1, "2026-02-28"],
  ["2026-01-01", -1, "2025-12-31"],
])("from %s, %i days lead to %s", (from, days, until) => {
  expect(daysAfter(dateOf(from), days)).toEqual(dateOf(until));
});

test.each([
  ["2026-11-22", "Sun"],
  ["2026-11-23", "Mon"],
  ["2026-11-24", "Tue"],
  ["2026-11-28", "Sat"],
  ["2028-02-29", "Tue"],
])("%s is a %s", (date, weekday) => {
  expect(weekdayOf(dateOf(date))).toBe(weekday);
});

describe("A clock", () => {
  test.each([
    ["UTC", "2026-11-21T23:59:59.999Z", "2026-11-21", 23, 59, "Sat"],
    ["Europe/Berlin", "2026-11-22T23:00:00.500Z", "2026-11-23", 0, 0, "Mon"],
    ["America/New_York", "2026-01-01T04:59:59Z", "2025-12-31", 23, 59, "Wed"],
    ["Asia/Kathmandu", "2026-11-21T18:15:00Z", "2026-11-22", 0, 0, "Sun"],
  ])("of %s shows %s as %s %i:%i, a %s", (timeZone, at, date, hour, minute, weekday) => {
    expect(localAt(timeZone, Date.parse(at))).toEqual({ ...dateOf(date), hour, minute, weekday });
  });

  test.each([
    // America/Sao_Paulo skipped midnight, Pacific/Apia the whole of 30 December 2011 (IANA time zone database).
    ["America/Sao_Paulo", "2018-11-04", 0, 0, "2018-11-04T03:00:00.000Z"],
    ["America/Sao_Paulo", "2018-11-04", 0, 59, "2018-11-04T03:00:00.000Z"],
    ["America/Sao_Paulo", "2018-11-04", 1, 0, "2018-11-04T03:00:00.000Z"],
    ["Australia/Lord_Howe", "2026-10-04", 2, 15, "2026-10-03T15:30:00.000Z"],
    ["Australia/Lord_Howe", "2026-04-05", 1, 45, "2026-04-04T14:45:00.000Z"],
    ["America/New_York", "2026-11-01", 1, 30, "2026-11-01T05:30:00.000Z"],
    ["Pacific/Apia", "2011-12-30", 12, 0, "2011-12-30T10:00:00.000Z"],
  ])("of %s shows %s %i:%i first at %s", (timeZone, date, hour, minute, moment) => {
    expect(new Date(momentOf(timeZone, dateOf(date), { hour, minute })).toISOString()).toBe(moment);
  });
});

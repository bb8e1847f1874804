import { expect, test } from "vitest";
import { typedMoment } from "../../lambdas/time/dates.ts";

const NOW = Date.parse("2026-11-24T12:00:00Z");
const moment = (text: string) => ({ kind: "moment", at: Date.parse(`${text}:00Z`) });

test.each([
  ["Sat 02:00", moment("2026-11-28T01:00")],
  ["saturday 2:00", moment("2026-11-28T01:00")],
  ["Tue 13:30", moment("2026-11-24T12:30")],
  ["Tue 13:00", moment("2026-12-01T12:00")],
  ["13:30", moment("2026-11-24T12:30")],
  [" 12:59 ", moment("2026-11-25T11:59")],
  ["2026-11-28 02:00", moment("2026-11-28T01:00")],
  ["2026-11-28T02:00", moment("2026-11-28T01:00")],
  ["2026-11-28T02:00Z", moment("2026-11-28T02:00")],
  ["2026-11-28T02:00:00+05:30", moment("2026-11-27T20:30")],
  ["2026-11-28T02:00-0500", moment("2026-11-28T07:00")],
  ["2026-11-24 12:00", { kind: "past", at: Date.parse("2026-11-24T11:00:00Z") }],
  ["2026-12-24 12:00", { kind: "far", at: Date.parse("2026-12-24T11:00:00Z") }],
  ["2026-11-31 12:00", { kind: "unreadable" }],
  ["2026-11-28", { kind: "unreadable" }],
  ["Sat", { kind: "unreadable" }],
  ["Sat 25:00", { kind: "unreadable" }],
  ["someday 02:00", { kind: "unreadable" }],
  ["tomorrow", { kind: "unreadable" }],
  ["", { kind: "unreadable" }],
])("%j, typed in Berlin, is the moment that it names", (typed, expected) => {
  expect(typedMoment(typed, NOW, "Europe/Berlin", 14)).toEqual(expected);
});

test("A time that the clocks leave out is the moment at which they are set forward", () => {
  const now = Date.parse("2026-03-28T12:00:00Z");
  expect(typedMoment("Sun 02:30", now, "Europe/Berlin", 14)).toEqual(moment("2026-03-29T01:00"));
});

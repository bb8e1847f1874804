import { expect, test } from "vitest";
import { age, withLocalDates } from "../../../lambdas/messages/slack/age.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// The cases of k8s.io/apimachinery/pkg/util/duration/duration_test.go, TestHumanDuration and its boundaries.
test.each([
  [-5 * SECOND, "0s"],
  [0, "0s"],
  [SECOND, "1s"],
  [70 * SECOND, "70s"],
  [190 * SECOND, "3m10s"],
  [70 * MINUTE, "70m"],
  [47 * HOUR, "47h"],
  [49 * HOUR, "2d1h"],
  [8 * DAY + 2 * HOUR, "8d"],
  [367 * DAY, "367d"],
  [365 * 2 * DAY + 25 * HOUR, "2y1d"],
  [365 * 8 * DAY + 2 * HOUR, "8y"],
  [2 * MINUTE, "2m"],
  [5 * HOUR + 3 * MINUTE, "5h3m"],
  [3 * HOUR, "3h"],
  [12 * DAY, "12d"],
])("prints %i milliseconds as kubectl does: %s", (milliseconds, printed) => {
  expect(age(milliseconds)).toBe(printed);
});

const LOCAL = "<!date^1764163320^{date_short_pretty} at {time}|2025-11-26 13:22 UTC>";

test.each([
  ["frozen until 2025-11-26 13:22 UTC by olivia", `frozen until ${LOCAL} by olivia`],
  ["2025-11-26 13:22 UTC, 2025-11-26 13:22 UTC", `${LOCAL}, ${LOCAL}`],
  [LOCAL, LOCAL],
  ["`until 2025-11-26 13:22 UTC` and ```\n2025-11-26 13:22 UTC\n```", null],
  ["<https://example.com/2025-11-26 13:22 UTC|at 2025-11-26 13:22 UTC>", null],
  ["2025-11-26 13:22 and 13:22 UTC", null],
])("shows the dates of %j in the reader's time zone, outside of code and entities", (text, shown) => {
  expect(withLocalDates(text, 200)).toBe(shown ?? text);
});

test("a text that would become longer than Slack takes keeps its dates in UTC", () => {
  expect(withLocalDates("until 2025-11-26 13:22 UTC", 30)).toBe("until 2025-11-26 13:22 UTC");
});

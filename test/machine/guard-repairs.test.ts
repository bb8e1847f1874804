import { expect, test } from "vitest";
import { observedRepairs } from "../../lambdas/machine/guard-repairs.ts";

const at = (hour: number): string => new Date(Date.UTC(2026, 10, 20, hour)).toISOString();
const since = (hour: number, from: number, count = 0, last = 0) => ({ since: at(hour), from, count, last });

test.each([
  ["begin with the first look, whatever the guard has counted before", undefined, 40, 0, since(0, 40), 0],
  ["are not many for two boots", since(0, 40), 45, 10, since(0, 40, 5), 0],
  ["are many from six on within a day", since(0, 40), 46, 24, since(0, 40, 6), 6],
  ["stay many after a day with many", since(0, 40, 6), 99, 25, since(25, 99, 0, 59), 59],
  ["are over after a whole day with few", since(0, 40, 2, 59), 43, 25, since(25, 43, 0, 3), 0],
  ["are counted anew after an installation of the guard", since(0, 40, 9), 3, 10, since(10, 3), 0],
  ["stay as they are where the machine does not say", since(0, 40, 7), undefined, 10, since(0, 40, 7), 7],
])("Repairs of the guard %s", (_, before, repairs, hour, watch, many) => {
  expect(observedRepairs(before, repairs, at(hour))).toEqual({ watch, many });
});

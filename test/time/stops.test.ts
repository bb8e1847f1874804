import { describe, expect, test } from "vitest";
import { minutesIn, type Stop, type StopTarget, stopFor } from "../../lambdas/time/stops.ts";

const stop = (target: StopTarget): Stop => ({
  ...{ kind: "freeze", target, reason: "release", by: "U1", at: "2026-11-21T03:00:00Z", until: null },
});
const cluster = stop({ kind: "cluster" });
const web = stop({ kind: "pool", pool: "web" });
const node = stop({ kind: "node", uid: "u-1", name: "n-1" });

describe("The stop over a node", () => {
  test.each([
    ["is its own before its pool's and the cluster's", [cluster, web, node], { uid: "u-1", pool: "web" }, node],
    ["is its pool's before the cluster's", [cluster, web, node], { uid: "u-2", pool: "web" }, web],
    ["is the cluster's for a node of no pool", [cluster, web, node], { uid: "u-2", pool: null }, cluster],
    ["is none where only others are stopped", [web, node], { uid: "u-2", pool: "edge" }, null],
    ["is none for a namesake of another UID", [node], { uid: "u-9", pool: "web" }, null],
  ])("%s", (_, stops, place, expected) => {
    expect(stopFor(stops, place)).toBe(expected);
  });
});

test.each([
  ["90m", 90],
  ["4h", 240],
  ["2d", 2_880],
  [" 1H ", 60],
  ["30d", 43_200],
  ["31d", null],
  ["0m", null],
  ["4", null],
  ["soon", null],
  ["-4h", null],
])("the time %j is %j minutes", (typed, minutes) => {
  expect(minutesIn(typed)).toBe(minutes);
});

import { expect, it } from "vitest";
import { mergedOrder } from "../../../lambdas/inputs/mirrors/order.ts";

const edges = (...pairs: string[]): string[] => pairs.map((pair) => [...pair].join(" "));

// The last five are the cases of runtime-utils itself (pkg/registries/topo_test.go).
it.each([
  ["nothing", [], []],
  ["one list", ["c a b"], ["c", "a", "b"]],
  ["a list that continues another", ["b c", "a b"], ["a", "b", "c"]],
  ["the example of openshift/api", ["a b c", "c d e"], ["a", "b", "c", "d", "e"]],
  ["lists without a common mirror, by name", ["z a", "b"], ["b", "z", "a"]],
  ["a name that is free later behind those that are free now", ["b a", "c"], ["b", "c", "a"]],
  ["a cycle, by name", ["b a", "a b"], ["a", "b"]],
  ["a cycle behind a mirror", ["x c b", "b c"], ["x", "b", "c"]],
  ["one mirror before three", edges("AB", "AC", "AD", "ab", "ac", "ad"), [..."AaBCDbcd"]],
  ["three mirrors before one", edges("AD", "BD", "CD", "ad", "bd", "cd"), [..."ABCabcDd"]],
  ["a path in pairs", edges("AB", "BC", "CD", "DE", "ab", "bc", "cd", "de"), [..."AaBbCcDdEe"]],
  ["one loop", edges("AB", "BC", "CD", "DA", "ab", "bc", "cd", "da"), [..."ABCDabcd"]],
  [
    "a loop with a way in and out",
    edges("AB", "BC", "CD", "DB", "DE", "ab", "bc", "cd", "db", "de"),
    [..."AaBCDEbcde"],
  ],
])("%s is merged", (_, lists, order) => {
  const given = lists.map((list) => list.split(" "));
  expect(mergedOrder(given)).toEqual(order);
  expect(mergedOrder(given.toReversed())).toEqual(order);
});

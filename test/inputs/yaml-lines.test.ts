import { expect, test } from "vitest";
import { Refused } from "../../lambdas/errors.ts";
import { documentsIn, lineOf } from "../../lambdas/inputs/yaml-lines.ts";

const text = ["a: 1", "list:", "  - x", "  - name: y", "    deep: [1, 2]", "---", "b: 2"].join("\n");
const { events, documents } = documentsIn(text, "here");

test("Every document of a text is read", () => {
  expect(documents).toEqual([{ a: 1, list: ["x", { name: "y", deep: [1, 2] }] }, { b: 2 }]);
  expect(documentsIn("", "here").documents).toEqual([]);
});

test.each<[readonly PropertyKey[], number]>([
  [[], 1],
  [[0], 1],
  [[0, "a"], 1],
  [[0, "list"], 2],
  [[0, "list", 0], 3],
  [[0, "list", 1], 4],
  [[0, "list", 1, "name"], 4],
  [[0, "list", 1, "deep"], 5],
  [[0, "list", 1, "deep", 1], 5],
  [[0, "list", 1, "none", "below"], 4],
  [[0, "none"], 1],
  [[1], 7],
  [[1, "b"], 7],
  [[2, "b"], 1],
])("The value at %j is on line %i", (path, line) => {
  expect(lineOf(text, events, path)).toBe(line);
});

test.each([
  ["a: [1", /^ConfigMap x: line 1: /],
  ["a: 1\n b: 2", /^ConfigMap x: line 2: /],
  ["a: &one 1\nb: *one", /^ConfigMap x:/],
])("The text %j is refused with its line", (wrong, words) => {
  expect(() => documentsIn(wrong, "ConfigMap x")).toThrow(Refused);
  expect(() => documentsIn(wrong, "ConfigMap x")).toThrow(words);
});

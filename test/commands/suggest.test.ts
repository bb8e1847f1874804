import { expect, test } from "vitest";
import { editsBetween, suggest } from "../../lambdas/commands/suggest.ts";

test.for<[string, string, number]>([
  ["", "", 0],
  ["", "abc", 3],
  ["abc", "", 3],
  ["drain", "drain", 0],
  ["drain", "drian", 2],
  ["drain", "dran", 1],
  ["drain", "draain", 1],
  ["kitten", "sitting", 3],
])("From %s to %s it takes %i edits", ([one, other, edits]) => {
  expect(editsBetween(one, other)).toBe(edits);
});

test.for<[string, readonly string[], string | null]>([
  ["drian", ["drain", "remove"], "drain"],
  ["dran", ["remove", "drain"], "drain"],
  ["reboot", ["remove", "drain"], null],
  ["abcin", ["drain"], null],
  ["ad", ["add"], "add"],
  ["ib", ["in", "on"], "in"],
  ["xy", ["in"], null],
  ["x", ["y"], null],
  ["drain", [], null],
  [`drain${" ".repeat(36)}`, ["drain"], null],
])("Instead of %s of %j, %s was meant", ([typed, known, meant]) => {
  expect(suggest(typed, known)).toBe(meant);
});

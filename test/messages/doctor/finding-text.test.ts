import { expect, test } from "vitest";
import { broken, list, note, warning } from "../../../lambdas/messages/doctor/finding-text.ts";

test.each([
  ["broken", broken],
  ["warning", warning],
  ["note", note],
] as const)("a finding of the level %s has its area, problem and remedy", (level, build) => {
  expect(build("Nodes", "the agent is old", "update it")).toEqual({
    area: "Nodes",
    level,
    says: "the agent is old",
    remedy: "update it",
  });
});

test.each([
  [[], ""],
  [["a"], "`a`"],
  [["1", "2", "3", "4", "5", "6", "7", "8"], "`1`, `2`, `3`, `4`, `5`, `6`, `7`, `8`"],
  [["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"], "`1`, `2`, `3`, `4`, `5`, `6`, `7`, `8` and 2 more"],
])("of the names %j a finding lists eight and counts the others", (names, text) => {
  expect(list(names)).toBe(text);
});

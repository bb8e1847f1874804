import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { unnamedCommands } from "../../lambdas/commands/rule-gaps.ts";

test("the example of a configuration names every command that a policy must name", () => {
  const { people, policy, approvals } = parse(readFileSync("docs/configuration.example.yaml", "utf8"));
  expect(unnamedCommands({ people, policy, approvals })).toEqual([]);
});

import { expect, test } from "vitest";
import { audienceOf, mayUse, rolesOf, usable } from "../../lambdas/commands/policy.ts";

const rules = {
  people: { operator: ["U0OPERATOR", "S0WINDOWS"], reader: ["U0READER"] },
  policy: { nodes: ["operator", "reader"], add: ["operator"] },
};

test("gives a person the roles of the person and of the person's user groups", () => {
  expect(rolesOf(rules, "U0READER", ["S0WINDOWS"])).toEqual(["operator", "reader"]);
  expect(rolesOf(rules, "U0VISITOR0", ["S0OTHER"])).toEqual([]);
});

test("allows a command to the roles that the policy names, and to nobody else", () => {
  expect(mayUse(rules, ["operator"], "add")).toBe(true);
  expect(mayUse(rules, ["reader"], "add")).toBe(false);
  expect(mayUse(rules, ["operator"], "remove")).toBe(false);
});

test("allows nobody anything but help when the policy is empty", () => {
  expect(usable({ people: rules.people, policy: {} }, ["operator"])).toEqual(["help"]);
});

test("allows somebody without a role only help", () => {
  expect(usable(rules, [])).toEqual(["help"]);
});

test("calls the groups of a role, and the people of a role without a group", () => {
  expect(audienceOf(rules, "nodes")).toEqual(["S0WINDOWS", "U0READER"]);
  expect(audienceOf(rules, "drain")).toEqual([]);
});

test("does not mistake what every object has for a role or a rule", () => {
  expect(mayUse(rules, ["constructor"], "constructor")).toBe(false);
});

import { expect, test } from "vitest";
import { guardedRules, rulesChange } from "../../../lambdas/audit/rules-change.ts";
import { rulesChanged } from "../../../lambdas/capabilities/sweep/rules-message.ts";

const base = {
  people: { operator: ["U0OPERATOR", "S0OPERATORS"], approver: ["U0APPROVER"] },
  policy: { add: ["operator"], remove: ["operator"] },
  approvals: { drain: { needs: 1, roles: ["approver"] } },
  pools: { web: { maximum: 8, policy: { add: ["operator"] } }, batch: { maximum: 4 } },
  volumeKey: "arn:aws:kms:secret",
};

const between = (changes: object) => rulesChange(guardedRules(base), guardedRules({ ...base, ...changes }));

test("names what was added and removed at each path, of the cluster and of pools", () => {
  expect(
    between({
      people: { operator: ["U0OPERATOR", "U0NEWCOMER"], approver: ["U0APPROVER"] },
      policy: { add: ["operator"], remove: ["operator"], drain: ["operator"] },
      approvals: { drain: { needs: 2, roles: ["approver"] } },
      pools: { web: { maximum: 8 }, batch: { maximum: 4, approvals: { drain: { needs: 0 } } } },
    }),
  ).toEqual([
    { path: "approvals.drain.needs", added: ["2"], removed: ["1"] },
    { path: "people.operator", added: ["U0NEWCOMER"], removed: ["S0OPERATORS"] },
    { path: "policy.drain", added: ["operator"], removed: [] },
    { path: "pools.batch.approvals.drain.needs", added: ["0"], removed: [] },
    { path: "pools.web.policy.add", added: [], removed: ["operator"] },
  ]);
});

test("finds no change where only other sections changed, or the order of a list", () => {
  expect(
    between({
      people: { approver: ["U0APPROVER"], operator: ["S0OPERATORS", "U0OPERATOR"] },
      pools: { web: { maximum: 9, policy: { add: ["operator"] } } },
      volumeKey: "arn:aws:kms:another",
    }),
  ).toEqual([]);
});

test("is told within Slack's limits, however much changed, and without other sections", () => {
  const people = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`role-${at}`, [`U0PERSON${at}`]]));
  const { blocks, text } = rulesChanged(between({ people }), "prod-west", "v1");
  expect(blocks.length).toBeLessThanOrEqual(50);
  expect(JSON.stringify(blocks).length).toBeLessThan(13_200);
  expect(text).toContain("prod-west");
  expect(JSON.stringify(blocks)).not.toContain("arn:aws:kms");
});

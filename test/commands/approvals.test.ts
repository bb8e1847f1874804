import { describe, expect, it } from "vitest";
import {
  type ApprovalRules,
  approvalRule,
  approvalsNeeded,
  hasPoolPolicies,
  rulesIn,
} from "../../lambdas/commands/approvals.ts";
import { mayUse, mayUseSomewhere } from "../../lambdas/commands/policy.ts";

const rules: ApprovalRules = {
  people: { operator: ["U1"], batchers: ["U2"], approver: ["U3"] },
  policy: { remove: ["operator"], approve: ["approver"] },
  approvals: {},
  pools: {
    web: {},
    batch: { policy: { remove: ["batchers"] }, approvals: { remove: { needs: 2, minutes: 5, roles: ["batchers"] } } },
  },
};
const plan = (pods: number, losses: string[] = [], blockers: string[] | null = []) => ({ pods, losses, blockers });

describe("The approval of a command", () => {
  it.each<[string, number, number]>([
    ["drain", 0, 1],
    ["cordon", 50, 0],
    ["uncordon", 50, 0],
    ["reboot", 1, 1],
    ["remove", 0, 0],
    ["remove", 1, 1],
    ["add", 50, 0],
  ])("%s with %i pods needs %i by default", (command, pods, needs) => {
    expect(approvalsNeeded(approvalRule(rules, command, "web"), plan(pods))).toBe(needs);
  });

  it("is given by who may use approve, within half an hour, where the rule names neither", () => {
    expect(approvalRule(rules, "drain", null)).toMatchObject({ roles: ["approver"], minutes: 30 });
  });

  it("is that of the pool where the pool has a rule, which replaces the default whole", () => {
    const rule = approvalRule(rules, "remove", "batch");
    expect(rule).toEqual({ needs: 2, minutes: 5, roles: ["batchers"], unless: null });
    expect(approvalsNeeded(rule, plan(0))).toBe(2);
  });

  it("is not needed only while every condition holds; what is not known does not", () => {
    const unless = { nothingLost: true, noBudgetBlocks: true, podsAtMost: 3 };
    const rule = { needs: 1, roles: [], minutes: 30, unless };
    expect(approvalsNeeded(rule, plan(3))).toBe(0);
    expect(approvalsNeeded(rule, plan(4))).toBe(1);
    expect(approvalsNeeded(rule, plan(3, ["emptyDir"]))).toBe(1);
    expect(approvalsNeeded(rule, plan(3, [], ["disruption budget"]))).toBe(1);
    expect(approvalsNeeded(rule, plan(3, [], null))).toBe(1);
    expect(approvalsNeeded({ ...rule, unless: {} }, plan(0))).toBe(1);
  });
});

describe("A pool whose rules cannot be read", () => {
  const unreadable = { ...rules, pools: { ...rules.pools, web: { rulesFault: "approvals.remove: Invalid input" } } };

  it("allows nobody anything but help, and its approvals can be given by nobody", () => {
    expect(mayUse(rulesIn(unreadable, "web"), ["operator", "approver"], "remove")).toBe(false);
    expect(mayUse(rulesIn(unreadable, "web"), ["approver"], "approve")).toBe(false);
    for (const command of ["remove", "cordon"])
      expect(approvalRule(unreadable, command, "web")).toMatchObject({ needs: 1, roles: [], unless: null });
    expect(hasPoolPolicies({ pools: { web: { rulesFault: "" } } })).toBe(true);
  });

  it("changes nothing for other pools and for nodes without a pool", () => {
    expect(mayUse(rulesIn(unreadable, "batch"), ["batchers"], "remove")).toBe(true);
    expect(mayUse(rulesIn(unreadable, null), ["operator"], "remove")).toBe(true);
  });
});

describe("A pool's own policy", () => {
  it("keeps the operators of other pools out, and lets its own in", () => {
    const inBatch = rulesIn(rules, "batch");
    expect(mayUse(inBatch, ["operator"], "remove")).toBe(false);
    expect(mayUse(inBatch, ["batchers"], "remove")).toBe(true);
    expect(mayUse(rulesIn(rules, "web"), ["batchers"], "remove")).toBe(false);
    expect(mayUse(inBatch, ["approver"], "approve")).toBe(true);
  });

  it("lets a command in whose pool is not known yet, to be judged when it is", () => {
    expect(mayUseSomewhere(rules, ["batchers"], "remove")).toBe(true);
    expect(mayUseSomewhere(rules, ["approver"], "remove")).toBe(false);
  });
});

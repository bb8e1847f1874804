import { describe, expect, it } from "vitest";
import type { ApprovalRules } from "../../lambdas/commands/approvals.ts";
import { fewApprovers, unnamedCommands } from "../../lambdas/commands/rule-gaps.ts";

const rules = (more: Partial<ApprovalRules> = {}): ApprovalRules => ({
  people: { operator: ["U1"], approver: ["U2", "U3"] },
  policy: { approve: ["approver"], drain: ["operator"] },
  approvals: {},
  ...more,
});

describe("Approvals that too few people can give", () => {
  it("are none where two can", () => {
    expect(fewApprovers(rules(), {})).toEqual([]);
  });

  it("are all that need one where a single person can", () => {
    const people = { operator: ["U1"], approver: ["U2"] };
    expect(fewApprovers(rules({ people }), {})).toEqual([
      { commands: ["drain", "reboot", "restart", "assist", "remove"], pool: null, people: ["U2"] },
    ]);
  });

  it("are those of a rule whose roles may not approve at all", () => {
    const approvals = { drain: { needs: 1 as const, roles: ["operator"] } };
    expect(fewApprovers(rules({ approvals }), {})).toEqual([{ commands: ["drain"], pool: null, people: [] }]);
  });

  it("are those of a pool with a policy of its own", () => {
    const pools = { web: { policy: { approve: ["operator"] } } };
    expect(fewApprovers(rules({ pools }), {})).toEqual([
      { commands: ["drain", "reboot", "restart", "assist", "remove"], pool: "web", people: ["U1"] },
    ]);
  });

  it("count the members of groups, and leave out a group whose members are not known", () => {
    const people = { operator: ["U1"], approver: ["S1"] };
    expect(fewApprovers(rules({ people }), { S1: ["U2", "U3"] })).toEqual([]);
    expect(fewApprovers(rules({ people }), { S1: ["U2"] })).toMatchObject([{ people: ["U2"] }]);
    expect(fewApprovers(rules({ people }), {})).toEqual([]);
  });

  it("are none for a command that needs no approval", () => {
    const approvals = Object.fromEntries(
      ["drain", "reboot", "restart", "assist", "remove"].map((name) => [name, { needs: 0 as const }]),
    );
    expect(fewApprovers(rules({ people: { approver: [] }, approvals }), {})).toEqual([]);
  });
});

describe("Commands that the policy does not name", () => {
  it("are those of an older configuration; one that is closed on purpose is named", () => {
    const found = unnamedCommands(rules({ policy: { drain: ["operator"], audit: [] } }));
    expect(found).toEqual(expect.arrayContaining(["approve", "deny", "cordon", "uncordon"]));
    for (const name of ["drain", "audit", "help"]) expect(found).not.toContain(name);
  });

  it("are not those that a pool's own policy names", () => {
    expect(unnamedCommands(rules({ pools: { web: { policy: { deny: ["approver"] } } } }))).not.toContain("deny");
  });
});

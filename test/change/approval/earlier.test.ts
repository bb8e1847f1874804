import { expect, it } from "vitest";
import { earlierAsJudged, validQuestion } from "../../../lambdas/change/approval/earlier.ts";
import { judgedHash } from "../../../lambdas/change/approval/judged.ts";
import type { Approval, ApprovalBasis } from "../../../lambdas/records/approval.ts";

const record: ApprovalBasis = {
  ...{ action: "remove", options: {}, nodes: [], losses: [], lossMarks: [], blockers: [], policy: { needs: 1 } },
};
const earlier = {
  ...{ state: "open", asking: 2, record, hash: "the ledger's", needs: 1, roles: ["anyone"], pool: "batch" },
  ...{ until: "2026-11-21T14:00:00.000Z", card: {}, votes: [], worse: [] },
} as unknown as Approval;
const judged = { needs: 2, roles: ["approver"], pool: "web" };
const UNTIL = "2026-11-22T02:00:00.000Z";

it.each<[Approval["state"], boolean]>([
  ["open", true],
  ["approved", true],
  ["denied", false],
  ["lapsed", false],
  ["cancelled", false],
  ["superseded", false],
  ["review", false],
  ["reviewed", false],
])("A question that is %s is valid for a later execution: %s", (state, isValid) => {
  const known = { ...earlier, state };
  expect(validQuestion(known)).toBe(isValid ? known : null);
});

it("There is no valid question where none was asked", () => {
  expect(validQuestion(null)).toBeNull();
});

it("An earlier question is taken by what this execution judges, not by the ledger's record of that", () => {
  expect(earlierAsJudged(earlier, judged, null)).toEqual({ ...earlier, ...judged, hash: judgedHash(record) });
});

it("An earlier question is extended to the end of the window only while it is open", () => {
  expect(earlierAsJudged(earlier, judged, Date.parse(UNTIL)).until).toBe(UNTIL);
  const approved = { ...earlier, state: "approved" } as const;
  expect(earlierAsJudged(approved, judged, Date.parse(UNTIL)).until).toBe(earlier.until);
});

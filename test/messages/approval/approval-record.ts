import type { Approval, CountedVote } from "../../../lambdas/records/approval.ts";

/** An approval as the ledger holds it, with what a test cares for. */
export const approvalRecord = (fields: Partial<Approval> = {}): Approval => ({
  state: "open",
  asking: 1,
  record: { action: "remove", options: {}, nodes: [], losses: [], blockers: null, policy: {} },
  hash: "abcdef0123456789",
  needs: 1,
  roles: ["approver"],
  pool: "web",
  until: "2026-11-21T16:00:00.000Z",
  card: { blocks: [{ type: "section", text: "the plan" }] },
  votes: [],
  worse: [],
  ...fields,
});

export const vote = (userId: string, decision: CountedVote["decision"] = "approve", reason?: string): CountedVote => ({
  userId,
  decision,
  at: "2026-11-21T14:10:00.000Z",
  ...(reason === undefined ? {} : { reason }),
});

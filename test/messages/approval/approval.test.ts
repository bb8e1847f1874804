import { describe, expect, test } from "vitest";
import {
  approvalBlocks,
  approvalCall,
  approvalNotice,
  approvalUsed,
  notApprovedSummary,
  type VoteResult,
  voteAnswer,
} from "../../../lambdas/messages/approval/approval.ts";
import { denyDialog, denyNotice } from "../../../lambdas/messages/approval/deny-dialog.ts";
import { say } from "../../../lambdas/messages/slack/blocks.ts";
import { operationRecord } from "../records.ts";
import { approvalRecord, vote } from "./approval-record.ts";

const shown = (fields: Parameters<typeof approvalRecord>[0] = {}, endedAt: string | null = null): string =>
  JSON.stringify(approvalBlocks({ id: "remove-3f9c2a71", endedAt, approval: approvalRecord(fields) }));

const UNTIL = "<!date^1795276800^{date_short_pretty} at {time}|2026-11-21 16:00 UTC>";

describe("The approval in an operation's message", () => {
  test("names other operations on its nodes", () => {
    const other = { id: "drain-1", title: "Drain win-1", by: "noor", state: "working" } as const;
    const node = { uid: "u", instanceId: "i", bootId: null };
    const { record } = approvalRecord();
    expect(shown({ others: [other], record: { ...record, nodes: [node] } })).toContain(
      "⚠️ Also requested for this node: `drain-1` (Drain win-1) by noor, is at work. Only one operation at a time works on a node.",
    );
    expect(shown({ others: [other], record: { ...record, nodes: [node, node] } })).toContain("some of these nodes");
    expect(shown()).not.toContain("Also requested");
  });

  test("shows the plan, what it waits for, and its buttons", () => {
    expect(approvalBlocks({ id: "remove-3f9c2a71", endedAt: null, approval: approvalRecord() })).toEqual([
      { type: "section", text: "the plan" },
      {
        type: "section",
        text: expect.objectContaining({
          text: `*Needs 1 approval* from \`approver\`, not from the requester. Without it nothing is changed, and the request lapses ${UNTIL}.`,
        }),
      },
      { type: "context", elements: [{ type: "mrkdwn", text: "plan `abcdef012345`", verbatim: true }] },
      expect.objectContaining({
        block_id: "approval:remove-3f9c2a71:1",
        elements: [
          expect.objectContaining({ action_id: "approve-operation", value: "remove-3f9c2a71:1", style: "primary" }),
          expect.not.objectContaining({ style: expect.anything() }),
        ],
      }),
    ]);
  });

  test("offers to run without it where some role may, with the next step", () => {
    const text = shown({ unapprovedNode: "win-1" });
    expect(text).toContain(
      "*Run without approval…* starts it now in the name of the person who presses it, ends this request and calls the approvers",
    );
    expect(text).toContain('"action_id":"run-unapproved"');
    expect(shown()).not.toContain("Run without approval");
  });

  test("names the way of the on-call role to recover the nodes of a rollout one by one", () => {
    const words = 'No approver awake: `{win} remove &lt;node&gt; --break-glass \\"reason\\"` recovers';
    expect(shown({ isUnapprovedByNode: true })).toContain(words);
    expect(shown()).not.toContain("No approver awake");
  });

  test("counts the approvals that are given, and not the denials", () => {
    const votes = [vote("U0FIRST00"), vote("U0SECOND0", "deny"), vote("U0THIRD00")];
    expect(shown({ needs: 3, votes })).toContain(
      "*Needs 3 approvals* from `approver`, not from the requester. Approved by <@U0FIRST00> and <@U0THIRD00>; 1 more to come.",
    );
  });

  test("says where no role may give it, and that the plan got worse", () => {
    expect(shown({ roles: [] })).toContain("*Needs 1 approval* but no role may give it.");
    expect(shown({ asking: 2, worse: ["3 pods more", "emptyDir"] })).toContain(
      "⚠️ The plan got worse after it was approved: 3 pods more; emptyDir. Approve it again.",
    );
    expect(shown({ asking: 2 })).toContain("asked 2 times");
    expect(shown()).not.toContain("got worse");
  });

  test("lets approvers approve a hopeless plan as a wait, without a button that stands out", () => {
    const card = { blocks: [], isHopeless: true } as const;
    const [, , row] = approvalBlocks({ id: "drain-1", endedAt: null, approval: approvalRecord({ card }) });
    expect(row).toMatchObject({
      elements: [
        { action_id: "approve-operation", value: "drain-1:1", text: { text: "Approve the wait" } },
        { action_id: "deny-operation", value: "drain-1:1", text: { text: "Deny" } },
      ],
    });
    expect(JSON.stringify(row)).not.toContain("style");
  });

  test("is the review of a change that did not wait for it, before and after the vote", () => {
    const of = (fields: Parameters<typeof approvalRecord>[0]) =>
      approvalBlocks({
        id: "drain-1",
        endedAt: null,
        approval: approvalRecord({ breakGlass: "the site is down", ...fields }),
      });
    expect(of({ state: "review" })).toMatchObject([
      { type: "section", text: { text: expect.stringContaining("*Runs without an approval* (--break-glass)") } },
      { type: "actions", block_id: "review:drain-1:1" },
    ]);
    expect(of({ state: "reviewed", votes: [vote("U0FIRST00")] })).toEqual([
      {
        type: "context",
        elements: [
          {
            type: "mrkdwn",
            text: "🔓 without an approval: the site is down · reviewed by <@U0FIRST00>: looks fine",
            verbatim: true,
          },
        ],
      },
    ]);
  });

  test("is one line once it is given, and nothing after another end", () => {
    const votes = [vote("U0FIRST00"), vote("U0SECOND0", "deny")];
    expect(approvalBlocks({ id: "x", endedAt: null, approval: approvalRecord({ state: "approved", votes }) })).toEqual([
      {
        type: "context",
        elements: [{ type: "mrkdwn", text: "approved by <@U0FIRST00> · plan `abcdef012345`", verbatim: true }],
      },
    ]);
    for (const state of ["denied", "lapsed", "cancelled"] as const) expect(shown({ state })).toBe("[]");
    expect(shown({}, "2026-11-21T15:00:00.000Z")).toBe("[]");
    expect(approvalBlocks({ id: "x", endedAt: null })).toEqual([]);
  });

  test("calls groups and people, in Slack and past it", () => {
    const call = approvalCall(approvalRecord({ needs: 2 }), ["S0GROUP00", "U0PERSON0", "U0ASKER00"], "U0ASKER00");
    expect(call.text).toBe(
      `<!subteam^S0GROUP00> <@U0PERSON0> this plan needs 2 approvals. Read it above, then press *Approve* or *Deny*. It lapses ${UNTIL}.`,
    );
    expect(approvalCall(approvalRecord(), [], null).text).toMatch(/^this plan needs 1 approval\./);
    const notice = approvalNotice(operationRecord(), "2026-11-21T16:00:00.000Z");
    expect(notice).toMatchObject({
      kind: "approval",
      operation: "add-3f9c2a71",
      until: "2026-11-21T16:00:00.000Z",
    });
    expect(notice.message).toBe(
      "add-3f9c2a71 (Add 2 nodes to web) is waiting for an approval in Slack. Without it the request lapses at 2026-11-21 16:00 UTC and nothing is changed. See docs/runbook.md#approvals.",
    );
  });

  test("counts once", () => {
    expect(approvalUsed("add-3f9c2a71")).toBe(
      "the approval of `add-3f9c2a71` was already used by another execution; an approval counts once",
    );
  });
});

describe("An operation that was not approved", () => {
  test.each([
    [
      { kind: "denied", by: "U0FIRST00", reason: "not today." },
      "Denied by <@U0FIRST00>: not today. Nothing was changed.",
    ],
    [{ kind: "denied", by: "U0FIRST00", reason: null }, "Denied by <@U0FIRST00>. Nothing was changed."],
    [{ kind: "cancelled", by: "U0FIRST00" }, "Cancelled by <@U0FIRST00> before it was approved. Nothing was changed."],
    [
      { kind: "worse", worse: ["a", "b"] },
      "The plan got worse after each approval (a; b). Nothing was changed. When it has settled, ask again: AGAIN",
    ],
    [{ kind: "superseded" }, "What would be approved has changed: another request follows. Nothing was changed."],
    [
      { kind: "lapsed" },
      "The request lapsed: the approval did not come in time. Nothing was changed. Ask again: AGAIN",
    ],
  ] as const)("%o: %s", (end, summary) => {
    expect(notApprovedSummary(end, "AGAIN")).toBe(summary);
  });
});

describe("The answer to a vote", () => {
  const operation = "drain-3f9c2a71";
  test.each<readonly [VoteResult, string]>([
    [
      { kind: "unknown", operation },
      "Operation `drain-3f9c2a71` not found. `{win} operations` lists recent operations.",
    ],
    [{ kind: "not asked", operation }, "`drain-3f9c2a71` is not waiting for an approval. Nothing was changed."],
    [
      { kind: "closed", operation },
      "The approval of `drain-3f9c2a71` was already decided, or lapsed. See its message for the result.",
    ],
    [
      { kind: "stale", operation },
      "The plan of `drain-3f9c2a71` has changed. Read the new plan in its message and decide there.",
    ],
    [
      { kind: "own", operation },
      "You requested `drain-3f9c2a71`, so another person must decide. To withdraw it: `{win} cancel drain-3f9c2a71`.",
    ],
    [
      { kind: "role", operation, roles: ["approver", "admin"] },
      "You cannot decide about `drain-3f9c2a71`: only `approver`, `admin` can. Nothing was changed.",
    ],
    [
      { kind: "role", operation, roles: [] },
      "You cannot decide about `drain-3f9c2a71`: no role is configured that can. Nothing was changed.",
    ],
    [
      { kind: "heard", operation, decision: "approve" },
      "Your approval of `drain-3f9c2a71` is recorded. Its message shows what follows.",
    ],
    [
      { kind: "heard", operation, decision: "deny" },
      "Your denial of `drain-3f9c2a71` is recorded. The operation ends and nothing is changed.",
    ],
    [
      { kind: "review heard", operation, decision: "approve" },
      "Your review of `drain-3f9c2a71` is recorded: looks fine. Its thread shows the review within 15 minutes of the operation's end.",
    ],
    [
      { kind: "review heard", operation, decision: "deny" },
      "Your review of `drain-3f9c2a71` is recorded: raises a concern. Its thread shows the review within 15 minutes of the operation's end.",
    ],
  ])("says what follows: $kind", (voted, answer) => {
    expect(voteAnswer(voted).text).toBe(answer);
  });
});

describe("The dialog of a denial", () => {
  test("asks for a reason that may be left out, of a plan and of a review", () => {
    const plan = denyDialog("drain-3f9c2a71", "drain-3f9c2a71:1", "deny");
    expect(plan).toMatchObject({
      type: "modal",
      private_metadata: "drain-3f9c2a71:1",
      title: { text: "Deny the plan" },
      submit: { text: "Deny" },
      blocks: [
        { text: { text: "`drain-3f9c2a71` ends, and nothing is changed." } },
        { type: "input", optional: true, element: { max_length: 200 } },
      ],
    });
    expect(denyDialog("drain-3f9c2a71", "drain-3f9c2a71:1", "review")).toMatchObject({
      title: { text: "Review" },
      submit: { text: "Raise a concern" },
      blocks: [
        { text: { text: "`drain-3f9c2a71` gets a review that raises a concern. What was done stays as it is." } },
        { type: "input" },
      ],
    });
  });

  test("asks for a reason that may not be left out, of a change without approval", () => {
    expect(denyDialog("drain-3f9c2a71", "drain-3f9c2a71:1", "run")).toMatchObject({
      private_metadata: "run drain-3f9c2a71:1",
      title: { text: "Run without approval" },
      blocks: [{ type: "section" }, { type: "input", optional: false }],
    });
  });

  test("is replaced by the reason for which the denial had no effect", () => {
    const { blocks } = say("Too late.");
    expect(denyNotice("drain-3f9c2a71:1", say("Too late."))).toMatchObject({
      private_metadata: "drain-3f9c2a71:1",
      title: { text: "Check the operation" },
      blocks,
    });
    expect(denyNotice("drain-3f9c2a71:1", say("Too late."))).not.toHaveProperty("submit");
  });
});

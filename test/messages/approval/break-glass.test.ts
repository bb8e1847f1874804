import { expect, test } from "vitest";
import {
  breakGlassBlocks,
  breakGlassCall,
  breakGlassNeedsName,
  breakGlassNotice,
  breakGlassTaken,
  reviewedMessage,
  reviewNotice,
  reviewReminder,
  waitsForReview,
} from "../../../lambdas/messages/approval/break-glass.ts";
import { operationRecord } from "../records.ts";
import { approvalRecord, vote } from "./approval-record.ts";

const approval = approvalRecord({ state: "review", breakGlass: "the site is down." });
const operation = operationRecord({
  id: "drain-3f9c2a71",
  request: { command: "drain", node: "win-1", dryRun: false },
});
const shown = (value: object): string => JSON.stringify(value);

test("An operation without an approval shows its reason and the buttons of its review", () => {
  const running = breakGlassBlocks({ id: operation.id, endedAt: null }, approval);
  expect(shown(running)).toContain(
    "🔓 *Runs without an approval* (--break-glass): the site is down.\\n`approver` must review it: press *Looks fine* or *Raise a concern*.",
  );
  expect(running[1]).toMatchObject({
    block_id: "review:drain-3f9c2a71:1",
    elements: [
      { action_id: "approve-operation", value: "drain-3f9c2a71:1", text: { text: "Looks fine" } },
      { action_id: "deny-operation", value: "drain-3f9c2a71:1", text: { text: "Raise a concern" } },
    ],
  });
  const ended = breakGlassBlocks({ id: operation.id, endedAt: "2026-11-21T15:00:00.000Z" }, approval);
  expect(shown(ended)).toContain("🔓 *Ran without an approval*");
});

test.each([
  [[vote("U0FIRST00")], "reviewed by <@U0FIRST00>: looks fine"],
  [[vote("U0FIRST00", "deny", "too hasty")], "reviewed by <@U0FIRST00>: raises a concern: too hasty"],
  [[], "reviewed"],
])("Its review is one line: %#", (votes, words) => {
  expect(breakGlassBlocks({ id: operation.id, endedAt: null }, { ...approval, state: "reviewed", votes })).toEqual([
    {
      type: "context",
      elements: [{ type: "mrkdwn", text: `🔓 without an approval: the site is down. · ${words}`, verbatim: true }],
    },
  ]);
});

test("It calls the approvers with its plan, and ends the reason with one full stop", () => {
  const call = breakGlassCall(operation, approval, ["S0GROUP00"]);
  expect(call.text).toBe(
    "<!subteam^S0GROUP00> 🔓 olivia is acting without an approval: *Drain win-1*. Reason: the site is down. To stop it, press *Cancel operation* above. Review it when it has ended. Its plan:",
  );
  expect(call.blocks).toHaveLength(3);
  expect(call.blocks[1]).toEqual({ type: "section", text: "the plan" });
  expect(breakGlassNotice(operation, "the site is down")).toEqual({
    kind: "break-glass",
    operation: "drain-3f9c2a71",
    message:
      "drain-3f9c2a71 (Drain win-1) runs without an approval, as olivia asked: the site is down. Review it in Slack. See docs/runbook.md#break-glass.",
    until: null,
  });
});

test("Its approvers are reminded of a review that is missing", () => {
  const reminder = reviewReminder(operation, approval, {
    at: "2026-11-21T12:00:00.000Z",
    now: "2026-11-21T14:00:00.000Z",
    called: ["U0FIRST00"],
  });
  expect(reminder.text).toBe(
    "<@U0FIRST00> 🔓 `drain-3f9c2a71` (Drain win-1) ran without an approval 120m ago and was not reviewed. Reason: the site is down.",
  );
  expect(shown(reminder.blocks)).toContain("review:drain-3f9c2a71:1");
  expect(reviewNotice(operation)).toEqual({
    kind: "break-glass",
    operation: "drain-3f9c2a71",
    message:
      "drain-3f9c2a71 (Drain win-1) ran without an approval and was not reviewed. Press Looks fine or Raise a concern in Slack. See docs/runbook.md#break-glass.",
    until: null,
  });
  expect(waitsForReview(approval)).toBe("its review by `approver`: it ran without an approval");
});

test("Its thread says how the review ended", () => {
  expect(reviewedMessage(operation, vote("U0FIRST00", "deny", "too hasty")).text).toBe(
    "🔓 <@U0FIRST00> reviewed `drain-3f9c2a71` (Drain win-1): raises a concern: too hasty.",
  );
});

test("It is refused for a part of a name, and while another one waits for its review", () => {
  expect(breakGlassNeedsName("win-1.example", "win")).toBe(
    "--break-glass requires the node's name: `win-1`, not `win`.",
  );
  expect(breakGlassTaken({ operation: "drain-3f9c2a71", node: "win-1" })).toMatch(
    /`drain-3f9c2a71` used it for `win-1`. Ask an approver to run `\{win\} approve drain-3f9c2a71`, or ask again without --break-glass$/,
  );
});

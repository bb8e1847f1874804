import { describe, expect, test } from "vitest";
import { threadLines, threadStateOf } from "../../../lambdas/messages/operation/thread.ts";
import type { NodeRecord } from "../../../lambdas/records/records.ts";
import { decidingRecord, NOW, nodeRecord, operationRecord, settings } from "../records.ts";
import { expectWithinSlackLimits } from "../within-slack-limits.ts";

const said = (before: NodeRecord | null, after: NodeRecord, count = 1) => {
  const view = { operation: operationRecord(), nodes: Array<NodeRecord>(count).fill(after), now: NOW };
  return threadLines(view, before && threadStateOf(before), after, settings).map(({ message }) => message);
};
const texts = (before: NodeRecord | null, after: NodeRecord, count = 1) =>
  said(before, after, count).map(({ text }) => text);

test("tells each new stage and how long the one before took", () => {
  const before = nodeRecord({ stage: "guard", stageSince: "2026-11-21T14:07:18.000Z" });
  expect(texts(before, nodeRecord())).toEqual([
    "⏳ node 1 `i-0ab12cd34ef567890`: installing Windows features, with one reboot (metadata route took 42s)",
  ]);
});

test("gives no duration where a stage between the two was over before it was told", () => {
  const before = nodeRecord({ stage: "guard", position: "3/14", stageSince: "2026-11-21T14:07:18.000Z" });
  expect(texts(before, nodeRecord({ position: "4/14" }))[0]).toContain("(metadata route took 42s)");
  expect(texts(before, nodeRecord({ position: "5/14" }))[0]).not.toContain("took");
});

test("is silent when only what a node waits for has changed", () => {
  expect(said(nodeRecord(), nodeRecord({ waitsFor: "the reboot" }))).toEqual([]);
});

test("is silent about a node that waits for its turn", () => {
  expect(said(null, nodeRecord({ status: "queued", stage: null }))).toEqual([]);
});

test("calls the requester to a failure that waits for a decision, with its buttons", () => {
  const [message] = said(nodeRecord(), decidingRecord(), 2);
  expect(JSON.stringify(message?.blocks)).toContain("<@U0OPERATOR>, this needs a decision.");
  expect(JSON.stringify(message?.blocks)).toContain("terminate-instance");
});

test("names the failure of an only node in one line, since the operation's message has it with its buttons", () => {
  const [message] = said(nodeRecord(), decidingRecord());
  const shown = JSON.stringify(message?.blocks);
  expect(shown).toContain("failed at _Windows features_ after 9m50s · needs a decision");
  expect(shown).toContain("<@U0OPERATOR>, this needs a decision.");
  expect(shown).not.toContain("terminate-instance");
});

test("shows a failure in full within Slack's limits", () => {
  const failure = { stage: "payload", why: "<".repeat(20_000), left: "&".repeat(2_000) } as const;
  const [message] = said(
    nodeRecord({ nodeName: "n".repeat(253) }),
    decidingRecord({ failure, nodeName: "n".repeat(253) }),
    2,
  );
  expectWithinSlackLimits(message?.blocks ?? []);
});

test("tells a failure once, then what became of it", () => {
  const ended = decidingRecord({ status: "failed", outcome: "kept by <@U0APPROVER>", endedAt: NOW });
  expect(texts(decidingRecord(), ended)).toEqual([
    "❌ node 1 `i-0ab12cd34ef567890`: failed at _Windows features_ after 9m50s · kept by <@U0APPROVER>",
  ]);
});

test("says once that nothing was launched, with what can be typed next", () => {
  const left = "no instance was launched";
  const failure = { stage: "launch", why: "InsufficientInstanceCapacity", left } as const;
  const [message] = said(nodeRecord(), decidingRecord({ status: "failed", failure, outcome: left, endedAt: NOW }), 2);
  const shown = JSON.stringify(message?.blocks);
  expect(shown).toMatch(/No instance was launched\. Likely cause: [^*]*\*Remedy:\* [^*]*\*Next:\* `\{win\} add web`/);
});

test("passes on each remark once", () => {
  const before = nodeRecord({ notes: ["one"] });
  expect(texts(before, nodeRecord({ notes: ["one", "a CSR for <other> is pending"] }))).toEqual([
    "ℹ️ node 1 `i-0ab12cd34ef567890`: a CSR for &lt;other&gt; is pending",
  ]);
});

describe("of six nodes", () => {
  const cancelled = nodeRecord({ status: "cancelled", endedAt: NOW, outcome: "its instance is terminated" });

  test("leaves out stages, and ends after which nothing is left to do", () => {
    expect(texts(nodeRecord({ stage: "guard" }), nodeRecord(), 5)).toHaveLength(1);
    expect(texts(nodeRecord({ stage: "guard" }), nodeRecord(), 6)).toEqual([]);
    expect(texts(nodeRecord(), nodeRecord({ status: "succeeded", endedAt: NOW }), 6)).toEqual([]);
    expect(texts(nodeRecord(), { ...cancelled, isTerminated: true }, 6)).toEqual([]);
  });

  test("keeps failures in full, their outcomes, remarks, and instances that remain", () => {
    expect(JSON.stringify(said(nodeRecord(), decidingRecord(), 6))).toContain("terminate-instance");
    const ended = decidingRecord({ status: "failed", outcome: "kept by <@U0APPROVER>", endedAt: NOW });
    expect(texts(decidingRecord(), ended, 6).join()).toContain("kept by <@U0APPROVER>");
    expect(texts(nodeRecord(), nodeRecord({ notes: ["a CSR is pending"] }), 6).join()).toContain("a CSR is pending");
    expect(texts(nodeRecord(), cancelled, 6).join()).toContain("its instance is terminated");
  });
});

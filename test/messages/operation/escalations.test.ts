import { describe, expect, it } from "vitest";
import {
  confirmationNotice,
  decisionNotice,
  keptNotice,
  line,
  lostNotice,
  type Notice,
  signingRequestNotice,
  sourceOf,
  unsaidNotice,
} from "../../../lambdas/messages/operation/escalations.ts";
import { nodeRecord, operationRecord } from "../records.ts";

const HOSTILE = 'a "quoted" \\ word\nof Windows\u0000\u202e';
const failure = { stage: "agent", why: HOSTILE, left: "instance i-1 is running" } as const;
const decideBy = "2026-11-21T04:20:00.000Z";

const all: readonly Notice[] = [
  decisionNotice("add-3f9c2a71", { instanceId: "i-1", failure, decideBy }),
  confirmationNotice("remove-3f9c2a71", "ip-10-0-0-7", HOSTILE, decideBy),
  signingRequestNotice("add-3f9c2a71", [HOSTILE, HOSTILE]),
  lostNotice(operationRecord({}), HOSTILE, [nodeRecord({ status: "failed", outcome: HOSTILE })]),
];

describe("what people are told past Slack", () => {
  it.each(all)("is one line that fits into a quoted template: $kind", ({ message }) => {
    expect(message).toMatch(/^[^"\\\n\p{C}]+$/u);
    expect(message.length).toBeLessThanOrEqual(1_000);
    expect(message).toContain("a 'quoted' / word of Windows");
  });

  it("says of a failed machine what must be decided, until when, and how without Slack", () => {
    const [{ message, until } = { message: "", until: null }] = all;
    expect(message).toContain("add-3f9c2a71: i-1 failed at the stage first boot.");
    expect(message).toContain(
      "Press Keep or Terminate in Slack; without a decision it is terminated at 2026-11-21 04:20 UTC",
    );
    expect(message).toContain("docs/runbook.md#answer-for-a-button-by-hand");
    expect(until).toBe(decideBy);
  });
});

const NAME = "i-0ab12cd34ef567890";
const HOUR_LATER = "2026-11-22T04:20:00.000Z";

describe("a notice", () => {
  it.each<readonly [string, Notice, Notice]>([
    [
      "of a machine that never started",
      decisionNotice("add-1", { instanceId: null, failure: null, decideBy: null }),
      {
        kind: "decision",
        operation: "add-1",
        message:
          "add-1: an instance failed at the stage launch. Press Keep or Terminate in Slack; without a decision it is terminated at UTC. Without Slack: docs/runbook.md#answer-for-a-button-by-hand. Cause: unknown",
        until: null,
      },
    ],
    [
      "of a removal",
      confirmationNotice("remove-1", "win-1", "olivia", decideBy),
      {
        kind: "confirmation",
        operation: "remove-1",
        message:
          "remove-1: the removal of win-1 is waiting for olivia to confirm the dialog in Slack. Without an answer it ends at 2026-11-21 04:20 UTC and nothing is changed.",
        until: decideBy,
      },
    ],
    [
      "of certificate requests",
      signingRequestNotice("add-1", ["one", "two"]),
      {
        kind: "signing-request",
        operation: "add-1",
        message:
          "add-1: a certificate request needs review (kubectl get csr). one; two. See docs/runbook.md#stage-client-certificate.",
        until: null,
      },
    ],
    [
      "of a kept machine",
      keptNotice(nodeRecord({ operation: "add-1", instanceId: NAME, keptAt: decideBy }), HOUR_LATER),
      {
        kind: "kept",
        operation: "add-1",
        message: `add-1: ${NAME} has been kept for 24h and is still billed. Press Terminate now in Slack when it is no longer needed. See docs/runbook.md#when-adding-a-node-fails.`,
        until: null,
      },
    ],
    [
      "of a kept machine without a name and a time",
      keptNotice(nodeRecord({ operation: "add-1", instanceId: null }), HOUR_LATER),
      {
        kind: "kept",
        operation: "add-1",
        message:
          "add-1: an instance has been kept for 0s and is still billed. Press Terminate now in Slack when it is no longer needed. See docs/runbook.md#when-adding-a-node-fails.",
        until: null,
      },
    ],
    [
      "of refused messages",
      unsaidNotice(["add-1", "add-2", "add-3", "add-4", "add-5", "add-6"]),
      {
        kind: "slack",
        operation: null,
        message:
          "Slack has refused messages for ten minutes: add-1, add-2, add-3, add-4, add-5 and 1 more. The operations go on, no further node of a rollout is begun. See docs/runbook.md#slack-denies-calls.",
        until: null,
      },
    ],
    [
      "of a lost operation",
      lostNotice(operationRecord({ id: "add-1" }), "it was stopped", [
        nodeRecord({ status: "failed", nodeName: "win-1", outcome: "it is cordoned" }),
        nodeRecord({ status: "succeeded", nodeName: "win-2", outcome: "it is Ready" }),
        nodeRecord({ status: "failed", nodeName: "win-3" }),
      ]),
      {
        kind: "lost",
        operation: "add-1",
        message:
          "add-1 (Add 2 nodes to web) stalled and needs attention: it was stopped. See docs/runbook.md#take-a-lost-machine-away. Remaining: `win-1`: it is cordoned.",
        until: null,
      },
    ],
  ])("%s says what waits, for whom, and what to do", (_of, notice, expected) => {
    expect(notice).toEqual(expected);
  });

  it("is cut at 1,000 characters and has no blanks around it", () => {
    expect(line("  a \t b  ")).toBe("a b");
    expect(line("x".repeat(1_001))).toBe("x".repeat(1_000));
  });

  it("comes from the source of its cluster", () => {
    expect(sourceOf("prod-west")).toBe("casement.prod-west");
  });
});

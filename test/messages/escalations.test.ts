import { describe, expect, it } from "vitest";
import {
  confirmationNotice,
  decisionNotice,
  lostNotice,
  type Notice,
  signingRequestNotice,
} from "../../lambdas/messages/operation/escalations.ts";
import { nodeRecord, operationRecord } from "./records.ts";

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

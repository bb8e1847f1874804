import { describe, expect, test } from "vitest";
import {
  pauseCall,
  pauseCauseOf,
  pausedSummary,
  pauseNotice,
  pauseWords,
  resumedSummary,
  rolloutButtons,
  rolloutClosed,
  rolloutSummary,
  worseThanApproved,
} from "../../../lambdas/messages/rollout/rollout.ts";
import { type SteerResult, steerAnswer } from "../../../lambdas/messages/rollout/steer.ts";
import type { NodeRecord, OperationRecord } from "../../../lambdas/records/records.ts";
import { decidingRecord, nodeRecord, operationRecord } from "../records.ts";

const node = (index: number, fields: Partial<NodeRecord>): NodeRecord =>
  nodeRecord({ index, nodeName: `win-${index}`, workflow: "reboot", ...fields });
const proven = node(0, { status: "succeeded" });
const gone = node(1, { status: "succeeded", outcome: "its Node no longer exists" });
const failed = node(2, { status: "failed", failure: { stage: "evict", why: "a pod stays", left: "" } });
const cancelled = node(3, { status: "cancelled" });
const queued = node(4, { status: "queued", nodeName: null });

const rollout = (fields: Partial<OperationRecord> = {}): OperationRecord =>
  operationRecord({ id: "reboot-3f9c2a71", request: { command: "reboot", node: "win-1", dryRun: false }, ...fields });
const pause = { by: null, why: "win-2 failed", at: "2026-11-21T12:00:00.000Z" };
const course = { paused: null, part: 1, parkedAt: null, heard: null };

describe("The summary of a rollout", () => {
  test("counts what is proven, and names the rest by its fate", () => {
    expect(rolloutSummary([proven, gone, failed, cancelled, queued])).toBe(
      "1 of 5 nodes is rebooted and proven. win-2 failed at eviction. No longer there: win-1. Not rebooted: win-3, node 5.",
    );
    expect(rolloutSummary([proven, { ...proven, index: 1 }])).toBe("2 of 2 nodes are rebooted and proven.");
    expect(rolloutSummary([cancelled])).toBe("0 of 1 node is rebooted and proven. Not rebooted: win-3.");
    expect(rolloutSummary([cancelled, queued])).toMatch(/^0 of 2 nodes are rebooted/);
  });

  test("says of a pause why, and what has come of it so far", () => {
    expect(pausedSummary(pause, [proven, failed])).toMatch(
      /^Paused: win-2 failed\. 1 of 2 nodes is rebooted and proven\. .*Resume goes on with the nodes that are left\. Cancel ends the rollout\.$/,
    );
    expect(resumedSummary("U0FIRST00")).toBe("Resumed by <@U0FIRST00>.");
  });

  test("says after the maintenance when it goes on", () => {
    const from = Date.parse("2026-11-28T21:00:00.000Z");
    const until = Date.parse("2026-11-29T03:00:00.000Z");
    expect(rolloutClosed([proven, failed], { from, until, timeZone: "UTC" })).toMatch(
      / 1 of 2 nodes is rebooted and proven\. The rollout goes on Sat 28 Nov 2026, 21:00 to Sun 29 Nov 2026, 03:00 UTC\.$/,
    );
    expect(rolloutClosed([proven], null)).toMatch(/The rollout waits: there is no maintenance in the next 35 days/);
  });

  test("says of a node that its plan got worse", () => {
    expect(worseThanApproved("win-1", "reboot", ["emptyDir", "3 pods"])).toBe(
      "the plan of win-1 got worse since it was approved (emptyDir; 3 pods); a reboot of this node alone asks again",
    );
  });
});

describe("The pause of a rollout", () => {
  test("has the failed nodes as its cause, or the canary", () => {
    expect(pauseWords({ kind: "canary" }, [proven])).toBe(
      "the first node is proven, and the rollout was started with --canary",
    );
    const cause = { kind: "failed", indexes: [2, 5] } as const;
    const bare = node(5, { status: "failed", nodeName: null });
    expect(pauseWords(cause, [proven, failed, decidingRecord({ index: 3 }), bare])).toBe(
      "win-2 failed at eviction, node 6 failed",
    );
  });

  test("calls the requester, or nobody by name where a schedule asked", () => {
    expect(pauseCall(rollout(), pause).text).toBe(
      "<@U0OPERATOR>, the rollout is paused: win-2 failed. Press *Resume* or *Cancel operation* above, or type `{win} resume reboot-3f9c2a71` or `{win} cancel reboot-3f9c2a71`.",
    );
    expect(pauseCall(rollout({ origin: { by: "rule", rule: "nightly" } }), pause).text).toMatch(
      /^The rollout is paused: /,
    );
  });

  test("calls people past Slack too", () => {
    expect(pauseNotice(rollout(), pause)).toEqual({
      kind: "decision",
      operation: "reboot-3f9c2a71",
      message:
        "reboot-3f9c2a71 (Reboot win-1) is paused: win-2 failed. Press Resume or Cancel in Slack; until then no further node is begun. See docs/runbook.md#a-rollout-is-paused.",
      until: null,
    });
  });

  test("names the nodes that take all slots, and offers to go on beside them by their number", () => {
    const taken = { pool: "web", most: 1, away: ["win-2"] };
    expect(pausedSummary({ ...pause, taken }, [proven, failed])).toContain(
      "win-2 is NotReady or cordoned and takes the only slot of pool web. Bring it back into service, then press Resume; or go on with 2 nodes unavailable.",
    );
    const two = { pool: null, most: 2, away: ["win-2", "win-7"] };
    expect(pausedSummary({ ...pause, taken: two }, [proven, failed])).toContain(
      "win-2, win-7 are NotReady or cordoned and take all 2 slots of the nodes without a pool. Bring one of them back",
    );
    expect(pauseCall(rollout(), { ...pause, taken }).text).toContain("takes the only slot of pool web. Press *Resume*");
    const buttons = rolloutButtons(rollout({ rollout: { ...course, paused: { ...pause, taken } } }));
    expect(buttons.map(({ text, value, style }) => [text, value, style])).toEqual([
      ["Resume", "reboot-3f9c2a71", undefined],
      ["Go on with 2 unavailable", "reboot-3f9c2a71:2", undefined],
    ]);
  });

  test("has the words of the only failure as its cause, for those who are called", () => {
    const late = {
      ...failed,
      failure: { stage: "prove", why: "gave up waiting for Windows services: x", left: "" },
    } as const;
    const cause = pauseCauseOf({ kind: "failed", indexes: [2] }, [proven, late]);
    expect(cause).toBe("Windows services: x");
    expect(pauseCauseOf({ kind: "failed", indexes: [2, 3] }, [late, { ...late, index: 3 }])).toBeUndefined();
    expect(pauseCauseOf({ kind: "canary" }, [proven])).toBeUndefined();
    const called = pauseCall(rollout(), { ...pause, cause: "a <b> of <@U0OTHER>; type `{win} thaw web`" }).text;
    expect(called).toContain("is paused: win-2 failed (a &lt;b&gt; of &lt;@U0OTHER&gt;; type '{win} thaw web'). Press");
  });

  test("says of nodes without a slot that none became free", () => {
    expect(pauseWords({ kind: "no slot", indexes: [2] }, [proven, failed])).toBe("no slot became free for win-2");
  });

  test("is asked for and ended by one button, while the rollout runs", () => {
    const texts = (fields: Partial<OperationRecord>) => rolloutButtons(rollout(fields)).map(({ text }) => text);
    expect(texts({})).toEqual([]);
    expect(texts({ rollout: course })).toEqual(["Pause"]);
    expect(texts({ rollout: { ...course, paused: pause } })).toEqual(["Resume"]);
    expect(texts({ rollout: { ...course, paused: pause }, endedAt: "2026-11-21T15:00:00.000Z" })).toEqual([]);
    expect(rolloutButtons(rollout({ rollout: course }))[0]?.value).toBe("reboot-3f9c2a71");
  });

  const operation = "reboot-3f9c2a71";
  test.each<readonly [SteerResult, string]>([
    [
      { kind: "unknown", operation },
      "Operation `reboot-3f9c2a71` not found. `{win} operations` lists recent operations.",
    ],
    [
      { kind: "no rollout", operation },
      "`reboot-3f9c2a71` is no rollout over several nodes, so there is nothing to pause or resume. To stop it: `{win} cancel reboot-3f9c2a71`.",
    ],
    [
      { kind: "not running", operation },
      "`reboot-3f9c2a71` has not begun with its nodes, so there is nothing to pause or resume. To stop it: `{win} cancel reboot-3f9c2a71`.",
    ],
    [
      { kind: "heard", operation, decision: "pause", isBlocked: false },
      "`reboot-3f9c2a71` is being paused: no further node is started. Nodes whose reboot has not been sent are restored, the others are finished.",
    ],
    [
      { kind: "heard", operation, decision: "resume", isBlocked: false },
      "`reboot-3f9c2a71` is being resumed. Its message shows what follows.",
    ],
    [
      { kind: "heard", operation, decision: "resume", isBlocked: true },
      "`reboot-3f9c2a71` goes on unless its pool is frozen or has no free slot. Then it stays paused, and its message says what ends that.",
    ],
  ])("answers the wish for it: %#", (steered, answer) => {
    expect(steerAnswer(steered).text).toBe(answer);
  });
});

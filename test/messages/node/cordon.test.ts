import { describe, expect, test } from "vitest";
import {
  type CordonOutcome,
  type CordonResult,
  cordonDryRun,
  cordonEvent,
  cordonFailedSummary,
  cordonGivenBack,
  cordonKept,
  cordonLeaves,
  cordonLeft,
  cordonPlanCard,
  cordonSummary,
  gaveBackEvent,
  keptCordoned,
  provenSince,
  quarantinedInRollout,
  stillQuarantined,
  takenOver,
  uncordonedEvent,
  uncordonedSince,
} from "../../../lambdas/messages/node/cordon.ts";
import { operationRecord } from "../records.ts";

const subject = { node: "win-1", instanceId: "i-0a" };
const drain = operationRecord({ id: "drain-3f9c2a71", request: { command: "drain", node: "win-1", dryRun: false } });

describe("A node whose cordon an operation gives back", () => {
  test.each<readonly [CordonOutcome, words: string, type: string | null, reason: string | null]>([
    ["uncordoned", "the node is schedulable again", "Normal", "CasementUncordoned"],
    ["cordoned-instead", "cordoned in place of its start-up taint", "Warning", "CasementLeftNode"],
    ["schedulable", "someone else uncordoned it", "Normal", "CasementLeftNode"],
    ["as-before", "the node is cordoned, as it was before", "Normal", "CasementLeftNode"],
    ["cordoned-since", "`kubectl uncordon win-1` makes it schedulable", "Warning", "CasementLeftNode"],
    ["another-owner", "see `kubectl describe node win-1`", "Warning", "CasementLeftNode"],
    ["replaced", "a new Node `win-1` has taken its place", null, null],
    ["deleted", "its Node no longer exists", null, null],
    ["terminating", "EC2 is terminating `i-0a`", "Normal", "CasementLeftNode"],
  ])("is %s: %s", (outcome, words, type, reason) => {
    expect(cordonLeft(outcome, subject)).toContain(words);
    const event = gaveBackEvent(outcome, drain.id, subject);
    if (type === null) expect(event).toBeNull();
    else
      expect(event).toEqual({
        type,
        reason,
        message: `drain-3f9c2a71 has ended: ${cordonLeft(outcome, subject).replaceAll("`", "")}`,
      });
  });

  test("is told of in the operation's thread", () => {
    const given = cordonGivenBack(drain, subject, "uncordoned");
    expect(given.text).toBe("Drain win-1: win-1 was given back");
    expect(JSON.stringify(given.blocks)).toContain(
      "`win-1` of *Drain win-1*: the node is schedulable again; evicted pods stay where they are now.",
    );
    const kept = cordonKept(drain, subject);
    expect(kept.text).toBe("Drain win-1: win-1 stays cordoned");
    expect(JSON.stringify(kept.blocks)).toContain("the node stays cordoned until it is proven (`{win} prove win-1`)");
    for (const { blocks } of [given, kept]) expect(JSON.stringify(blocks[1])).toContain("`drain-3f9c2a71`");
  });

  test("has Events of its cordon and of a person's uncordon", () => {
    expect(cordonEvent("drain-1")).toEqual({
      type: "Normal",
      reason: "CasementCordoned",
      message: "cordoned by drain-1",
    });
    expect(uncordonedEvent("uncordon-1")).toEqual({
      type: "Normal",
      reason: "CasementUncordoned",
      message: "uncordoned by uncordon-1",
    });
  });

  test("has a later state that names who changed it", () => {
    expect(keptCordoned("U0FIRST00")).toMatch(/^kept cordoned by <@U0FIRST00>; only /);
    expect(keptCordoned(null)).toMatch(/^kept cordoned; only /);
    expect(uncordonedSince("U0FIRST00")).toBe("uncordoned since by <@U0FIRST00>");
    expect(uncordonedSince(null)).toBe("uncordoned since");
    expect(provenSince("prove-1")).toBe("proven since by prove-1, which gave the node back");
    expect(takenOver("drain-2")).toBe("`drain-2` has taken the node over since");
  });
});

describe("A cordon that a person asks for", () => {
  test.each<readonly [CordonResult, string]>([
    ["cordoned", "win-1 is cordoned: no new pods are scheduled on it. Its pods keep running."],
    ["cordoned-before", "win-1 was already cordoned. Nothing was changed."],
    ["kept", "win-1 stays cordoned. Only {win} uncordon makes it schedulable again."],
    ["uncordoned", "win-1 is schedulable again."],
    ["schedulable-before", "win-1 was already schedulable. Nothing was changed."],
    ["gone", "win-1 no longer exists. Nothing was changed."],
  ])("ends %s: %s", (result, summary) => {
    expect(cordonSummary(result, "win-1")).toBe(summary);
  });

  test.each([
    ["cordon", false, "*Dry run: nothing was changed.* `win-1` would be cordoned.\nTo apply: `{win} cordon win-1`"],
    ["cordon", true, "*Dry run: nothing was changed.* `win-1` is already cordoned.\nNothing to apply."],
    [
      "uncordon",
      true,
      "*Dry run: nothing was changed.* `win-1` would be uncordoned.\nTo apply: `{win} uncordon win-1`",
    ],
    ["uncordon", false, "*Dry run: nothing was changed.* `win-1` is already schedulable.\nNothing to apply."],
  ] as const)("as a dry run of %s (cordoned: %s) says what would change", (command, isCordoned, text) => {
    expect(cordonDryRun(command, "win-1", isCordoned).text).toBe(text);
  });

  test.each([
    ["cordon", false, "`win-1` is cordoned: no new pods are scheduled on it, and running pods stay."],
    ["cordon", true, "and running pods stay. It is already cordoned."],
    ["uncordon", true, "`win-1` is uncordoned: new pods may be scheduled on it."],
    ["uncordon", false, "new pods may be scheduled on it. It is already schedulable."],
  ] as const)("as a plan of %s (cordoned: %s) says what it means", (command, isCordoned, words) => {
    const text = JSON.stringify(cordonPlanCard(command, "win-1", isCordoned).blocks);
    expect(text).toContain(words);
    expect(text.includes("already")).toBe(words.includes("already"));
  });

  test("says of a failure what is left", () => {
    expect(cordonFailedSummary.cancelled("x")).toBe("Cancelled: x.");
    expect(cordonFailedSummary.failed("uncordon", "x")).toBe("The uncordon failed: x.");
    expect(cordonLeaves.held("win-1")).toMatch(/afterFailedDrain says; `\{win\} uncordon win-1` makes it schedulable$/);
    expect(cordonLeaves.asks("win-1")).toMatch(/or type `\{win\} uncordon win-1` or `\{win\} cordon win-1`$/);
    expect(cordonLeaves.unseen("403")).toBe("the Node could not be read: 403");
    expect(cordonLeaves.cordoned("win-1", "403")).toContain("because 403; `kubectl uncordon win-1`");
  });

  test("is not lifted from a quarantined node without its name", () => {
    const again = "`{win} uncordon win-1 --quarantined win-1`";
    expect(stillQuarantined("win-1")).toContain(`${again} puts it back in service anyway.`);
    expect(cordonLeaves.quarantined("win-1")).toContain(again);
    expect(quarantinedInRollout("win-1")).toContain(
      "`{win} why win-1` shows what is wrong; once it is fixed, reboot it on its own",
    );
  });
});

import { describe, expect, test } from "vitest";
import { continueButtons, continueNext, continueNotice } from "../../../lambdas/messages/node/continue.ts";
import {
  type DrainRefusal,
  drainRefused,
  podsCameBack,
  volumesLeft,
  volumesToDetach,
} from "../../../lambdas/messages/node/drain.ts";
import { guardBlocks, guardDryRun, guardedWithoutNode, guardSummary } from "../../../lambdas/messages/node/guard.ts";
import {
  bootInSoak,
  ec2RefusedReboot,
  guardNotReady,
  notProvenYet,
  notRebootedSummary,
  provenSummary,
  rebootDryRun,
  rebootedSummary,
  rebootPlanCard,
} from "../../../lambdas/messages/node/reboot.ts";
import type { NodePlan } from "../../../lambdas/messages/plan/plan.ts";
import { decidingRecord, NOW } from "../records.ts";

const plan = (fields: Partial<NodePlan> = {}): NodePlan => ({
  ...{ node: "win-1", pool: "web", release: null, pods: [], staying: 0, refusals: [], placements: [], away: [] },
  ...{
    maxUnavailable: 1,
    others: [],
    unread: [],
    minutes: 5,
    mostMinutes: 30,
    at: NOW,
    blockers: [],
    longJobs: [],
    untried: null,
  },
  ...fields,
});

describe("The guard of the metadata route", () => {
  const shown = (guard: NodePlan["guard"]) => JSON.stringify(guardBlocks(plan(guard ? { guard } : {})));

  test("is shown in a plan that looked at it", () => {
    expect(shown(undefined)).toBe("[]");
    expect(shown({ state: "in order" })).toContain("✅ The guard of the metadata route is in order.");
    expect(shown({ state: "fault", what: "the guard is missing" })).toContain(
      "⛔ The guard is missing. A reboot is refused until it is installed: `{win} guard win-1`.",
    );
    expect(shown({ state: "unknown", why: "no answer" })).toContain(
      "⚪ The guard of the metadata route could not be checked: no answer. A reboot checks it again before it begins.",
    );
  });

  test("is summed up by how the nodes ended", () => {
    const node = (status: "succeeded" | "failed" | "cancelled", outcome: string | null = null) => ({ status, outcome });
    expect(guardSummary([node("succeeded")])).toBe("The guard of the metadata route works on 1 node.");
    expect(guardSummary([node("succeeded"), node("failed"), node("cancelled")])).toBe(
      "The guard of the metadata route works on 1 node, 1 node failed, 1 node not touched, because the operation was cancelled.",
    );
    expect(guardSummary([node("succeeded", guardedWithoutNode)])).toBe(
      "The guard of the metadata route works on 1 node. 1 Node of these no longer exists: restart the kubelet or the machine, and it registers again.",
    );
    expect(guardSummary([node("succeeded", guardedWithoutNode), node("succeeded", guardedWithoutNode)])).toContain(
      "2 Nodes of these no longer exist:",
    );
  });

  test("has a dry run with the machines that get it, and the refusals of the others", () => {
    const { text, blocks } = guardDryRun([
      { name: "win-1", refusal: null },
      { name: "win-2", refusal: "`win-2` cannot be given it" },
    ]);
    expect(text).toBe("Dry run: guard 1 node");
    expect(JSON.stringify(blocks)).toContain("would be installed and checked on `win-1`.");
    expect(JSON.stringify(blocks)).toContain("• `win-2` cannot be given it");
    expect(JSON.stringify(blocks.at(-1))).toContain("To apply: `{win} guard win-1`");
  });
});

describe("The card of a reboot", () => {
  test.each([
    ["asked", "as requested"],
    ["silent", "because its SSM agent does not answer"],
  ] as const)("warns that EC2 resets the machine (%s)", (throughEc2, why) => {
    for (const { blocks } of [
      rebootPlanCard(plan({ throughEc2 })),
      rebootDryRun(plan({ throughEc2 }), "`{win} reboot win-1`"),
    ])
      expect(JSON.stringify(blocks)).toContain(`⚠️ The machine is rebooted *through EC2*, ${why}: EC2 asks Windows`);
    expect(JSON.stringify(rebootPlanCard(plan()).blocks)).not.toContain("through EC2");
  });

  test("says that the node is drained, and in a dry run how it is applied", () => {
    expect(JSON.stringify(rebootPlanCard(plan()).blocks[0])).toContain("*Plan*: `win-1` is drained and rebooted.");
    const { text, blocks } = rebootDryRun(plan({ guard: { state: "in order" } }), "`{win} reboot win-1 --ec2`");
    expect(text).toBe("Dry run: reboot win-1");
    expect(JSON.stringify(blocks)).toContain("✅ The guard of the metadata route is in order.");
    expect(JSON.stringify(blocks.at(-1))).toContain("To apply: `{win} reboot win-1 --ec2`");
  });

  test.each<NonNullable<NodePlan["guard"]>>([
    { state: "fault", what: "the guard is missing" },
    { state: "in order", unfit: "the disk is full" },
  ])("has a dry run without a command to apply where the reboot is refused: %j", (guard) => {
    const { blocks } = rebootDryRun(plan({ guard }), "`{win} reboot win-1`");
    expect(JSON.stringify(blocks)).toContain("A reboot is refused until");
    expect(JSON.stringify(blocks)).not.toContain("To apply");
  });

  test("is followed by a summary that says what is proven, and what is left", () => {
    expect(rebootedSummary("win-1", "the node is schedulable again")).toBe(
      "win-1 was rebooted and works: boot, routes, services, container network and kubelet are checked; the node is schedulable again.",
    );
    expect(notRebootedSummary.unproven("x")).toBe("The reboot is not proven: x.");
    expect(notRebootedSummary.failed("x")).toBe("The node was not rebooted: x.");
    expect(notRebootedSummary.cancelled("x")).toBe("Cancelled before the reboot: x.");
    expect(provenSummary("win-1", null)).toMatch(/; no reboot had left it cordoned, so nothing was changed\.$/);
    expect(provenSummary("win-1", "given back")).toMatch(/; given back\.$/);
    expect(ec2RefusedReboot("IncorrectState")).toMatch(/^EC2 refused to reboot the machine: IncorrectState\. /);
    expect(guardNotReady("the task is missing")).toMatch(/^the task is missing\. Without a working guard/);
    expect(bootInSoak).toContain("booted again");
  });

  test("names the check that fails", () => {
    const fault = { name: "network", state: "wrong", trouble: { kind: "network-missing", network: "ovn" } } as const;
    expect(notProvenYet(fault, "win-1", NOW)).toBe(
      "Container network: The container network `ovn` does not exist: pods get no address",
    );
  });
});

describe("A drain that evicts nothing", () => {
  const refusal = (reason: DrainRefusal["reason"], pod: string, detail = ""): DrainRefusal => ({ pod, reason, detail });

  test.each<readonly [DrainRefusal, string]>([
    [refusal("unmanaged", "shop/a"), "nothing recreates shop/a: --force evicts them"],
    [refusal("empty-dir", "shop/a", "cache"), "local data of shop/a (cache) would be lost: --force evicts them"],
    [refusal("daemonset-orphaned", "shop/a"), "the DaemonSet of shop/a no longer exists: --force evicts them"],
    [refusal("daemonset-unreadable", "shop/a"), "the DaemonSet of shop/a could not be read"],
    [refusal("daemonset-managed", "shop/a"), "a DaemonSet manages shop/a"],
  ])("says why, and the command where a person may lift it: $reason", (one, words) => {
    expect(drainRefused([one])).toBe(`nothing was evicted: ${words}`);
    const next = words.endsWith("evicts them") ? ". Next: FORCE" : "";
    expect(drainRefused([one], "FORCE")).toBe(`nothing was evicted: ${words}${next}`);
  });

  test("groups pods by the reason", () => {
    expect(
      drainRefused([
        refusal("daemonset-managed", "shop/c"),
        refusal("unmanaged", "shop/a"),
        refusal("unmanaged", "shop/b"),
      ]),
    ).toBe("nothing was evicted: nothing recreates shop/a, shop/b: --force evicts them; a DaemonSet manages shop/c");
  });

  test("names volumes and pods that are left on the node", () => {
    expect(volumesToDetach(["pv-1"])).toBe("1 volume to detach from the node (pv-1)");
    expect(volumesLeft({ attached: ["pv-1", "pv-2"] })).toBe(
      "2 volumes still attached to the node after its drain (pv-1, pv-2)",
    );
    expect(volumesLeft({ unreadable: "403" })).toBe(
      "whether volumes are still attached to the node could not be read (403)",
    );
    expect(podsCameBack(["shop/a"])).toBe(
      "1 pod started on the node after it was drained (shop/a); it may have been uncordoned",
    );
  });
});

describe("A drain that has passed its deadline", () => {
  const node = decidingRecord({ operation: "drain-3f9c2a71", workflow: "drain" });

  test.each([
    ["drain", "continue-drain"],
    ["reboot", "continue-reboot"],
    ["remove", "continue-removal"],
  ] as const)("of a %s has a button of that command's right", (workflow, actionId) => {
    expect(continueButtons({ ...node, workflow }).map(({ actionId: id, text }) => [id, text])).toEqual([
      [actionId, "Continue"],
      ["cancel-operation", "Give the node back"],
    ]);
  });

  test("of a reboot whose pods do not end offers to reboot with them, and says that the node stays cordoned", () => {
    const failure = { stage: "evict", code: "pod-stuck", why: "", left: "" } as const;
    const stuck = { ...node, workflow: "reboot", status: "deciding", failure } as const;
    expect(continueButtons(stuck).map(({ text }) => text)).toEqual([
      "Reboot with these pods",
      "Continue",
      "Give the node back",
    ]);
    const skipped = { ...failure, code: "budget-allows-none", hasStuckPods: true } as const;
    for (const left of [failure, skipped])
      expect(continueNext({ ...stuck, failure: left }, NOW)).toContain("Without a decision it stays cordoned");
    expect(continueButtons({ ...stuck, workflow: "drain" }).map(({ text }) => text)).not.toContain(
      "Reboot with these pods",
    );
  });

  test("says until when it waits, and calls people", () => {
    expect(continueNext(node, NOW)).toMatch(/Without a decision it is given back at <!date\^.*> \(in 58m\)\.$/);
    expect(continueNext({ ...node, decideBy: null }, NOW)).toMatch(/Without a decision it is given back\.$/);
    expect(
      continueNotice(
        "drain-3f9c2a71",
        "win-1",
        { code: "deadline-passed", why: "a budget" },
        "2026-11-21T15:08:00.000Z",
      ),
    ).toEqual({
      kind: "decision",
      operation: "drain-3f9c2a71",
      message:
        "drain-3f9c2a71: win-1 was not drained by its deadline. Press Continue in Slack to keep draining; without a decision it is given back at 2026-11-21 15:08 UTC. See docs/runbook.md#stage-eviction. Cause: a budget",
      until: "2026-11-21T15:08:00.000Z",
    });
  });
});

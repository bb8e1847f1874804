import { describe, expect, test } from "vitest";
import type { AssistanceVerdict, OtherOwner } from "../../../lambdas/machine/assistance.ts";
import {
  type AssistPlan,
  type AssistRefusal,
  assistanceBusy,
  assistanceFaults,
  assistDryRun,
  assistEndDryRun,
  assistLeaves,
  assistPlanCard,
  assistRefused,
  assistSummary,
  notAssisted,
} from "../../../lambdas/messages/node/assist.ts";
import { type ChangeName, type ChangeRefusal, changeRefused } from "../../../lambdas/messages/node/change-refusal.ts";
import { controllerWords, type OtherController } from "../../../lambdas/messages/node/other-controllers.ts";
import { slotTaken } from "../../../lambdas/messages/node/slot.ts";
import { removalRefusal } from "../../../lambdas/messages/remove/refusal.ts";

const set: OtherOwner = { kind: "machine-set", owner: "winworker" };
const POLICY = "`AmazonSSMManagedInstanceCore`";

describe("Why a node is not assisted", () => {
  test.each<readonly [AssistRefusal, why: string, next: string]>([
    [{ kind: "linux" }, "it is a Linux node, and Casement works on Windows nodes only", "use the cluster's own tools"],
    [{ kind: "control-plane" }, "it belongs to the control plane", "use the cluster's own tools"],
    [{ kind: "no-instance" }, "it has no EC2 instance", "look at it with `kubectl describe node win-1`"],
    [
      { kind: "launched-by-us" },
      "Casement launched it, so that every command works on it already",
      "use `{win} reboot win-1`",
    ],
    [
      { kind: "launched-and-owned", owner: set },
      `Casement launched it, and ${removalRefusal(set).why}`,
      "take it out of the other owner's hands: one of the two must own it",
    ],
    [
      { kind: "no-owner" },
      "no MachineSet, Machine, entry of `windows-instances`, node group, Auto Scaling group or NodeClaim owns it, and Casement did not launch it",
      "use `kubectl drain win-1` and the EC2 console",
    ],
    [
      { kind: "not-of-cluster", instanceId: "i-0a", clusterId: "west-x7" },
      "its instance lacks the cluster's tag `kubernetes.io/cluster/west-x7`",
      "its owner sets it: `aws ec2 create-tags --resources i-0a --tags Key=kubernetes.io/cluster/west-x7,Value=owned`",
    ],
    [
      { kind: "assisted", operation: "assist-3f9c2a71" },
      "it is assisted already, by `assist-3f9c2a71`",
      "use `{win} guard win-1` to repair its guard, or `{win} assist win-1 --end` to end it",
    ],
    [
      { kind: "busy", operation: "drain-3f9c2a71" },
      "`drain-3f9c2a71` is working on it",
      "wait for it to end, or stop it: `{win} cancel drain-3f9c2a71`",
    ],
    [
      { kind: "busy", operation: "prove-3f9c2a71" },
      "`prove-3f9c2a71` is working on it",
      "wait for its end: a proof moves no pod, and cannot be stopped",
    ],
    [
      { kind: "no-profile", instanceId: "i-0a" },
      "its instance has no instance profile, so that its SSM agent has no rights",
      `its owner attaches one whose role has the policy ${POLICY}`,
    ],
    [
      { kind: "no-agent", instanceId: "i-0a" },
      "no SSM agent has registered for its instance",
      `its owner installs the agent, gives the instance's role the policy ${POLICY}, and opens port 443 to Systems Manager`,
    ],
    [
      { kind: "agent-silent" },
      "its SSM agent does not answer, mostly because the route to the metadata service is lost",
      "its owner adds the route in the EC2 serial console, `route add 169.254.169.254 mask 255.255.255.255 <gateway>`, since a reboot without the guard loses it again; then `{win} assist win-1` again",
    ],
  ])("$kind names reason and next step", (refusal, why, next) => {
    expect(assistRefused(refusal, "win-1")).toBe(`\`win-1\` cannot be assisted: ${why}. Next: ${next}.`);
  });

  test("its end is refused where it is not assisted, and while an operation works on it", () => {
    expect(notAssisted("win-1")).toBe(
      "`win-1` is not assisted. Nothing was changed. `{win} node win-1` shows whose it is.",
    );
    expect(assistanceBusy("win-1", "drain-3f9c2a71")).toBe(
      "The assistance of `win-1` cannot end: `drain-3f9c2a71` is working on it. Next: wait for it to end, or stop it: `{win} cancel drain-3f9c2a71`.",
    );
  });
});

describe("The card of an assistance", () => {
  const plan = (fields: Partial<AssistPlan> = {}): AssistPlan => ({
    node: "win-1",
    instanceId: "i-0a",
    machineName: "win-1",
    owner: set,
    others: [],
    unread: [],
    before: "none",
    ...fields,
  });
  const shown = (fields: Partial<AssistPlan> = {}): string => JSON.stringify(assistPlanCard(plan(fields)).blocks);

  test.each<readonly [OtherOwner["kind"], string]>([
    ["auto-scaling-group", "the Auto Scaling group `x`"],
    ["machine-set", "the MachineSet `x`"],
    ["machine", "the Machine `x`"],
    ["windows-instances", "the entry of WMCO's ConfigMap windows-instances `x`"],
    ["karpenter", "the Karpenter NodeClaim `x`"],
    ["node-group", "the node group `x`"],
  ])("names the owner of kind %s", (kind, words) => {
    expect(shown({ owner: { kind, owner: "x" } })).toContain(`belongs to ${words}.`);
  });

  test("says what Casement will and will not do, and warns of nothing where nothing stands against it", () => {
    expect(shown()).toContain("*Plan*: assist a node of another owner.");
    expect(shown()).toContain("*Casement will not* touch its files");
    expect(shown()).not.toContain("⚠️");
    expect(shown()).not.toContain("*Other controllers*");
  });

  test("lists other controllers but the owner, and what could not be read", () => {
    const text = shown({
      others: [
        { kind: "owner", owner: set },
        { kind: "kured", acting: false },
      ],
      unread: ["the association list"],
    });
    expect(text).toContain("• kured reboots it when it asks for a reboot. To pause it: wait until");
    expect(text).toContain("• not read: the association list");
    expect(text.match(/•/g)).toHaveLength(2);
  });

  test.each<readonly [AssistanceVerdict, string]>([
    ["tag-of-others", "was not set by an approved operation"],
    ["tag-gone", "is gone or names another cluster"],
    ["started-anew", "its instance was stopped and started"],
    ["another-owner", "it has another owner than when"],
    ["unfinished", "has not ended well"],
  ])("explains an assistance without power: %s", (before, words) => {
    expect(shown({ before })).toContain(`⚠️ Before: ${assistanceFaults[before]}.`);
    expect(assistanceFaults[before]).toContain(words);
  });

  test("its dry runs end with the command that applies them", () => {
    const begin = JSON.stringify(assistDryRun(plan()).blocks);
    expect(begin).toContain("*Dry run: nothing was changed.*");
    expect(begin).toContain("belongs to the MachineSet `winworker`");
    expect(begin).toContain("To apply: `{win} assist win-1`");
    expect(JSON.stringify(assistEndDryRun("win-1").blocks)).toContain("To apply: `{win} assist win-1 --end`");
  });

  test("its end says whether the guard is still on the machine", () => {
    expect(assistSummary.begun("win-1")).toContain("win-1 is assisted");
    expect(assistSummary.ended("win-1")).toContain("guard and tag are taken away");
    expect(assistSummary.endedWithGuard("win-1")).toContain('Unregister-ScheduledTask "Casement guard"');
    expect(assistSummary.failed("x")).toBe("The node is not assisted: x.");
    expect(assistSummary.cancelled("x")).toBe("Cancelled: x.");
    expect(assistSummary.notEnded("x")).toBe("The assistance has not ended: x.");
    expect(assistLeaves.lost("win-1", true)).toBe("win-1 is assisted; `{win} assist win-1 --end` ends it");
    expect(assistLeaves.lost("win-1", false)).toContain("`{win} assist win-1` asks for the approval anew");
    expect(assistLeaves.guard("silent")).toMatch(/the guard may still be on the machine: silent$/);
    expect(assistLeaves.tag("denied")).toMatch(/may still be on the instance, where it has no power: denied$/);
  });
});

describe("Why a node is not changed", () => {
  const refused = (change: ChangeName, refusal: ChangeRefusal) => changeRefused(refusal, change, "win-1");

  test.each<readonly [ChangeName, done: string, byHand: string]>([
    ["cordon", "cordoned", "use `kubectl cordon win-1`"],
    ["uncordon", "uncordoned", "use `kubectl uncordon win-1`"],
    ["drain", "drained", "use `kubectl drain win-1`"],
    ["reboot", "rebooted", "drain it with `kubectl drain win-1`, then reboot it in the EC2 console"],
    ["restart", "given a restart of its services", "restart its services with the tool that installed them"],
    ["prove", "proven", "look at it with `kubectl describe node win-1`"],
    ["guard", "given a guard of the metadata route", "leave its routes to the tool that launched it"],
  ])("%s names the tool to use instead", (change, done, byHand) => {
    expect(refused(change, { kind: "linux" })).toBe(
      `\`win-1\` cannot be ${done}: it is a Linux node, and Casement manages Windows nodes only. Next: ${byHand}.`,
    );
    expect(refused(change, { kind: "no-instance" })).toBe(
      `\`win-1\` cannot be ${done}: it has no EC2 instance. Next: ${byHand}.`,
    );
    expect(refused(change, { kind: "not-launched-by-us" })).toBe(
      `\`win-1\` cannot be ${done}: its instance was not launched by Casement. Next: ${byHand}.`,
    );
  });

  test("an operation that works on it can be cancelled", () => {
    expect(refused("drain", { kind: "busy", operation: "add-3f9c2a71" })).toBe(
      "`win-1` cannot be drained: `add-3f9c2a71` is working on it. Next: wait for it to end, or stop it: `{win} cancel add-3f9c2a71`.",
    );
  });

  test("a machine of another owner can be assisted first, and what is wrong with an earlier assistance is said", () => {
    const { why } = removalRefusal(set);
    const next = "Next: let Casement assist the machine with `{win} assist win-1`, or use `kubectl drain win-1`.";
    expect(refused("drain", { kind: "owner", owner: set, assistance: "none" })).toBe(
      `\`win-1\` cannot be drained: ${why}. ${next}`,
    );
    expect(refused("drain", { kind: "owner", owner: set, assistance: "unfinished" })).toBe(
      `\`win-1\` cannot be drained: ${why}, and the operation that was to assist it has not ended well. ${next}`,
    );
  });

  test("another controller at work is named with how it is paused", () => {
    expect(
      refused("reboot", {
        kind: "conflict",
        controller: { kind: "autoscaler", key: "ToBeDeletedByClusterAutoscaler", acting: true, age: "2m" },
      }),
    ).toBe(
      "`win-1` cannot be rebooted: the cluster autoscaler is deleting it; its taint is at least 2m old. Next: let it finish: the node is going away. If it does not delete it, take its taint off with `kubectl taint node win-1 ToBeDeletedByClusterAutoscaler-`.",
    );
  });
});

describe("Another controller", () => {
  const acting = true as const;
  test.each<readonly [OtherController, does: string, pause: string]>([
    [{ kind: "wmco", acting }, "is about to reboot it", "reboot-required` is gone"],
    [{ kind: "wmco", acting: false }, "configures it, and may reboot it", "reboot-required` is gone"],
    [
      { kind: "wmco", acting: false, age: "3h" },
      "requested its reboot at least 3h ago, and has not rebooted it",
      "run `kubectl annotate node win-1 windowsmachineconfig.openshift.io/reboot-required-`",
    ],
    [
      { kind: "machine-deleted", name: "m-1", acting: false, age: "3h" },
      "`m-1` is being deleted for 3h",
      "oc describe",
    ],
    [{ kind: "kured", acting }, "kured is draining and rebooting it", "`kubectl get node win-1` shows it schedulable"],
    [
      { kind: "karpenter", key: "karpenter.sh/disrupted", acting },
      "Karpenter is deleting it",
      "take its taint off with `kubectl taint node win-1 karpenter.sh/disrupted-`",
    ],
    [
      { kind: "karpenter", key: "karpenter.sh/disruption", acting: false, age: "3h" },
      "Karpenter marked it for deletion at least 3h ago and left its taint `karpenter.sh/disruption`",
      "run `kubectl taint node win-1 karpenter.sh/disruption-`",
    ],
    [{ kind: "autoscaler-candidate" }, "the cluster autoscaler finds it unneeded", "scale-down-disabled=true`"],
    [
      { kind: "karpenter-consolidates" },
      "when it is empty",
      "`kubectl annotate node win-1 karpenter.sh/do-not-disrupt",
    ],
    [
      { kind: "group-check", group: "asg", instance: "i-0a", checks: "EC2,ELB" },
      "the Auto Scaling group `asg` replaces it when a health check (EC2,ELB) fails during a reboot",
      "enter-standby --auto-scaling-group-name asg --instance-ids i-0a",
    ],
    [
      { kind: "group-check", group: "asg", instance: "i-0a", checks: null },
      "may replace it during a reboot, and its health checks could not be read",
      "suspend-processes --auto-scaling-group-name asg",
    ],
    [{ kind: "machine-deleted", name: "m-1", acting }, "its Machine `m-1` is being deleted", "let it finish"],
    [{ kind: "machine-chosen", name: "m-1" }, "`m-1` is the first to be deleted", "`oc annotate machine m-1 "],
    [
      { kind: "health-check", name: "mhc", timeout: "8m" },
      "the MachineHealthCheck `mhc` deletes its Machine when it is NotReady for 8m",
      "`oc annotate mhc mhc ",
    ],
    [{ kind: "updates", pending: 1, reboots: false }, "1 update on it waits for a reboot", "RebootOption=NoReboot"],
    [
      { kind: "updates", pending: 2, reboots: true },
      "2 updates on it wait for a reboot, and its runs reboot by themselves",
      "`{win} reboot`",
    ],
    [
      { kind: "association", name: "nightly", document: "AWS-RunPatchBaseline" },
      "the SSM association `nightly` runs `AWS-RunPatchBaseline` on it",
      "State Manager",
    ],
  ])("is named with its effect and how its owner pauses it", (controller, does, pause) => {
    const words = controllerWords(controller, "win-1");
    expect(words.does).toContain(does);
    expect(words.pause).toContain(pause);
  });
});

describe("A slot that is taken", () => {
  const since = "2026-11-21T14:32:00.000Z";
  const holder = (node: string, asksUntil: string | null = null) => ({
    ...{ operation: "remove-1f2e3d4c", node, since, asksUntil },
  });

  test("names who has it and since when, and until when it asks", () => {
    expect(slotTaken("web", { most: 1, holders: [holder("win-1")], away: [] })).toBe(
      "a slot in pool web, of which 1 node may be away: remove-1f2e3d4c has win-1 since 2026-11-21 14:32 UTC",
    );
    expect(slotTaken("web", { most: 1, holders: [holder("win-1", since)], away: [] })).toMatch(
      /, and asks until 2026-11-21 14:32 UTC whether to go on$/,
    );
  });

  test("names nodes that are out of service anyway", () => {
    expect(slotTaken(null, { most: 2, holders: [holder("win-1")], away: [{ node: "win-2", why: "cordoned" }] })).toBe(
      "a slot among nodes of no pool, of which 2 nodes may be away: remove-1f2e3d4c has win-1 since 2026-11-21 14:32 UTC; win-2 is cordoned",
    );
    expect(
      slotTaken(null, {
        most: 2,
        holders: [],
        away: [
          { node: "win-2", why: "cordoned" },
          { node: "win-3", why: "NotReady since 2026-11-21 14:32 UTC" },
        ],
      }),
    ).toBe(
      "a slot among nodes of no pool, of which 2 nodes may be away: win-2 is cordoned, win-3 is NotReady since 2026-11-21 14:32 UTC",
    );
  });
});

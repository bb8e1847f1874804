import { expect, test } from "vitest";
import { removalPlanCard } from "../../../lambdas/capabilities/remove/plan-card.ts";
import { removeDryRun } from "../../../lambdas/messages/operation/dry-runs.ts";
import { removalDialog } from "../../../lambdas/messages/remove/dialog.ts";
import { type Dialog, removalRefused, removalSkeleton } from "../../../lambdas/messages/remove/modal.ts";
import {
  type RemovalRefusal,
  removalRefusal,
  removalRefusedMessage,
} from "../../../lambdas/messages/remove/refusal.ts";
import { checkedView } from "../../../lib/sandbox/slack/view.ts";

const OPERATION = "remove-12345678";
const facts = {
  node: "win-1",
  instanceId: "i-0ab12cd34ef567890",
  pool: "web",
  pods: [
    { namespace: "shop", name: "web-7d4b9-x", owner: "ReplicaSet web-7d4b9", localData: [] },
    { namespace: "shop", name: "debug", owner: null, localData: ["emptyDir cache", "hostPath C:\\data"] },
  ],
};
const textOf = ({ blocks }: { readonly blocks: Dialog["blocks"] }): string => JSON.stringify(blocks);

test("opens a dialog that can only be closed until the facts are there", () => {
  expect(removalSkeleton(OPERATION, "win-1")).toMatchObject({
    external_id: `dialog-${OPERATION}`,
    private_metadata: OPERATION,
    notify_on_close: true,
    close: { text: "Keep" },
  });
  expect(removalSkeleton(OPERATION, "win-1")).not.toHaveProperty("submit");
  expect(() => checkedView(removalSkeleton(OPERATION, "win-1"))).not.toThrow();
});

test("names node, instance, pool and pods, those that lose something first", () => {
  const dialog = removalDialog(OPERATION, facts);
  expect(dialog.submit).toMatchObject({ text: "Remove" });
  const said = textOf(dialog);
  for (const fact of ["`win-1`", "`i-0ab12cd34ef567890`", "*Pool* `web`", "(ReplicaSet web-7d4b9)"])
    expect(said).toContain(fact);
  expect(said).toContain("loses emptyDir cache, hostPath C:\\\\data");
  expect(said).toContain("1 pod loses local data, 1 pod is not recreated");
  expect(said.indexOf("shop/debug")).toBeLessThan(said.indexOf("shop/web-7d4b9-x"));
});

test("shows the pool's size after the removal, and pods that may not be recreated", () => {
  const pods = [
    { namespace: "ci", name: "step", owner: "Workflow nightly", isUncertain: true as const, localData: [] },
  ];
  const said = textOf(removalDialog(OPERATION, { ...facts, poolNodes: 2, pods }));
  expect(said).toContain("*Pool* `web`: 2 → 1 node");
  expect(said).toContain("1 pod may not be recreated");
  expect(said).toContain("(Workflow nightly, ⚠️ may not be recreated)");
});

test("says who must approve, and which nodes take the slots of the pool", () => {
  const slots = {
    pool: "web",
    away: [{ node: "win-9", why: "cordoned" }],
    maxUnavailable: 1,
    waitsForSlot: true,
  } as const;
  const summary = { ...facts, slots, approval: { needs: 2, roles: ["approver"] } };
  expect(textOf(removalDialog(OPERATION, summary))).toContain(
    "*Approval* needs 2 approvals from `approver`, not from you",
  );
  expect(textOf(removalDialog(OPERATION, { ...facts, approval: { needs: 1, roles: [] } }))).toContain(
    "no role may give it",
  );
  expect(textOf(removalDialog(OPERATION, { ...facts, approval: null }))).toContain("*Approval* none needed");
  expect(textOf(removalDialog(OPERATION, facts))).not.toContain("*Approval*");
  for (const said of [textOf(removalDialog(OPERATION, summary)), textOf(removalPlanCard(summary))])
    expect(said).toContain("⏳ Away in `web` now: `win-9` (cordoned); at most 1 at once: this waits");
});

test("names what blocks the evictions, what goes down with the node, and pods that no other node takes", () => {
  const placed = { namespace: "shop", name: "orders-0", node: null, obstacle: "zone" as const };
  const outlook = {
    ...{ release: null, staying: 0, refusals: [], unread: ["volumes"], minutes: 1, at: "2026-11-21T03:10:00.000Z" },
    longJobs: [
      { pod: "shop/job", annotation: "karpenter.sh/do-not-disrupt", startedAt: null, until: "2026-11-21T04:10:00Z" },
    ],
    mostMinutes: 45,
    ...{ untried: null, placements: [placed], lone: [{ owner: "shop/ReplicaSet web", pods: 2 }] },
    blockers: [{ budgets: ["shop/web"], pods: ["shop/web-1"], why: "needs 1 healthy pod", isForever: true }],
  };
  const summary = { ...facts, outlook };
  for (const said of [textOf(removalDialog(OPERATION, summary)), textOf(removalPlanCard(summary))]) {
    expect(said).toContain("Disruption budget `shop/web` blocks `shop/web-1`");
    expect(said).toContain("Every pod of `shop/ReplicaSet web` (2) is on this node");
    expect(said).toContain(
      "its volume is bound to a zone without another node. Pending until a node is added that they fit on",
    );
    expect(said).toContain("could not be read: volumes");
    expect(said).toContain("That is longer than the drain waits before it asks (45 minutes of eviction).");
  }
  expect(removalPlanCard(summary).isHopeless).toBe(true);
  expect(removalPlanCard(facts).isHopeless).toBeUndefined();
});

test("counts the pods that it does not name", () => {
  const pods = Array.from({ length: 250 }, (_, at) => ({
    namespace: "n".repeat(63),
    name: `${"p".repeat(240)}${at}`,
    owner: null,
    localData: ["<".repeat(300)],
  }));
  const dialog = removalDialog(OPERATION, { ...facts, pods });
  expect(() => checkedView(dialog)).not.toThrow();
  expect(textOf(dialog)).toContain("and 210 more pods");
});

test.each<[RemovalRefusal, string, string]>([
  [{ kind: "not-launched-by-us" }, "not launched by Casement", "drain it with kubectl"],
  [{ kind: "auto-scaling-group", owner: "asg-1" }, "Auto Scaling group `asg-1`", "desired capacity"],
  [{ kind: "machine-set", owner: "ms-1" }, "MachineSet `ms-1`", "with oc"],
  [{ kind: "machine", owner: "win-1" }, "Machine `win-1`", "delete that Machine with oc"],
  [
    { kind: "windows-instances", owner: "10.0.0.77" },
    "as `10.0.0.77` in its ConfigMap `windows-instances`",
    "remove that entry",
  ],
  [{ kind: "karpenter", owner: "nc-1" }, "NodeClaim `nc-1`", "with kubectl"],
  [{ kind: "node-group", owner: "ng-1" }, "node group `ng-1`", "scale the node group"],
  [{ kind: "termination-protected" }, "has termination protection", "DisableApiTermination"],
  [{ kind: "linux" }, "a Linux node", "own tools"],
  [{ kind: "no-instance" }, "no EC2 instance", "delete the Node"],
  [{ kind: "busy", operation: "add-3f9c2a71" }, "`add-3f9c2a71` is working on it", "`{win} cancel add-3f9c2a71`"],
  [{ kind: "last-of-build", build: "10.0.20348", pods: 1 }, "1 pod needs that build", "`{win} add`"],
])("refuses %o with the reason and a next step", (refusal, why, next) => {
  const dialog = removalRefused(OPERATION, removalRefusedMessage("win-1", removalRefusal(refusal)));
  expect(dialog).not.toHaveProperty("submit");
  expect(textOf(dialog)).toContain(why);
  expect(textOf(dialog).split("*Next:*")[1]).toContain(next);
});

test("tells a dry run what would be evicted and how to do it for real", () => {
  const { text } = removeDryRun(facts);
  expect(text).toContain("2 pods would be evicted: `shop/web-7d4b9-x`, `shop/debug`");
  expect(text).toContain("To apply: `{win} remove win-1`");
});

test("tells a dry run in words that no pod would move", () => {
  expect(removeDryRun({ ...facts, pods: [] }).text).toContain("\nNo pods to evict.\n");
});

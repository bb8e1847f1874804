import { expect, test } from "vitest";
import { type ChangeName, type ChangeRefusal, changeRefused } from "../../../lambdas/messages/node/change-refusal.ts";
import { type IdentityFault, identityLine, withIdentityFaults } from "../../../lambdas/messages/node/identity.ts";
import { controllerWords, type OtherController } from "../../../lambdas/messages/node/other-controllers.ts";
import {
  claimedByOthers,
  type RemovalRefusal,
  removalRefusal,
  removalRefusedMessage,
  removalRefusedText,
} from "../../../lambdas/messages/remove/refusal.ts";
import { say } from "../../../lambdas/messages/slack/blocks.ts";
import { each, written } from "./written.ts";

const severalNodes: IdentityFault = {
  kind: "several-nodes",
  instanceId: "i-0a",
  nodes: ["win-1", "win-2", "win-3", "win-4", "win-5", "win-6"],
  wanted: "win-2",
};
const faults: Readonly<Record<string, IdentityFault>> = {
  "several Nodes": severalNodes,
  "several Nodes of an unknown name": { ...severalNodes, wanted: "" },
  "another name": { kind: "other-name", instanceId: "i-0a", node: "win-1", wanted: "win-2" },
  "another name, and EC2 knows none": { kind: "other-name", instanceId: "i-0a", node: "win-1", wanted: "" },
  "another instance": {
    kind: "other-instance",
    instanceId: "i-0a",
    node: "win-1",
    providerId: `aws:///us-west-2a/i-0b${"0".repeat(80)}`,
  },
};

const fault = severalNodes;
const removals: readonly RemovalRefusal[] = [
  { kind: "not-launched-by-us" },
  { kind: "linux" },
  { kind: "no-instance" },
  { kind: "already-terminated" },
  { kind: "termination-protected" },
  { kind: "auto-scaling-group", owner: "asg-1" },
  { kind: "machine-set", owner: "set-1" },
  { kind: "machine", owner: "machine-1" },
  { kind: "windows-instances", owner: "10.0.0.4" },
  { kind: "karpenter", owner: "claim-1" },
  { kind: "node-group", owner: "group-1" },
  { kind: "identity", fault },
  { kind: "busy", operation: "drain-3f9c2a71" },
  { kind: "last-of-build", build: "10.0.20348", pods: 1 },
  { kind: "last-of-build", build: "10.0.20348", pods: 2 },
];

const owner = { kind: "auto-scaling-group", owner: "asg-1" } as const;
const taint = { key: "ToBeDeletedByClusterAutoscaler" };
const controllers: Readonly<Record<string, OtherController>> = {
  "an owner": { kind: "owner", owner },
  "the Windows operator, about to reboot": { kind: "wmco", acting: true },
  "the Windows operator, configuring": { kind: "wmco", acting: false },
  "the Windows operator, late": { kind: "wmco", acting: false, age: "7d" },
  "kured, rebooting": { kind: "kured", acting: true },
  "kured, ready to": { kind: "kured", acting: false },
  "kured, late": { kind: "kured", acting: false, age: "7d" },
  "the autoscaler, deleting": { kind: "autoscaler", acting: true, ...taint },
  "the autoscaler, deleting for long": { kind: "autoscaler", acting: true, age: "3m", ...taint },
  "the autoscaler, late": { kind: "autoscaler", acting: false, age: "7d", ...taint },
  "the autoscaler's candidate": { kind: "autoscaler-candidate" },
  "Karpenter, deleting": { kind: "karpenter", acting: true, key: "karpenter.sh/disrupted" },
  "Karpenter, consolidating": { kind: "karpenter-consolidates" },
  "a group's checks": { kind: "group-check", group: "asg-1", instance: "i-0a", checks: "EC2,ELB" },
  "a group's unread checks": { kind: "group-check", group: "asg-1", instance: "i-0a", checks: null },
  "a group that terminates it": { kind: "group-ends", group: "asg-1", lifecycle: "Terminating:Wait", acting: true },
  "a Machine that is being deleted": { kind: "machine-deleted", name: "machine-1", acting: true },
  "a Machine whose deletion hangs": { kind: "machine-deleted", name: "machine-1", acting: false, age: "2h" },
  "a Machine that goes first": { kind: "machine-chosen", name: "machine-1" },
  "a health check": { kind: "health-check", name: "check-1", timeout: "5m" },
  "one update": { kind: "updates", pending: 1, reboots: false },
  "updates whose runs reboot": { kind: "updates", pending: 2, reboots: true },
  "an association": { kind: "association", name: "patch-nightly", document: "AWS-RunPatchBaseline" },
};

const refusals: Readonly<Record<string, ChangeRefusal>> = {
  linux: { kind: "linux" },
  "no instance": { kind: "no-instance" },
  "not launched by Casement": { kind: "not-launched-by-us" },
  assisted: { kind: "assisted" },
  "an owner, and no approval": { kind: "owner", owner, assistance: "none" },
  identity: { kind: "identity", fault },
  busy: { kind: "busy", operation: "drain-3f9c2a71" },
  stopped: { kind: "not-running", state: "stopped" },
  conflict: { kind: "conflict", controller: { kind: "kured", acting: true } },
};
const changes: readonly ChangeName[] = ["cordon", "uncordon", "drain", "reboot", "restart", "guard", "prove"];

test("Refusals of a change or a removal name the owner, the reason and the next step", async () => {
  const words = written({
    ...each("identity", faults, (one) => identityLine(one)),
    "above a message": withIdentityFaults(
      say("Nodes"),
      Array.from({ length: 6 }, () => severalNodes),
    ),
    "above a message, as many as it shows": withIdentityFaults(
      say("Nodes"),
      Array.from({ length: 5 }, () => severalNodes),
    ),
    ...each("removal", Object.fromEntries(removals.map((one) => [JSON.stringify(one).slice(0, 60), one])), (one) =>
      removalRefusedText("win-1", removalRefusal(one)),
    ),
    "the removal's message": removalRefusedMessage("win-1", removalRefusal({ kind: "linux" })),
    "a claim of a MachineSet": claimedByOthers("i-0a", "machine-set", "set-1"),
    "a claim of a Machine": claimedByOthers("i-0a", "machine", "machine-1"),
    "a claim of the ConfigMap": claimedByOthers("i-0a", "windows-instances", "10.0.0.4"),
    ...each("controller", controllers, (one) => controllerWords(one, "win-1")),
    ...each("reboot refused", refusals, (one) => changeRefused(one, "reboot", "win-1")),
    ...each("not launched", Object.fromEntries(changes.map((one) => [one, one])), (change) =>
      changeRefused({ kind: "not-launched-by-us" }, change, "win-1"),
    ),
    "restart of an owned machine": changeRefused(
      { kind: "owner", owner, assistance: "unfinished" },
      "restart",
      "win-1",
    ),
  });
  await expect(words).toMatchFileSnapshot("controllers.txt");
});

import { expect, test } from "vitest";
import { nodeMessage } from "../../lambdas/messages/node/details.ts";
import { nodesMessage } from "../../lambdas/messages/node/nodes-table.ts";
import { operationsMessage } from "../../lambdas/messages/operation/operations-table.ts";
import { NOW, operationRecord } from "./records.ts";
import { expectWithinSlackLimits } from "./within-slack-limits.ts";

const row = (name: string, fields = {}) => ({
  name,
  status: "Ready,SchedulingDisabled",
  roles: ["worker"],
  createdAt: "2026-11-09T14:10:00.000Z",
  version: "v1.34.2",
  pool: "web",
  build: "10.0.20348",
  instanceId: "i-0ab12cd34ef567890",
  ...fields,
});
const textOf = (block: object | undefined): string => (block as { text: { text: string } }).text.text;

test("lists nodes under kubectl's columns and ours, aligned", () => {
  const { blocks } = nodesMessage([row("win-1"), row("win-1000", { roles: [], pool: null })], [], NOW);
  expect(textOf(blocks[0]).split("\n")).toEqual([
    "```",
    "NAME       STATUS                     ROLES    AGE   VERSION   POOL     BUILD        INSTANCE",
    "win-1      Ready,SchedulingDisabled   worker   12d   v1.34.2   web      10.0.20348   i-0ab12cd34ef567890",
    "win-1000   Ready,SchedulingDisabled   &lt;none&gt;   12d   v1.34.2   &lt;none&gt;   10.0.20348   i-0ab12cd34ef567890",
    "```",
  ]);
});

test("says how to add a node when there is none", () => {
  expect(nodesMessage([], [], NOW).text).toContain("`{win} help add`");
});

test("counts the nodes that do not fit into one message", () => {
  const rows = Array.from({ length: 300 }, (_, at) => row(`ip-10-0-3-${at}.us-west-2.compute.internal`));
  const { text, blocks } = nodesMessage(rows, [], NOW);
  expectWithinSlackLimits(blocks);
  expect(text).toBe("300 Windows nodes");
  const shown = blocks
    .filter(({ type }) => type === "section")
    .reduce((sum, block) => sum + textOf(block).split("i-0ab").length - 1, 0);
  expect(JSON.stringify(blocks.at(-1))).toContain(`and ${300 - shown} more nodes`);
});

test("shows the nodes that are not Ready first when not all of them fit", () => {
  const rows = Array.from({ length: 300 }, (_, at) => ({
    ...row(`win-${at}.us-west-2.compute.internal`),
    status: at < 297 ? "Ready" : "NotReady",
  }));
  const lines = textOf(nodesMessage(rows, [], NOW).blocks[0]).split("\n");
  expect(lines.slice(2, 6).map((line) => line.split(/\s+/)[0]?.split(".")[0])).toEqual([
    "win-297",
    "win-298",
    "win-299",
    "win-0",
  ]);
});

test("lists operations with who asked, what became of them and how long they took", () => {
  const ended = operationRecord({
    status: "failed",
    endedAt: "2026-11-21T14:09:00.000Z",
    summary: "1 of 2 nodes failed",
  });
  const { blocks } = operationsMessage([operationRecord(), ended], {}, NOW);
  expect(textOf(blocks[0])).toContain(
    "add-3f9c2a71   failed    Add 2 nodes to web   olivia   10m   9m       1 of 2 nodes failed",
  );
});

test("lists any number of operations within Slack's limits", () => {
  const operations = Array.from({ length: 100 }, () => operationRecord({ summary: "<`&".repeat(100) }));
  expectWithinSlackLimits(operationsMessage(operations, {}, NOW).blocks);
});

test("describes a node, and names the operation that holds it", () => {
  const { blocks } = nodeMessage(
    {
      ...row("win-1"),
      addresses: ["10.0.3.7"],
      osImage: "Windows Server 2022 Datacenter",
      containerRuntime: "containerd://2.1.4",
      instanceType: "m6i.xlarge",
      zone: "us-west-2c",
      instanceState: "running",
      ownership: "managed",
      taints: ["os=Windows:NoSchedule"],
      conditions: [{ type: "Ready", status: "True", reason: "KubeletReady", since: "2026-11-21T14:00:00.000Z" }],
      pods: Array.from({ length: 250 }, (_, at) => `shop/web-${at}`),
      heldBy: "remove-12345678",
    },
    NOW,
  );
  expectWithinSlackLimits(blocks);
  const all = JSON.stringify(blocks);
  expect(all).toContain("Taints:     os=Windows:NoSchedule");
  expect(all).toContain("Ready                True     10m      KubeletReady");
  expect(all).toContain("*Pods (250):* shop/web-0, ");
  expect(all).toContain("and 220 more");
  expect(all).toContain("`{win} cancel remove-12345678` stops it");
});

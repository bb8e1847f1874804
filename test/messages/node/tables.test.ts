import { expect, test } from "vitest";
import { operationsMessage } from "../../../lambdas/capabilities/look/operations-table.ts";
import { nodeMessage } from "../../../lambdas/messages/node/details.ts";
import { nodesMessage } from "../../../lambdas/messages/node/nodes-table.ts";
import { NOW, operationRecord } from "../records.ts";
import { expectWithinSlackLimits } from "../within-slack-limits.ts";

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

test("lists nodes with short names in columns that a phone shows, trouble first, and says once what all have", () => {
  const domain = ".us-west-2.compute.internal";
  const rows = [row(`win-1${domain}`, { status: "Ready" }), row(`win-1000${domain}`, { roles: [], pool: null })];
  const { blocks } = nodesMessage(rows, [], NOW);
  expect(textOf(blocks[0]).split("\n")).toEqual([
    "```",
    "NAME       STATUS           POOL     AGE   ROLES",
    "win-1000   Ready,cordoned   &lt;none&gt;   12d   &lt;none&gt;",
    "win-1      Ready            web      12d   worker",
    "```",
  ]);
  expect(JSON.stringify(blocks[1])).toContain(
    "All: BUILD `10.0.20348`, VERSION `v1.34.2`. Names end in `.us-west-2.compute.internal`. `{win} node &lt;name&gt;` shows INSTANCE too.",
  );
});

test("shows names in full where their domains differ, and the instance of a node that is alone", () => {
  const lines = (rows: Parameters<typeof nodesMessage>[0]) => textOf(nodesMessage(rows, [], NOW).blocks[0]).split("\n");
  expect(lines([row("a.example.com"), row("a.example.org")])[2]).toMatch(/^a\.example\.com /);
  expect(lines([row("a", { status: "Ready", build: null })])[2]).toBe(
    "a      Ready    web    12d   &lt;none&gt;   v1.34.2   worker",
  );
});

test("shortens long names in the middle, so that no line is wider than a phone, and keeps those that would be alike", () => {
  const long = (place: string, end: string) => `ip-10-0-3-7-${place}-of-a-very-long-machine-name-in-${end}.example.com`;
  const lines = (...names: string[]) =>
    textOf(nodesMessage([...names.map((name) => row(name)), row("a.example.org")], [], NOW).blocks[0]).split("\n");
  expect(lines(long("x", "berlin"), long("y", "bonn"))[2]).toMatch(/^ip-10-0-3-7-x-of-…berlin\.example\.com /);
  for (const line of lines(long("x", "berlin"), long("y", "bonn"))) expect(line.length).toBeLessThanOrEqual(60);
  expect(lines(`b${long("x", "berlin")}`, `b${long("x", "berlin").replace("machine", "service")}`)[2]).toContain(
    "machine",
  );
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
    .reduce((sum, block) => sum + textOf(block).split("ip-10-0-3-").length - 1, 0);
  expect(JSON.stringify(blocks.at(-1))).toContain(`and ${300 - shown} more nodes`);
});

test("shows the nodes that are not Ready first", () => {
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
    "add-3f9c2a71   failed    10m   9m       olivia\n  Add 2 nodes to web\n  1 of 2 nodes failed",
  );
});

test("cuts the name of who asked where a row is wider than a phone", () => {
  const origin = {
    by: "person",
    requester: { userId: "U1", userName: "maximiliane-of-support", channel: "C0" },
  } as const;
  const { blocks } = operationsMessage(
    [
      operationRecord({
        ...{ id: "uncordon-3f9c2a71", status: "scheduled", origin, asker: origin.requester },
        ...{ requestedAt: "2026-11-12T15:10:00.000Z", endedAt: "2026-11-12T15:19:59.000Z" },
      }),
    ],
    {},
    NOW,
  );
  const row = textOf(blocks[0]).split("\n")[2] ?? "";
  expect(row).toHaveLength(60);
  expect(row).toMatch(/^uncordon-3f9c2a71 +scheduled +\S+ +9m59s +maxim\S*…$/);
});

test("breaks a long result between its words, so that a phone shows it whole", () => {
  const summary = `${"one of the nodes failed at proof; ".repeat(8)}end`;
  const lines = textOf(operationsMessage([operationRecord({ summary })], {}, NOW).blocks[0]).split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  expect(
    lines
      .slice(4, -1)
      .map((line) => line.trim())
      .join(" "),
  ).toBe(summary);
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

import { expect, it } from "vitest";
import { type FleetNode, fleetTroubleOf } from "../../lambdas/health/fleet-trouble.ts";

const NOW = Date.parse("2026-11-26T03:10:00Z");
const at = { most: "30%", now: NOW };
const minutesAgo = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();

const well = (node: string, more: Partial<FleetNode> = {}): FleetNode => ({
  ...{ node, notReadySince: null, agentSilentSince: null, cause: null, isHeld: false, isOwn: true },
  ...{ pool: "web", zone: "a", subnet: "s", image: "i", update: "u", type: "t", startedAt: minutesAgo(9_000) },
  ...more,
});
const lost = (node: string, more: Partial<FleetNode> = {}): FleetNode =>
  well(node, {
    notReadySince: minutesAgo(8),
    cause: { kind: "kubelet-silent", isAgentSilent: false },
    ...more,
  });
const silent = (node: string, more: Partial<FleetNode> = {}): FleetNode =>
  well(node, { agentSilentSince: minutesAgo(20), cause: { kind: "agent-silent" }, ...more });

const others = ["w1", "w2", "w3", "w4"].map((node) => well(node));

it.each([
  ["two of six nodes are NotReady, more than 30%", [lost("a"), lost("b"), ...others], [], ["a", "b"]],
  ["one node is NotReady", [lost("a"), well("b")], [], null],
  ["two of seven nodes are NotReady, less than 30%", [lost("a"), lost("b"), well("c"), ...others], [], null],
  [
    "every node of a pool is NotReady, less than 30% of all",
    [lost("a", { pool: "batch" }), lost("b", { pool: "batch" }), well("c"), ...others],
    [],
    ["a", "b"],
  ],
  ["the only node of a pool is NotReady", [lost("a", { pool: "edge" }), ...others], [], null],
  ["an operation works on one of two", [lost("a"), lost("b", { isHeld: true }), ...others], [], null],
  ["one of two has failed for a minute", [lost("a"), lost("b", { notReadySince: minutesAgo(1) }), ...others], [], null],
  [
    "people were called to a node on which an operation works now",
    [lost("a"), lost("b", { isHeld: true }), ...others],
    ["a", "b"],
    ["a", "b"],
  ],
  ["people were called, and one node is left", [lost("a"), ...others], ["a", "b"], ["a"]],
  ["the one node that is left fails for hours", [lost("a", { notReadySince: minutesAgo(90) }), ...others], ["a"], null],
  [
    "an operation works on the one node that is left",
    [lost("a", { notReadySince: minutesAgo(90), isHeld: true }), ...others],
    ["a"],
    ["a"],
  ],
  ["people were called, and all are back", others, ["a", "b"], null],
])("the fleet is judged while %s", (_, nodes, called, failing) => {
  const trouble = fleetTroubleOf("not-ready", nodes, called, at);
  expect(trouble?.failing.map(({ node }) => node) ?? null).toEqual(failing);
});

it("counts pools, begins with the first failure, and groups by cause with what only that group has", () => {
  const down = { cause: { kind: "instance", state: "stopped" }, zone: "b" } as const;
  const reports = (message: string) => ({
    cause: { kind: "kubelet-unready", reason: "KubeletNotReady", message } as const,
    pool: "batch",
  });
  const nodes = [
    lost("d", { ...down, notReadySince: minutesAgo(12) }),
    lost("e", down),
    lost("f", down),
    lost("g", reports("the runtime of g is down")),
    lost("h", reports("the runtime of h is down")),
    ...others,
  ];
  const trouble = fleetTroubleOf("not-ready", nodes, [], at);
  expect(trouble).toMatchObject({
    since: minutesAgo(12),
    all: 9,
    pools: [
      { pool: "web", failing: 3, all: 7 },
      { pool: "batch", failing: 2, all: 2 },
    ],
  });
  expect(trouble?.groups.map(({ nodes, shared }) => [nodes.length, shared.values])).toEqual([
    [3, [{ trait: "zone", value: "b" }]],
    [2, [{ trait: "pool", value: "batch" }]],
  ]);
});

it("names a common start only if the trouble began soon after it", () => {
  const started = (minutes: number) => ["a", "b"].map((node) => lost(node, { startedAt: minutesAgo(minutes) }));
  const since = (minutes: number) =>
    fleetTroubleOf("not-ready", [...started(minutes), ...others], [], at)?.groups[0]?.shared.startedSince;
  expect(since(60)).toBe(minutesAgo(60));
  expect(since(300)).toBeNull();
});

it("leaves agents of NotReady nodes, and of machines that Casement does not act for, out of the call about agents", () => {
  const nodes = [silent("a"), silent("b"), lost("c", { agentSilentSince: minutesAgo(20) }), ...others];
  const foreign = silent("d", { isOwn: false });
  expect(fleetTroubleOf("agents-silent", nodes, [], { ...at, most: "20%" })).toMatchObject({
    failing: [{ node: "a" }, { node: "b" }],
    all: 7,
  });
  expect(fleetTroubleOf("agents-silent", [silent("a"), foreign, well("b")], [], at)).toBeNull();
});

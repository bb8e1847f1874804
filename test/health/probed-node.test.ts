import { describe, expect, it } from "vitest";
import {
  failingNow,
  isNewCommonCause,
  lastProbeOf,
  type ProbedNode,
  tellingOf,
} from "../../lambdas/health/probed-node.ts";

const NOW = Date.parse("2026-11-23T12:00:00Z");
const hoursAgo = (hours: number): string => new Date(NOW - hours * 3_600_000).toISOString();
const fails = { state: "fails", fault: "dns", from: null } as const;

const probed = (name: string, more: Partial<ProbedNode> = {}): ProbedNode => ({
  instanceId: `i-${name}`,
  node: name,
  uid: `uid-${name}`,
  bootId: "7",
  result: fails,
  probedAt: hoursAgo(2),
  ...more,
});
const failing = (name: string, more: Partial<ProbedNode> = {}) => ({ ...probed(name, more), result: fails });

describe("nodes that fail", () => {
  it.each([
    [["a", "b", "c"], [], false],
    [["a", "b", "c", "d"], [], true],
    [["a"], ["b", "c", "d"], true],
    [["a"], ["b", "c", "d", "e"], false],
    [[], ["b", "c", "d"], false],
  ])("%j make a new common cause with %j from before: %s", (dead, before, isNew) => {
    expect(
      isNewCommonCause(
        dead.map((name) => failing(name)),
        before.map((name) => failing(name)),
      ),
    ).toBe(isNew);
  });

  it.each([
    ["failed within the round", {}, {}, ["a"]],
    ["work by their newest probe", { result: { state: "works" } }, {}, []],
    ["were not probed of late", { probedAt: hoursAgo(8) }, {}, []],
    ["have booted since", {}, { bootId: "8" }, []],
    ["registered anew", {}, { uid: "uid-other" }, []],
    ["have a kubelet that reports no boot", { bootId: null }, {}, ["a"]],
  ] as const)("are counted as far as they %s", (_, change, node, names) => {
    const nodes = [{ uid: "uid-a", bootId: "7", ...node }];
    expect(failingNow([probed("a", change)], nodes, 6, NOW).map(({ node: name }) => name)).toEqual(names);
  });

  it("are told by the message on their common cause that is out today, and by a new one on another day", () => {
    const before = ["a", "b", "c"].map((name) => {
      return failing(name, { card: { kind: "common", ts: "17.1", at: hoursAgo(1) } });
    });
    const today = tellingOf([failing("d")], before, new Date(NOW).toISOString());
    expect(today).toMatchObject({ kind: "common", ts: "17.1", cards: [] });
    expect(today.nodes).toHaveLength(4);
    expect(tellingOf([failing("d")], before, "2026-11-24T01:00:00.000Z")).toMatchObject({ kind: "common", ts: null });
  });

  it("are told each by itself while they are three", () => {
    const telling = tellingOf([failing("c")], [failing("a"), failing("b")], new Date(NOW).toISOString());
    expect(telling).toMatchObject({ kind: "each", nodes: [{ node: "c" }] });
  });
});

it.each([
  ["of this node and boot is good", probed("a"), { uid: "uid-a", bootId: "7" }, "known"],
  ["is good while the cluster does not answer", probed("a"), undefined, "known"],
  ["from before the last boot is not", probed("a"), { uid: "uid-a", bootId: "8" }, "other-boot"],
  ["of three days ago is not", probed("a", { probedAt: hoursAgo(72) }), { uid: "uid-a", bootId: "7" }, "old"],
  ["of a Node that is gone is none", probed("a"), { uid: "uid-b", bootId: "7" }, "none"],
  ["that there is not is none", undefined, { uid: "uid-a", bootId: "7" }, "none"],
])("a result %s", (_, kept, node, state) => {
  expect(lastProbeOf(kept, node, { now: NOW, validHours: 48 }).state).toBe(state);
});

import type { V1Node } from "@kubernetes/client-node";
import { describe, expect, it } from "vitest";
import { startingTaint } from "../../../lambdas/cluster/node-keys.ts";
import type { Machine } from "../../../lambdas/steps/ec2/instances.ts";
import { judgeSlot, mostAway, poolNodes, type SlotEntry } from "../../../lambdas/steps/ledger/slot-rules.ts";

const entry = (node: string, operation = `remove-${node}`): SlotEntry => ({
  owner: `${operation}:0`,
  execution: `arn:${operation}`,
  uid: node,
  node,
  epoch: 1,
  since: "2026-11-21T14:32:00Z",
});
const asking = (node: string) => {
  const { owner, execution, uid } = entry(node);
  return { owner, execution, uid, node };
};
const pool = (away: readonly string[] = [], maxUnavailable: number | string = 1) => ({
  nodes: ["a", "b", "c", "d"].map((name) => ({ uid: name, name, isAway: away.includes(name), why: "cordoned" })),
  maxUnavailable,
});

describe("How many nodes of a pool may be away", () => {
  it.each([
    [1, 10, 1],
    [3, 2, 3],
    ["20%", 10, 2],
    ["20%", 14, 2],
    ["20%", 4, 1],
    ["100%", 7, 7],
    ["50%", 0, 1],
  ])("is, by %s of %i nodes, %i", (given, size, most) => {
    expect(mostAway(given, size)).toBe(most);
  });
});

describe("A slot", () => {
  it("is granted while fewer nodes are away than may be", () => {
    expect(judgeSlot(pool(), [], asking("a"))).toEqual({ granted: true });
    expect(judgeSlot(pool([], 2), [entry("b")], asking("a"))).toEqual({ granted: true });
  });

  it("is refused with what holds the others and what is away", () => {
    const held = entry("b");
    expect(judgeSlot(pool(), [held], asking("a"))).toEqual({ granted: false, most: 1, holders: [held], away: [] });
    expect(judgeSlot(pool(["c"], 2), [held], asking("a"))).toMatchObject({
      holders: [held],
      away: [{ node: "c", why: "cordoned" }],
    });
    expect(judgeSlot(pool(["c"]), [], asking("a"))).toMatchObject({
      holders: [],
      away: [{ node: "c", why: "cordoned" }],
    });
  });

  it("counts a node once that is held and away", () => {
    expect(judgeSlot(pool(["b"], 2), [entry("b")], asking("a"))).toEqual({ granted: true });
  });

  it("is never refused to a node that is away by itself or gone", () => {
    expect(judgeSlot(pool(["a"]), [entry("b")], asking("a"))).toEqual({ granted: true });
    expect(judgeSlot(pool(), [entry("b")], asking("gone"))).toEqual({ granted: true });
  });

  it("stays with its owner, and is not another's by the same node", () => {
    expect(judgeSlot(pool(), [entry("a"), entry("b")], asking("a"))).toEqual({ granted: true });
    expect(judgeSlot(pool(), [entry("b"), entry("a", "other")], asking("a"))).toMatchObject({ granted: false });
  });
});

describe("The nodes of a pool", () => {
  const node = (name: string, more: object = {}, ready = "True", os = "windows"): V1Node => ({
    metadata: { name, uid: name, labels: { "kubernetes.io/os": os } },
    spec: { providerID: `aws:///us-west-2a/i-0${name}`, ...more },
    status: { conditions: [{ type: "Ready", status: ready }] },
  });
  const machine = (name: string, of: string | null): Machine =>
    ({ instanceId: `i-0${name}`, tags: of ? { "casement:pool": of } : {} }) as unknown as Machine;

  it("are its Windows nodes that were in service: NotReady and cordoned ones are away", () => {
    const nodes = [
      node("a"),
      node("b", {}, "Unknown"),
      node("c", { unschedulable: true }),
      node("d", { taints: [startingTaint] }, "False"),
      node("e"),
      node("f"),
      node("1", {}, "False", "linux"),
    ];
    const machines = [..."abcd"].map((name) => machine(name, "web")).concat(machine("e", "batch"), machine("f", null));
    const names = (pool: string | null) => poolNodes(nodes, machines, pool).map(({ name, isAway }) => [name, isAway]);
    expect(names("web")).toEqual([
      ["a", false],
      ["b", true],
      ["c", true],
    ]);
    expect(names("batch")).toEqual([["e", false]]);
    expect(names(null)).toEqual([["f", false]]);
  });
});

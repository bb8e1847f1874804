import { afterAll, beforeAll, expect, it } from "vitest";
import { setUp, tearDown } from "../../engine/durable-engine.ts";
import { dnsFailsOn, type ProbedFleet, probedFleet } from "./probed-fleet.ts";

beforeAll(setUp);
afterAll(tearDown);

const HOUR = 3_600_000;
const MIDNIGHT = Date.parse("2026-11-21T00:00:00Z");

/** Runs a tick for each hour. @param from hours since midnight */
async function hours(fleet: ProbedFleet, from: number, count: number): Promise<void> {
  for (let hour = from; hour < from + count; hour += 1)
    expect((await fleet.tick(MIDNIGHT + hour * HOUR)).status).toBe("SUCCEEDED");
}

const together = (count: number) =>
  expect.stringMatching(new RegExp(`^⚠️ \\*${count} nodes\\* are Ready.*One cause is likely`));

it("tells each of a few dead nodes on a card of its own, after two probes of each", async () => {
  const fleet = probedFleet(
    18,
    dnsFailsOn(() => true),
  );
  await hours(fleet, 0, 1);
  // Of 18 nodes three have their turn; one of them is held by an operation.
  expect(fleet.posted()).toEqual([
    expect.stringContaining("`win-06` is Ready"),
    expect.stringContaining("`win-12` is Ready"),
  ]);
  expect(fleet.made.filter((name) => name.endsWith("windows"))).toHaveLength(4);
  expect(fleet.called).toEqual([expect.stringMatching(/^win-06, win-12: Ready, but pods do not work there/)]);
});

it.each([
  ["whose kube-proxy was posted before beneath that message", "kube-proxy", ["9.1"]],
  ["whose csi-proxy was posted before on a card of its own, since pods' network needs it not", "csi-proxy", []],
])("tells a dead node %s, and calls people to it", async (_whose, service, threads) => {
  const posted = { kind: "service-stopped", service, since: "", mark: "look-1", isPosted: true, ts: "9.1" } as const;
  const fails = dnsFailsOn((node) => node === "win-06");
  const fleet = probedFleet(18, fails, undefined, { "win-06": [posted] });
  await hours(fleet, 0, 1);
  expect(fleet.replies.map((reply) => reply.split(":")[0])).toEqual(threads);
  expect(fleet.posted()).toHaveLength(1);
  expect(fleet.posted()[0]?.includes("Likely cause: The service `kube-proxy` does not run on `win-06`.")).toBe(
    threads.length === 1,
  );
  expect(fleet.called).toEqual([expect.stringMatching(/^win-06: Ready, but pods do not work there/)]);
});

it("tells more than three dead nodes of one tick on one card about what they share", async () => {
  const fleet = probedFleet(
    30,
    dnsFailsOn(() => true),
  );
  await hours(fleet, 0, 1);
  expect(fleet.posted()).toEqual([together(4)]);
});

it("tells twelve dead nodes of six hourly turns on one card, and the cards that were out before say so", {
  tags: ["long"],
}, async () => {
  const fleet = probedFleet(
    12,
    dnsFailsOn(() => true),
  );
  await hours(fleet, 0, 2);
  // In the first hour one of two nodes, the other being held; in the second two more: not more than three yet.
  expect(fleet.posted()).toEqual([
    expect.stringContaining("`win-06` is Ready"),
    expect.stringContaining("`win-01` is Ready"),
    expect.stringContaining("`win-07` is Ready"),
  ]);
  // The fourth one makes a common cause: people are called before the fifth one is tried.
  await hours(fleet, 2, 1);
  expect(fleet.posted()).toEqual([
    expect.stringMatching(/`win-06` is Ready.*one of 4 nodes that fail at once/),
    expect.stringMatching(/`win-01` is Ready.*one of 4 nodes that fail at once/),
    expect.stringMatching(/`win-07` is Ready.*one of 4 nodes that fail at once/),
    together(4),
  ]);
  await hours(fleet, 3, 9);
  expect(fleet.posted()).toHaveLength(4);
  expect(fleet.posted().at(-1)).toEqual(together(11));
  expect(fleet.called).toHaveLength(3);
  expect(fleet.called.at(-1)).toMatch(/^4 nodes at once, one cause is likely: win-01, win-02/);
});

it("does not count nodes that failed in another round: a fourth failure days later is one of its own", {
  tags: ["long"],
}, async () => {
  let broken = (node: string) => ["win-01", "win-02", "win-03"].includes(node);
  const fleet = probedFleet(
    12,
    dnsFailsOn((node) => broken(node)),
  );
  await hours(fleet, 0, 6);
  expect(fleet.posted()).toHaveLength(3);
  broken = (node) => node === "win-04";
  await hours(fleet, 48, 6);
  expect(fleet.posted()).toHaveLength(4);
  expect(fleet.posted().at(-1)).toContain("`win-04` is Ready");
});

it("counts a node that still fails in each round", { tags: ["long"] }, async () => {
  let broken = (node: string) => ["win-01", "win-02", "win-03"].includes(node);
  const fleet = probedFleet(
    12,
    dnsFailsOn((node) => broken(node)),
  );
  await hours(fleet, 0, 12);
  broken = (node) => ["win-01", "win-02", "win-03", "win-04"].includes(node);
  await hours(fleet, 12, 6);
  expect(fleet.posted().at(-1)).toEqual(together(4));
});

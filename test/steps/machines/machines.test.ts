import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Retryable } from "../../../lambdas/errors.ts";
import type { ProbedNode } from "../../../lambdas/health/probed-node.ts";
import type { Assistance } from "../../../lambdas/machine/assistance.ts";
import type { Sighting } from "../../../lambdas/machine/seen-machine.ts";
import type { Steps } from "../../../lambdas/steps/steps.ts";
import type { FunctionName } from "../../../lib/functions.ts";
import { START, type TestSimulator, testSimulator } from "../test-simulator.ts";

const DAY = 24 * 60 * 60;
const AT = new Date(START).toISOString();

let simulator: TestSimulator;
beforeEach(async () => {
  simulator = await testSimulator();
});
afterEach(() => simulator.close());

const machines = (as: FunctionName): Steps["machines"] => simulator.as(as).machines;

const machine = { instanceId: "i-0aa", node: "win-1", uid: "uid-1", launchedAt: AT };
const sighting = (more: Partial<Sighting> = {}): Sighting => ({ ...machine, bootId: "41", reasons: [], ...more });
const news = { mark: "tick-1", cause: { kind: "ec2-start" }, bootedAt: null, of: 1 } as const;
const kubeletClients = { sha256: "f0ae", authorities: [] };
const assistance: Assistance = {
  ...{ instanceId: "i-0aa", launchedAt: AT, owner: { kind: "karpenter", owner: "windows-7" }, state: "assisted" },
  ...{ operation: "assist-1", askedBy: "U0OPERATOR", approvedBy: ["U0APPROVER"], at: AT },
};
const probe = (more: Partial<ProbedNode> = {}): Omit<ProbedNode, "card"> => ({
  ...{ instanceId: "i-0aa", node: "win-1", uid: "uid-1", bootId: "41", probedAt: AT },
  result: { state: "fails", fault: "dns", from: null },
  ...more,
});
const card = { kind: "one", ts: "1.1", at: AT } as const;

describe("The record of a machine", () => {
  /** The machines whose records can be read by their ids. */
  const recorded = async (): Promise<string[]> => {
    const found: string[] = [];
    for (const id of ["i-0aa", "i-0bb"]) if (await machines("sweep").given.of(id)) found.push(id);
    return found;
  };
  const give = (instanceId: string): Promise<void> =>
    machines("provision-node").given.record(instanceId, "add-1:0", "kubeletClients", () => kubeletClients);

  it("stays as long as the machine lives, and expires 400 days after it was first missed", async () => {
    await give("i-0aa");
    await give("i-0bb");
    await machines("sweep").keepWhileMachinesLive((id) => id === "i-0bb");
    await simulator.pass(399 * DAY);
    await machines("sweep").keepWhileMachinesLive((id) => id === "i-0bb");
    expect(await recorded()).toEqual(["i-0aa", "i-0bb"]);
    await simulator.pass(2 * DAY);
    expect(await recorded()).toEqual(["i-0aa"]);
  });

  it("stays when a machine was missing from one listing by mistake", async () => {
    await give("i-0aa");
    await machines("sweep").keepWhileMachinesLive(() => true);
    await machines("sweep").keepWhileMachinesLive(() => false);
    await simulator.pass(401 * DAY);
    expect(await recorded()).toEqual(["i-0aa"]);
  });

  it("begins empty when something is written after it has expired", async () => {
    await machines("assist-node").assistance.write(assistance);
    await machines("sweep").keepWhileMachinesLive(() => true);
    await simulator.pass(401 * DAY);
    await give("i-0aa");
    expect(await recorded()).toEqual(["i-0aa"]);
    expect(await machines("look").assistance.of("i-0aa")).toBeUndefined();
  });

  it("takes writes of all parts at the same moment", async () => {
    await Promise.all([
      give("i-0aa"),
      machines("watch-reboots").seen.note(sighting(), undefined),
      machines("reboot-node").seen.noteOrder("i-0aa", "reboot-1"),
      machines("probe-nodes").probed.note(probe()),
      machines("assist-node").assistance.write(assistance),
    ]);
    const { seen, given, probed, assistance: approvals } = machines("look");
    expect((await seen.all()).get("i-0aa")).toMatchObject({ ...machine, bootId: "41" });
    expect((await seen.ownReboots()).get("i-0aa")).toEqual({ operation: "reboot-1", at: AT, bootId: null });
    expect(await probed.of("i-0aa")).toEqual(probe());
    expect((await given.all()).get("i-0aa")?.kubeletClients).toEqual({ ...kubeletClients, owner: "add-1:0", at: AT });
    expect(await approvals.all()).toEqual([assistance]);
  });

  it("takes one of two writes of the same part at the same moment, and has the other tried again", async () => {
    await machines("probe-nodes").probed.note(probe());
    const written = await Promise.allSettled([
      machines("probe-nodes").probed.noteCard("i-0aa", card),
      machines("reboot-node").probed.note(probe({ result: { state: "works" } })),
    ]);
    const refused = written.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(refused).toEqual([expect.any(Retryable)]);
  });
});

describe("What a look has seen", () => {
  it("is absent 30 days after the last look, although the record stays", async () => {
    await machines("watch-reboots").seen.note(sighting(), undefined);
    await simulator.pass(29 * DAY);
    expect((await machines("look").seen.all()).has("i-0aa")).toBe(true);
    await machines("watch-reboots").seen.note(sighting(), undefined);
    await simulator.pass(29 * DAY);
    expect((await machines("look").seen.all()).has("i-0aa")).toBe(true);
    await simulator.pass(DAY);
    expect((await machines("look").seen.all()).has("i-0aa")).toBe(false);
    expect(await machines("watch-reboots").seen.note(sighting({ bootId: "50" }), undefined)).toBe("none");
  });

  it("keeps a boot that nobody ordered until its news are posted, and news with another mark longer", async () => {
    const { seen } = machines("watch-reboots");
    await seen.note(sighting(), undefined);
    expect(await seen.note(sighting({ bootId: "42" }), undefined)).toBe("foreign");
    await seen.noteBoot({ ...machine, bootId: "42", news });
    await seen.noteBoot({ ...machine, bootId: "42", news: { ...news, mark: "tick-2" } });
    await seen.clearNews("i-0aa", "tick-2");
    expect((await seen.all()).get("i-0aa")).toMatchObject({ bootId: "42", news });
    await seen.clearNews("i-0aa", "tick-1");
    expect((await seen.all()).get("i-0aa")).not.toHaveProperty("news");
  });

  it("knows the boot that an operation ordered, once a look or the proof has found it", async () => {
    const { seen } = machines("watch-reboots");
    await seen.note(sighting(), undefined);
    await machines("reboot-node").seen.noteOrder("i-0aa", "reboot-1");
    const ordered = (await seen.ownReboots()).get("i-0aa");
    expect(await seen.note(sighting({ bootId: "42", reasons: ["servicing"] }), ordered)).toBe("own");
    expect((await seen.ownReboots()).get("i-0aa")).toMatchObject({ operation: "reboot-1", bootId: "42" });
    await simulator.pass(60);
    await machines("reboot-node").seen.noteProof("reboot-1", { ...machine, bootId: "43", reasons: [] });
    expect((await seen.ownReboots()).get("i-0aa")).toEqual({ operation: "reboot-1", at: AT, bootId: "43" });
    expect((await seen.all()).get("i-0aa")).toMatchObject({ bootId: "43", reasons: [], dueSince: null });
  });

  it("is written by the proof of the same Node alone, and forgotten with the machine's assistance", async () => {
    const { seen } = machines("watch-reboots");
    await seen.note(sighting(), undefined);
    const proof = { ...machine, uid: "uid-2", bootId: "43", reasons: [] };
    await machines("reboot-node").seen.noteProof("reboot-1", proof);
    expect((await seen.all()).get("i-0aa")).toMatchObject({ uid: "uid-1", bootId: "41" });
    await machines("assist-node").seen.forget("i-0aa");
    expect((await seen.all()).has("i-0aa")).toBe(false);
  });
});

describe("The newest probe of a node", () => {
  it("keeps the message that shows its failure while the same Node fails, and is absent after nine days", async () => {
    const { probed } = machines("probe-nodes");
    await probed.noteCard("i-0aa", card);
    expect(await probed.all()).toEqual([]);
    await probed.note(probe());
    await probed.noteCard("i-0aa", card);
    expect(await probed.note(probe())).toEqual({ ...probe(), card });
    expect(await probed.note(probe({ uid: "uid-2" }))).not.toHaveProperty("card");
    await probed.noteCard("i-0aa", card);
    expect(await probed.note(probe({ uid: "uid-2", result: { state: "works" } }))).not.toHaveProperty("card");
    await simulator.pass(9 * DAY);
    expect(await probed.of("i-0aa")).toBeUndefined();
    expect(await probed.all()).toEqual([]);
  });
});

describe("The approval of an assistance", () => {
  it("is replaced by the next one, and absent once it has ended", async () => {
    const { assistance: approvals } = machines("assist-node");
    await approvals.end("i-0aa");
    await approvals.write({ ...assistance, state: "beginning" });
    await approvals.write(assistance);
    expect(await approvals.of("i-0aa")).toEqual(assistance);
    await approvals.end("i-0aa");
    expect(await approvals.of("i-0aa")).toBeUndefined();
    expect(await approvals.all()).toEqual([]);
  });
});

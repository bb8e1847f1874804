import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { admit } from "../../../lambdas/capabilities/add/admit.ts";
import { guardRoute, installFeatures } from "../../../lambdas/capabilities/add/configure.ts";
import { clientCertificate, currentNode, nodeRegistered } from "../../../lambdas/capabilities/add/join.ts";
import type { Observation } from "../../../lambdas/machine/plan.ts";
import { callLog, machine, taskOn } from "../../change/a-task.ts";
import { run, setUp, tearDown, tenMinutes } from "../../engine/durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

const node = { metadata: { name: machine.privateDnsName, uid: "uid-1" } };
const registered = { name: machine.privateDnsName, uid: "uid-1" };

/** A machine that sees itself so, at each look of observe.ps1; its other scripts do what they are told. */
function observing(...seen: readonly Partial<Observation>[]) {
  const guard = { present: true, sha256: null, taskEnabled: true, lastResult: 0, paths: 1, error: "" };
  const clock = Math.floor(Date.now() / 1000);
  const healthy = { guard, clock, metadataAnswers: true, bootId: "boot-1", features: ["Containers"], hnsNetworks: [] };
  const scripts: string[] = [];
  let looks = 0;
  const answer = (): object => {
    if (scripts.at(-1) !== "observe") return { ok: true, failed: null, rebootDue: true };
    return { ok: true, rebootPending: false, ...healthy, ...seen[Math.min(looks++, seen.length - 1)] };
  };
  const send = async (_held: unknown, { script }: { script: string }) => {
    scripts.push(script);
    return "command-1";
  };
  const machine = { send, commandState: async () => ({ state: "done", result: answer() }) };
  const ledger = { nodes: async () => [{ index: 0, notes: [] }], changeNode: async () => undefined };
  return { scripts, given: { ledger, machine, machines: { seen: { noteOrder: async () => undefined } } } };
}

const noGuard = { guard: { present: false, sha256: null, taskEnabled: false, lastResult: null, paths: 1, error: "" } };
const failedGuard = {
  guard: { present: true, sha256: null, taskEnabled: true, lastResult: 1, paths: 1, error: "no default route" },
};
const yesterday = { clock: Math.floor(Date.now() / 1000) - 86_400 };
const twoPaths = { guard: { present: true, sha256: null, taskEnabled: true, lastResult: 0, paths: 2, error: "" } };

describe("The guard of the metadata route", () => {
  it.each([
    ["it is not installed", noGuard, "guard-task-missing"],
    ["its last run failed", failedGuard, "guard-failed"],
    ["the machine's clock is wrong", yesterday, "clock-wrong"],
    ["it cannot tell the network paths apart", twoPaths, "network-paths"],
    ["the metadata service does not answer", { metadataAnswers: false }, "metadata-silent"],
  ])("is not believed when %s", async (_, seen, code) => {
    const ended = await run((ctx) => guardRoute(taskOn(ctx, callLog(), observing(seen).given)));
    expect(ended.error.type).toBe(`StageFailed:${code}`);
  });
});

describe("The reboot", () => {
  const rebooted = async (...seen: readonly Partial<Observation>[]) => {
    const { scripts, given } = observing(...seen);
    const ended = await run((ctx) => installFeatures(taskOn(ctx, callLog(), given)));
    return { status: ended.status, why: ended.error.message, scripts };
  };

  it("is done once the guard stands, and counts when the boot id is another one", async () => {
    const { status, scripts } = await rebooted({ bootId: "boot-1" }, { bootId: "boot-2" });
    expect(status).toBe("SUCCEEDED");
    expect(scripts).toEqual(["apply", "observe", "reboot", "observe", "observe"]);
  });

  it("is repeated while Windows asks for another one, twice at most, and the failure names the sign", async () => {
    const at = (boot: number, rebootPending = false) => ({
      ...{ bootId: `boot-${boot}`, rebootPending, rebootSigns: rebootPending ? ["windows-update"] : [] },
    });
    const count = (scripts: readonly string[]): number => scripts.filter((one) => one === "reboot").length;
    const ended = await rebooted(at(1), at(2), at(2, true), at(2, true), at(3));
    expect([ended.status, count(ended.scripts)]).toEqual(["SUCCEEDED", 2]);
    const never = await rebooted(at(1), at(2), at(2, true), at(2, true), at(3, true), at(3, true), at(4, true));
    expect([never.why, count(never.scripts)]).toEqual([
      "Windows requires another reboot (Windows Update), after 2 more than its features need",
      3,
    ]);
  });

  it("is not repeated once container networks exist", async () => {
    const seen = { bootId: "boot-2", rebootPending: true, hnsNetworks: ["nat"] };
    const { scripts, why } = await rebooted({ bootId: "boot-1" }, seen);
    expect([scripts.filter((one) => one === "reboot").length, why]).toEqual([
      1,
      expect.stringContaining("container networks exist already: nat"),
    ]);
  });

  it.each([
    ["the guard is gone", noGuard, "not rebooted: the guard"],
    ["container networks exist", { hnsNetworks: ["OVNKubernetesHNSNetwork"] }, "container networks exist already"],
  ])("is refused when %s", async (_, seen, why) => {
    const { scripts, ...ended } = await rebooted(seen);
    expect(ended.why).toContain(why);
    expect(scripts).not.toContain("reboot");
  });

  it("is not believed when the boot id stays the same", async () => {
    expect((await rebooted({ bootId: "boot-1" })).why).toContain("its boot id has not changed");
  });
});

describe("Joining", () => {
  it("approves nothing for a machine that somebody else claims", async () => {
    const all = async () => [{ machine: machine.instanceId, kind: "machine-set", owner: "windows" }];
    const ended = await run((ctx) => clientCertificate(taskOn(ctx, callLog(), { claims: { all } })));
    expect(ended.error).toEqual({ type: "StageFailed:address-claimed", message: expect.stringContaining("windows") });
  });

  it("says what was approved wrongly, however many requests were left pending before", async () => {
    const said: string[] = [];
    const called: string[] = [];
    const ledger = {
      nodes: async () => [{ index: 0, notes: said }],
      changeNode: async (_id: string, _index: number, { notes }: { notes?: string[] }) =>
        void (notes && said.splice(0, said.length, ...notes)),
    };
    const mismatches = Array.from({ length: 40 }, (_, at) => ({ name: `csr-${at}`, why: "its usages are wrong" }));
    const by = { program: "approve-all", reason: "", message: "" };
    const wrong = { name: "csr-wrong", why: "it was asked for with another join token", by };
    let look = 0;
    const approveFor = async () => {
      look += 1;
      const approved = look > 3 ? { name: "csr-ours", by: null } : null;
      return { approved, denied: [], mismatches, approvedWrongly: look > 1 ? [wrong] : [] };
    };
    const given = {
      ledger,
      claims: { all: async () => [] },
      nodes: { all: async () => [] },
      csrs: { approveFor, suspicious: async () => [] },
      notices: { send: async ({ message }: { message: string }) => void called.push(message) },
    };
    const ended = await run((ctx) => clientCertificate(taskOn(ctx, callLog(), given)));
    expect(ended.status).toBe("SUCCEEDED");
    expect(said).toHaveLength(11);
    expect(said.at(-1)).toContain("WRONGLY APPROVED: csr-wrong");
    expect(called).toHaveLength(2);
  });

  it("makes no further join token when the stage is out of time, and says what it waited for", async () => {
    const log = callLog();
    const approveFor = async () => ({ approved: null, denied: [], mismatches: [], approvedWrongly: [] });
    const none = { all: async () => [] };
    const given = { claims: none, nodes: none, csrs: { approveFor, suspicious: async () => [] } };
    const tokens = [{ id: "jti-1", expiresAt: new Date(Date.now() - 60_000).toISOString() }];
    const wait = tenMinutes({ until: Date.now() - 1_000 });
    const ledger = { nodes: async () => [] };
    const ended = await run((ctx) => clientCertificate(taskOn(ctx, log, { ...given, ledger }, { tokens, wait })));
    expect(ended.error.message).toContain("gave up waiting for the kubelet's certificate request");
    expect(log.entries).toEqual([]);
  });

  it("gives its place to the next machine as soon as the Node is there", async () => {
    const given: string[] = [];
    const joinSlots = { giveBack: async (owner: string) => void given.push(owner) };
    await run((ctx) => nodeRegistered(taskOn(ctx, callLog(), { joinSlots, nodes: { read: async () => node } })));
    expect(given).toEqual(["add-1:0"]);
  });

  it("does not go on with a Node that somebody else made meanwhile, or deleted", async () => {
    const goingOn = (found: object | undefined) =>
      run((ctx) => currentNode(taskOn(ctx, callLog(), { nodes: { read: async () => found } }, { node: registered })));
    expect((await goingOn(node)).status).toBe("SUCCEEDED");
    expect((await goingOn({ metadata: { ...node.metadata, uid: "uid-2" } })).error.message).toContain(
      "recreated outside Casement",
    );
    expect((await goingOn(undefined)).error.message).toContain("deleted during setup");
  });
});

it("opens a node to pods last, when secret and file of its joining are gone", async () => {
  const log = callLog();
  const untaint = async (_node: unknown, key: string) => void log.entries.push(`take off ${key}`);
  const nodes = { read: async () => node, untaint };
  await run((ctx) => admit(taskOn(ctx, log, { nodes }, { node: registered })));
  expect(log.entries).toEqual([
    "delete the join secret",
    'apply "remove the join material"',
    "take off casement.dev/starting",
  ]);
});

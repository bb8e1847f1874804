import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rebootThroughEc2 } from "../../../lambdas/capabilities/reboot/ec2.ts";
import type { RebootTask } from "../../../lambdas/capabilities/reboot/task.ts";
import type { WaitOptions } from "../../../lambdas/engine/durable.ts";
import { Retryable } from "../../../lambdas/errors.ts";
import type { BootBefore } from "../../../lambdas/health/facts.ts";
import { machineToBoot } from "../../../lambdas/messages/node/reboot.ts";
import type { Ec2Reboot } from "../../../lambdas/records/late-reboot.ts";
import type { NodeRecord } from "../../../lambdas/records/records.ts";
import { lease, node as named, nodeTask } from "../../change/node/a-node.ts";
import { inMinutes, run, setUp, tearDown, tenMinutes } from "../../engine/durable-engine.ts";
import { nodeRecord } from "../../messages/records.ts";
import type { Outside } from "../../sandbox/durable/backends.ts";

beforeAll(setUp);
afterAll(tearDown);

const MINUTE = 60_000;
const OPERATION = "remove-1";

/** A Node of this boot. @param ready status of its condition */
const booted = (bootID: string | null, ready = "True") => ({
  metadata: named,
  status: { nodeInfo: bootID === null ? {} : { bootID }, conditions: [{ type: "Ready", status: ready }] },
});

interface Scene {
  /** The Node, some minutes after the order; undefined if there is none. */
  readonly node?: (minutes: number) => object | undefined;
  /** Minutes after the order at which the agent reported last; null if it never did. */
  readonly reported?: (minutes: number) => { readonly online: boolean; readonly at: number | null };
  readonly order?: Ec2Reboot;
  readonly wait?: Partial<WaitOptions>;
  readonly meanwhile?: (outside: Outside) => Promise<void>;
}

const silent = () => ({ online: true, at: -60 });

/** The services that a reboot asks; what is done and written is kept. @param minutes since its begin */
function servicesOf({ node = () => booted("7"), reported = silent, order }: Scene, minutes: () => number) {
  let work: NodeRecord = nodeRecord({ operation: OPERATION, index: 0, ...(order ? { ec2Reboot: order } : {}) });
  const done: string[] = [];
  const changes: Partial<NodeRecord>[] = [];
  const doing =
    <T>(word: string, answer: T) =>
    async () => {
      done.push(word);
      return answer;
    };
  const given = {
    nodes: {
      read: async (name: string) => (name === named.name ? node(minutes()) : undefined),
      all: async () => [],
    },
    stops: { over: async () => null },
    drain: { check: doing("check", []) },
    instances: { describe: async () => ({ ...lease, state: "running" }), reboot: doing("reboot", "taken") },
    health: {
      agent: async (instanceId: string) => {
        const { online, at } = reported(minutes());
        if (instanceId !== lease.instanceId) throw new Error("another machine was asked");
        const since = at === null ? null : Date.now() + (at - minutes()) * MINUTE;
        return { online, lastPingAt: since === null ? null : new Date(since).toISOString() };
      },
    },
    screenshots: { take: async () => "https://picture" },
    ledger: {
      operation: async () => ({ cancelledBy: null, callbacks: {} }),
      nodes: async () => [work],
      decisions: async () => [],
      changeNode: async (_id: string, _index: number, change: Partial<NodeRecord>) => {
        changes.push(change);
        work = { ...work, ...change };
      },
    },
    audit: { append: async (_chain: object, mark: string) => void done.push(mark.replace(/ at .*/, "")) },
  };
  return { given, done, changes };
}

/** Reboots a machine through EC2. @returns what was done, the changes of its record, and the end with its minute */
async function rebooted(scene: Scene) {
  const begin = Date.now();
  const minutes = () => (Date.now() - begin) / MINUTE;
  const { given, done, changes } = servicesOf(scene, minutes);
  const kept: unknown[] = [];
  const wait = tenMinutes({ until: inMinutes(60), ...scene.wait });
  const { error } = await run(async (ctx) => {
    const own = { workflow: "reboot", before: null, pool: null };
    const task = { ...nodeTask(ctx, given, wait), ...own } as unknown as RebootTask;
    await rebootThroughEc2(task);
    kept.push(task.before);
  }, scene.meanwhile);
  return { done, changes, before: kept[0], error, minutes: Math.round(minutes() * 100) / 100, begin };
}

/** Minutes until the second poll: the first ones are 45 seconds apart. */
const SECOND_POLL = 0.75;

describe("A reboot through EC2", () => {
  test("is ordered once after the last check, and keeps the boot that must be over", async () => {
    const { done, changes, before, error, begin } = await rebooted({ node: (at) => booted(at < 1 ? "7" : "8") });
    expect(error.message).toBeUndefined();
    expect(done).toEqual(["check", "reboot", "reboot through EC2"]);
    const { bootId, bootedAt, askedAt } = before as BootBefore;
    expect([bootId, bootedAt]).toEqual(["7", askedAt]);
    expect(Date.parse(askedAt) - begin).toBeLessThan(1_000);
    expect(changes[0]).toMatchObject({ ec2Reboot: { answer: "unknown" }, callbacks: {} });
    expect(changes[1]).toMatchObject({ ec2Reboot: { at: expect.any(String) } });
    expect(changes.slice(2)).toEqual([{ waitsFor: machineToBoot }, { waitsFor: machineToBoot }]);
  });

  test.each<[string, Partial<Ec2Reboot>, string[]]>([
    ["EC2 took", {}, ["check", "reboot through EC2"]],
    ["has no known answer", { answer: "unknown" }, ["check", "reboot through EC2"]],
    ["EC2 refused", { answer: "refused" }, ["check", "reboot", "reboot through EC2"]],
  ])("is repeated where an earlier order %s only if that was refused", async (_what, change, done) => {
    const order = { at: new Date().toISOString(), ...change };
    const seen = await rebooted({ node: (at) => booted(at < 0.5 ? "7" : "8"), order });
    expect([seen.done, seen.minutes]).toEqual([done, expect.closeTo(SECOND_POLL, 1)]);
  });
});

describe("A machine that EC2 reboots", () => {
  test.each<[string, Scene["node"], Scene["reported"], number]>([
    ["its kubelet has another boot id", (at) => booted(at < 2 ? "7" : "8"), silent, 2.25],
    [
      "its kubelet is not Ready yet, but has another boot id",
      (at) => booted(at < 2 ? "7" : "8", "False"),
      silent,
      2.25,
    ],
    [
      "its kubelet is silent, and its agent reported five minutes after the order",
      (at) => booted("7", at < 1 ? "True" : "Unknown"),
      (at) => ({ online: true, at }),
      5.25,
    ],
    [
      "it has no Node, and its agent reported five minutes after the order",
      (at) => (at < 1 ? booted("7") : undefined),
      (at) => ({ online: true, at }),
      5.25,
    ],
    [
      "its boot was not known before, and its agent reported five minutes after the order",
      (at) => booted(at < 0.01 ? null : "8"),
      (at) => ({ online: true, at }),
      5.25,
    ],
  ])("has booted when %s", async (_what, node, reported, minutes) => {
    const seen = await rebooted({ node, reported });
    expect(seen.error.message).toBeUndefined();
    expect(seen.minutes).toBeCloseTo(minutes, 0);
    expect(seen.minutes).toBeGreaterThan(minutes - 0.5);
  });

  test.each<[string, Scene["node"], Scene["reported"]]>([
    [
      "its kubelet is Ready in the old boot, whatever the agent says",
      () => booted("7"),
      (at) => ({ online: true, at }),
    ],
    ["its agent has not reported since", () => undefined, () => ({ online: true, at: 5 })],
    ["its agent is offline", () => undefined, (at) => ({ online: false, at })],
    ["its agent never reported", () => undefined, () => ({ online: true, at: null })],
  ])("has not booted while %s", async (_what, node, reported) => {
    const { error, minutes } = await rebooted({ node, reported, wait: { until: inMinutes(10) } });
    expect(error).toMatchObject({
      type: expect.stringContaining("DeadlineExceeded"),
      message: `gave up waiting for ${machineToBoot}`,
    });
    expect(minutes).toBeGreaterThanOrEqual(10);
    expect(minutes).toBeLessThan(11);
  });

  test("is not waited for once it has ended", async () => {
    const begin = Date.now();
    const endOfMachine = async () => (Date.now() - begin > MINUTE ? "i-0ab is terminated" : null);
    const { error, minutes } = await rebooted({ wait: { endOfMachine } });
    expect(error).toMatchObject({
      type: expect.stringContaining("MachineEnded"),
      message: expect.stringContaining("i-0ab is terminated"),
    });
    expect(minutes).toBeLessThan(2);
  });

  test("is waited for over a busy service, whose words are in the end; a defect ends the wait", async () => {
    const fails = (error: Error) => (at: number) => {
      if (at > 1) throw error;
      return booted("7");
    };
    const node = fails(new Retryable("the API server is busy"));
    const { error, minutes } = await rebooted({ node, wait: { until: inMinutes(5) } });
    expect(error.message).toContain("the API server is busy");
    expect(minutes).toBeGreaterThanOrEqual(5);
    const broken = await rebooted({ node: fails(new Error("a defect")) });
    expect(broken.error.message).toBe("a defect");
    expect(broken.minutes).toBeLessThan(2);
  });

  test("is offered another reboot once it is late, with the callback of that poll", { tags: ["long"] }, async () => {
    const { changes, error } = await rebooted({ wait: { until: inMinutes(65) } });
    expect(error.message).toContain(machineToBoot);
    const offers = changes.filter(({ lateSince }) => lateSince !== undefined);
    expect(offers[0]?.callbacks).toMatchObject({ decision: expect.any(String) });
    expect(new Set(offers.map(({ callbacks }) => callbacks?.decision)).size).toBe(offers.length);
    expect(offers.length).toBeGreaterThan(1);
  });

  test("is looked at as soon as a person presses", async () => {
    const node = (at: number) => booted(at < 0.1 ? "7" : "8");
    const { minutes } = await rebooted({
      node,
      meanwhile: async (outside) => {
        await outside.callback("booted 1", "bare").begun();
        await outside.sleep(10);
        await outside.callback("booted 1", "bare").succeed();
      },
    });
    expect(minutes).toBeLessThan(SECOND_POLL - 0.2);
  });
});

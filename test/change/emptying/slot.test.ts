import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { releaseSlot, takeSlot } from "../../../lambdas/change/emptying/slot.ts";
import { TAG } from "../../../lambdas/tags.ts";
import { inMinutes, run, setUp, tearDown, tenMinutes } from "../../engine/durable-engine.ts";
import { decidingRecord } from "../../messages/records.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";
import { lease, node, nodeTask } from "../node/a-node.ts";

beforeAll(setUp);
afterAll(tearDown);

interface Scene {
  readonly machine?: object | undefined;
  readonly answers?: readonly object[];
  readonly nodes?: readonly ReturnType<typeof member>[];
  readonly unavailable?: number;
  readonly maxUnavailable?: number | string;
  readonly noted?: readonly string[];
  /** Minutes from now at which the maintenance ends. */
  readonly windowEnds?: number;
}

const web = { state: "running", tags: { [TAG.pool]: "web" } };
const granted = { granted: true };
const holder = { owner: "drain-1:0", node: "win-9", since: "2026-11-21T14:00:00.000Z" };
const refused = { granted: false, most: 1, holders: [holder], away: [{ node: "win-8", why: "cordoned" }] };
const idOf = (name: string): string => name.replace("win-", "i-");
const member = (name: string) => ({
  metadata: { name, uid: name, labels: { "kubernetes.io/os": "windows" } },
  spec: { providerID: `aws:///us-west-2a/${idOf(name)}` },
});

async function asked(scene: Scene = {}) {
  const { answers = [granted], nodes = [member("win-1")], unavailable, maxUnavailable, noted, windowEnds } = scene;
  const calls: unknown[] = [];
  const untils: (string | undefined)[] = [];
  const wait = tenMinutes({ until: inMinutes(1) });
  const slotUntil = new Date(wait.until).toISOString();
  const given = {
    instances: {
      describe: async () => ("machine" in scene ? scene.machine : web),
      ofCluster: async () => nodes.map(({ metadata: { name } }) => ({ ...web, instanceId: idOf(name) })),
    },
    nodes: { all: async () => nodes },
    runtime: { read: async () => ({ configuration: configurationWith({}, maxUnavailable ? { maxUnavailable } : {}) }) },
    rollouts: { read: async () => (unavailable === undefined ? undefined : { unavailable }) },
    slots: {
      take: async (
        pool: string | null,
        { owner, node: name, uid }: { owner: string; node: string; uid: string },
        view: () => Promise<{ maxUnavailable: number; nodes: readonly unknown[] }>,
      ) => {
        const seen = await view();
        calls.push({ pool, owner, name, uid, most: seen.maxUnavailable, members: seen.nodes.length });
        return answers[Math.min(calls.length, answers.length) - 1];
      },
    },
    ledger: {
      operation: async () => ({ cancelledBy: null, callbacks: {} }),
      nodes: async (id: string) =>
        id === "drain-1"
          ? [
              decidingRecord({
                operation: id,
                index: 0,
                workflow: "drain",
                failure: { stage: "evict", why: "", left: "" },
              }),
            ]
          : [decidingRecord({ operation: id, index: 0, ...(noted ? { slotTakenBy: noted, slotUntil } : {}) })],
      changeNode: async (
        _id: string,
        _index: number,
        change: { slotTakenBy?: readonly string[]; slotUntil?: string },
      ) => {
        if (change.slotTakenBy) {
          calls.push(change.slotTakenBy);
          untils.push(change.slotUntil);
        }
      },
    },
  };
  const ends = windowEnds === undefined ? {} : { windowEnds: inMinutes(windowEnds) };
  const ended = await run((ctx) => takeSlot({ ...nodeTask(ctx, given, wait), ...ends }));
  const seconds = untils.map((until) => (Date.parse(until ?? "") - wait.until) / 1_000);
  return { failure: ended.error?.message ?? null, calls, seconds };
}

const ask = { pool: "web", owner: "remove-1:0", name: node.name, uid: node.uid, most: 1, members: 1 };

describe("A slot of a pool", () => {
  test("is asked for with what the pool allows, and more where a person resumed the rollout with more", async () => {
    expect(await asked()).toMatchObject({ failure: null, calls: [ask] });
    expect(await asked({ unavailable: 3 })).toMatchObject({ failure: null, calls: [{ ...ask, most: 3 }] });
    const nodes = Array.from({ length: 4 }, (_, at) => member(`win-${at}`));
    expect(await asked({ nodes, maxUnavailable: "50%" })).toMatchObject({
      failure: null,
      calls: [{ ...ask, most: 2, members: 4 }],
    });
    expect(await asked({ nodes, maxUnavailable: 3, unavailable: 2 })).toMatchObject({
      failure: null,
      calls: [{ ...ask, most: 3, members: 4 }],
    });
  });

  test("is not needed of an instance that is gone or ends", async () => {
    expect(await asked({ machine: undefined })).toMatchObject({ failure: null, calls: [] });
    expect(await asked({ machine: { ...web, state: "terminated" } })).toMatchObject({ failure: null, calls: [] });
  });

  test("is awaited while others hold it; the record keeps the nodes that people must bring back", async () => {
    expect(await asked({ answers: [refused, granted] })).toMatchObject({ failure: null, calls: [ask, ["win-8"], ask] });
    const noted = await asked({ answers: [refused], noted: ["win-8"] });
    expect(noted.calls).not.toContainEqual(["win-8"]);
    expect(noted.failure).toBe(
      "gave up waiting for a slot in pool web, of which 1 node may be away: drain-1 has win-9 since 2026-11-21 14:00 UTC, and asks until 2026-11-21 15:08 UTC whether to go on; win-8 is cordoned",
    );
  });

  test("is awaited until the stage is over, or the maintenance before; the record says until when", async () => {
    const answers = [refused, granted];
    const until = async (windowEnds?: number) =>
      (await asked({ answers, ...(windowEnds === undefined ? {} : { windowEnds }) })).seconds;
    expect([await until(), await until(2)]).toEqual([[0], [0]]);
    expect((await until(0.5))[0]).toBeCloseTo(-30, 0);
  });

  test("of no pool is one, and is not judged while the API server lists no node", async () => {
    expect(await asked({ machine: { state: "running", tags: {} }, nodes: [member("win-1")] })).toMatchObject({
      failure: null,
      calls: [{ ...ask, pool: null, members: 0 }],
    });
    const none = await asked({ nodes: [] });
    expect(none.calls).toEqual([]);
    expect(none.failure).toContain("the API server lists no nodes");
  });

  test("is given back by its owner", async () => {
    const released: string[] = [];
    const slots = { release: async (owner: string) => void released.push(owner) };
    await run(async (ctx) => releaseSlot(nodeTask(ctx, { slots })));
    expect(released).toEqual([lease.owner]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { proveDataPlane } from "../../../lambdas/capabilities/reboot/data-plane.ts";
import type { RebootTask } from "../../../lambdas/capabilities/reboot/task.ts";
import { placeWitness, proveWitness } from "../../../lambdas/capabilities/reboot/witness.ts";
import type { ProbeState } from "../../../lambdas/health/probe.ts";
import { exits, probeNames } from "../../../lambdas/health/probe-pods.ts";
import { lease, node, nodeTask } from "../../change/node/a-node.ts";
import { ended, images, listening, pending } from "../../change/node/pod-states.ts";
import { inMinutes, run, setUp, tearDown, tenMinutes, timeout } from "../../engine/durable-engine.ts";
import { configurationWith, manifest } from "../../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);

interface Scene {
  readonly images?: object;
  readonly pool?: string | null;
  /** Release that the kubelet of another owner's node reports. */
  readonly build?: string;
  /** State of the pod on the node; null once another controller deleted it. */
  readonly state?: ProbeState | null;
  readonly origin?: string | null;
  readonly note?: () => Promise<void>;
  readonly witness?: string | null;
}

type Stage = typeof proveDataPlane;

/** Runs a stage after a reboot. @returns the failure, what was done to pods, notes and records, and the pod that stays */
async function proved(stage: Stage, scene: Scene = {}) {
  const { state = ended(exits.works), origin = "linux-1", pool = "web" } = scene;
  const acts: string[] = [];
  const notes: string[] = [];
  const noted: unknown[] = [];
  const base = configurationWith();
  const configuration = { ...base, probe: { ...base.probe, images: scene.images ?? images } };
  const own = {
    metadata: { ...node, labels: { "node.kubernetes.io/windows-build": scene.build ?? "10.0.20348" } },
    status: { nodeInfo: { bootID: "boot-2" } },
  };
  const given = {
    runtime: { read: async () => ({ version: "7", configuration }) },
    probes: {
      origin: () => origin,
      user: async () => null,
      start: async ({ metadata: { name } }: { metadata: { name: string } }) => void acts.push(`start ${name}`),
      remove: async (pod: string) => void acts.push(`remove ${pod}`),
      state: async () => state,
      events: async () => [],
    },
    nodes: { all: async () => [], read: async () => own },
    machines: {
      probed: {
        note: async (...args: unknown[]) => {
          await scene.note?.();
          noted.push(args);
        },
      },
    },
    ledger: {
      operation: async () => ({ cancelledBy: null, callbacks: {} }),
      nodes: async () => [{ index: 0, notes: [] }],
      changeNode: async (_id: string, _index: number, change: { notes?: string[] }) =>
        void notes.push(...(change.notes ?? [])),
    },
  };
  const left: { witness?: string | null } = {};
  const ended_ = await run(async (ctx) => {
    const task = {
      ...nodeTask(ctx, given, tenMinutes({ until: inMinutes(10) })),
      ...{ lease, pool, before: null, witness: scene.witness ?? null },
      runtime: { version: "7", configuration, payload: manifest() },
    } as unknown as RebootTask;
    try {
      await stage(task);
    } finally {
      left.witness = task.witness;
    }
  });
  return { error: ended_.error, acts, notes, noted, witness: left.witness };
}

const id = "remove-1-0-before";
const pods = probeNames(id);
const removed = [`remove ${pods.windows}`, `remove ${pods.linux}`];

describe("The data plane of a node that was rebooted", () => {
  test("is probed and recorded with the node's boot", async () => {
    const { error, acts, noted } = await proved(proveDataPlane);
    expect([error.message, acts[0]]).toEqual([undefined, `start ${probeNames("remove-1-0-1").windows}`]);
    expect(JSON.stringify(noted)).toMatch(/boot-2.*works/);
  });

  test.each<[string, Scene]>([
    ["Linux", { images: { "2022": "w" } }],
    ["its Windows", { images: { linux: "l" } }],
    ["the Windows that another owner's kubelet reports", { pool: null, build: "10.0.26100" }],
  ])("is not probed without an image for %s", async (_which, scene) => {
    expect(await proved(proveDataPlane, scene)).toMatchObject({ acts: [], notes: [], noted: [] });
  });

  test("is probed of a node of another owner by the Windows that its kubelet reports", async () => {
    expect((await proved(proveDataPlane, { pool: null })).acts).not.toEqual([]);
  });

  test("that cannot be probed is a note, and no judgement of the node", async () => {
    const { error, notes } = await proved(proveDataPlane, { origin: null });
    expect([error.message, notes]).toEqual([undefined, [expect.stringContaining("no Linux node is Ready")]]);
  });

  test("that does not work fails the proof", async () => {
    const { error } = await proved(proveDataPlane, { state: ended(exits.dns) });
    expect(error.type).toBe("StageFailed:check-fails");
    expect(error.message).toBe("Data plane: A pod on the node cannot resolve cluster DNS names");
  });

  test("counts though the ledger is busy with its record, and fails for any other reason", async () => {
    const note = (error: Error) => ({ note: () => Promise.reject(error) });
    expect((await proved(proveDataPlane, note(timeout()))).error.message).toBeUndefined();
    expect((await proved(proveDataPlane, note(new Error("a defect")))).error.message).toBe("a defect");
  });
});

describe("The pod that stays while services restart", () => {
  test("is started before, and stays", async () => {
    const { acts, witness, notes } = await proved(placeWitness, { state: listening });
    expect([acts, witness, notes]).toEqual([[`start ${pods.windows}`], id, []]);
  });

  test("is not started without an image", async () => {
    expect(await proved(placeWitness, { images: { linux: "l" } })).toMatchObject({ acts: [], witness: null });
  });

  test.each<[string, ProbeState | null, string]>([
    ["was deleted", null, "it was deleted by others"],
    ["does not start in time", pending, "it did not start in time"],
  ])("is given up where it %s, with a note", async (_which, state, why) => {
    const { acts, witness, notes, error } = await proved(placeWitness, { state });
    expect([acts.slice(1), witness, error.message]).toEqual([removed, null, undefined]);
    expect(notes).toEqual([`No pod from before the restart was tried after it: ${why}.`]);
  });

  test("is reached after the restart, and then removed", async () => {
    const { acts, error, notes, witness } = await proved(proveWitness, { witness: id });
    expect(acts.filter((act) => act.startsWith("remove"))).toEqual(removed);
    expect([error.message, notes, witness]).toEqual([undefined, [], null]);
  });

  test("is not tried where none was started, or no Linux image is there any more", async () => {
    expect((await proved(proveWitness)).acts).toEqual([]);
    expect((await proved(proveWitness, { witness: id, images: { "2022": "w" } })).acts).toEqual([]);
  });

  test("fails the proof where it does not work any more, and is removed first", async () => {
    const { error, acts } = await proved(proveWitness, { witness: id, state: ended(exits.dns) });
    expect([error.type, acts]).toEqual(["StageFailed:check-fails", expect.arrayContaining(removed)]);
    expect(error.message).toContain("(a pod that was started before the restart)");
  });

  test("that no node can reach is a note", async () => {
    const { error, notes } = await proved(proveWitness, { witness: id, origin: null });
    expect([error.message, notes]).toEqual([undefined, [expect.stringContaining("no Linux node is Ready")]]);
  });
});

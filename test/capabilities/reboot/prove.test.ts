import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { proveMachine } from "../../../lambdas/capabilities/reboot/prove.ts";
import type { RebootTask } from "../../../lambdas/capabilities/reboot/task.ts";
import { untilTime } from "../../../lambdas/engine/durable.ts";
import type { Answers } from "../../../lambdas/machine/questions.ts";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import { lease, node as named, nodeTask } from "../../change/node/a-node.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";
import { ago, healthy, answers as healthyAnswers, NOW } from "../../health/health-facts.ts";

beforeAll(setUp);
afterAll(tearDown);

const { network, endpoint, services } = okd.expected;

/** Answers of a machine of this profile that is in order. */
const answers: Answers = {
  ...healthyAnswers,
  services: [...services.map(({ name }) => name), "hns"].map((name) => ({
    ...{ name, state: "Running", startType: "Automatic", exitCode: 0, process: 4711, startedAt: ago(50), log: "" },
  })),
  hns: { networks: [network], endpoints: [{ name: endpoint, ip: "10.132.1.2", attached: true }] },
};

/** Sight of the machine and its node at one observation. */
interface Seen {
  readonly answers?: Partial<Answers>;
  readonly failed?: string;
  readonly registered?: boolean;
  /** UID of its Node; null without one. */
  readonly uid?: string | null;
  readonly noInstance?: true;
}

const factsIn = <T>(source: { readonly known: true; readonly value: T } | { readonly known: false }): T => {
  if (!source.known) throw new Error("the facts of a healthy node are known");
  return source.value;
};

/** Proves a node that is seen so, observation after observation; the last sight stays. */
async function proved(sights: readonly Seen[], task: Partial<RebootTask> = {}, silent = false) {
  const begin = Date.now();
  const now = () => Date.parse(NOW) + Date.now() - begin;
  const marks: string[] = [];
  const notes: string[] = [];
  const noted: object[] = [];
  const seen = (): Seen => sights[Math.min(marks.length, sights.length) - 1] ?? {};
  const given = {
    now,
    timestamp: () => new Date(now()).toISOString(),
    machineObservation: {
      ask: async (_instance: string, _questions: object, mark: string) => {
        marks.push(mark);
        return `command-${marks.length}`;
      },
      answer: async () => {
        const { failed, answers: change } = seen();
        if (failed !== undefined) return { state: "failed", why: failed, isTaken: true };
        const verdict = { ok: true, bootId: "8", clock: now() / 1_000, failed: {} };
        return { state: "answered", verdict, answers: { ...answers, ...change } };
      },
    },
    nodes: {
      read: async () => {
        const { uid = named.uid } = seen();
        return uid === null ? undefined : { metadata: { ...named, uid } };
      },
    },
    instances: { describe: async () => (seen().noInstance ? undefined : { ...lease, state: "running" }) },
    health: {
      instance: async () => factsIn(healthy.ec2),
      agent: async () => ({ ...factsIn(healthy.ssm), lastPingAt: silent ? ago(12) : new Date(now()).toISOString() }),
      node: async () => ({
        ...factsIn(healthy.kubernetes),
        ...{ registered: seen().registered ?? true },
        ready: { status: "True", reason: "", message: "", since: ago(50), heartbeatAt: new Date(now()).toISOString() },
      }),
    },
    screenshots: { take: async () => "https://picture" },
    cordons: { find: async () => undefined },
    ledger: {
      operation: async () => ({ cancelledBy: null, callbacks: {} }),
      nodes: async () => [{ index: 0, notes }],
      changeNode: async (_id: string, _index: number, change: { notes?: string[] }) =>
        void (change.notes && notes.splice(0, notes.length, ...change.notes)),
      awaitCommand: async () => undefined,
      awaitMachine: async () => undefined,
    },
    machines: {
      seen: {
        noteOrder: async () => undefined,
        noteReasons: async (proven: object) => void noted.push({ reasons: proven }),
        noteProof: async (operation: string, proven: object) => void noted.push({ operation, proven }),
      },
    },
  };
  const before = { bootId: "7", bootedAt: ago(600), askedAt: ago(70) };
  const { result, error } = await run((ctx) =>
    proveMachine({
      ...nodeTask(ctx, given, untilTime(Date.parse(NOW) + 600_000, now)),
      ...{ workflow: "reboot", before, processes: null },
      ...task,
    } as RebootTask),
  );
  const why = error?.message;
  return { result, why, code: error?.type, looks: marks.length, marks, notes, noted };
}

const service = (name: string, change: object): Partial<Answers> => ({
  services: (answers.services ?? []).map((one) => (one.name === name ? { ...one, ...change } : one)),
});
const stopped = service("kube-proxy", { state: "Stopped", process: 0 });

describe("A node after its reboot", () => {
  test("is proven once it has been well for a minute, and its boot is recorded with the reasons for another", async () => {
    const { result, looks, marks, noted } = await proved([{ answers: { reboot: { reasons: ["updates"] } } as never }]);
    expect({ result, looks }).toEqual({ result: true, looks: 3 });
    expect(marks).toEqual(["remove-1:0 proof 1", "remove-1:0 proof 2", "remove-1:0 proof 3"]);
    expect(noted).toEqual([
      {
        operation: "remove-1",
        proven: { instanceId: lease.instanceId, uid: named.uid, reasons: ["updates"], bootId: "8" },
      },
    ]);
  });

  test("begins its minute anew after a fault, an observation that failed, and a service with another process", async () => {
    for (const sight of [{ answers: stopped }, { failed: "no answer" }, { answers: service("hns", { process: 1 }) }]) {
      const { result, looks } = await proved([{}, sight, {}]);
      expect({ result, looks }).toEqual({ result: true, looks: 5 });
    }
  });

  test("is not proven at the deadline, for the first check that fails", async () => {
    const { why, code, noted } = await proved([{ answers: stopped }]);
    expect(code).toBe("DeadlineExceeded:check-fails");
    expect(why).toBe("gave up waiting for Service proxy: The Windows service `kube-proxy` is Stopped");
    expect(noted).toEqual([]);
    expect((await proved([{ failed: "the disk is full" }])).why).toBe(
      "gave up waiting for the machine to answer the questions of the proof (the disk is full)",
    );
    const lost = await proved([{ answers: { metadata: { answers: false } } }]);
    expect(lost.code).toBe("DeadlineExceeded:route-lost");
  });

  test("is told to the thread once where a service keeps ending, and its proof goes on", {
    tags: ["long"],
  }, async () => {
    const log = Array.from({ length: 3 }, (_, at) => `2026-11-23T11:5${at}:00Z panic: no network`).join(" ");
    const { notes, looks } = await proved([{ answers: service("kube-proxy", { state: "Stopped", process: 0, log }) }]);
    expect(notes).toEqual([expect.stringMatching(/^Service proxy: .*\. The proof goes on until its deadline\.$/)]);
    expect(looks).toBeGreaterThan(3);
    const twice = log.slice(log.indexOf("2026", 1));
    expect(
      (await proved([{ answers: service("kube-proxy", { state: "Stopped", process: 0, log: twice }) }])).notes,
    ).toEqual([]);
  });

  test("fails when its Node stays away for longer than a kubelet registers, or came back as another", async () => {
    const gone = await proved([{ uid: null, registered: false }]);
    expect([gone.code, gone.why]).toEqual(["StageFailed:node-deleted", "the Node was deleted by someone else"]);
    expect((await proved([{ uid: null, registered: false }, {}])).result).toBe(true);
    expect((await proved([{ uid: "uid-2" }])).code).toBe("StageFailed:registered-anew");
  });
});

describe("A node that is proven without a reboot", () => {
  const proving = { workflow: "proving", before: null } as const;

  test("has no boot to record, and is not proven while its agent is silent", async () => {
    expect(await proved([{}], proving)).toMatchObject({ result: true, noted: [] });
    const { code, why, looks } = await proved([{}], proving, true);
    expect({ code, looks }).toEqual({ code: "StageFailed:agent-silent", looks: 0 });
    expect(why).toBe(
      "the machine's SSM agent has not reported for 12m, so nothing on the machine can be checked; after a reboot it reports within minutes",
    );
  });

  test("fails at once when its Node is gone", async () => {
    expect(await proved([{ uid: null, registered: false }], proving)).toMatchObject({
      ...{ code: "StageFailed:node-deleted", looks: 1 },
    });
  });
});

describe("A node whose services were restarted", () => {
  const restart = { workflow: "restart", before: null } as const;

  test("is proven when each has another process, and only its reasons are recorded", async () => {
    const other = { processes: { "kube-proxy": "1", kubelet: null } };
    expect(await proved([{}], { ...restart, ...other })).toMatchObject({
      ...{ result: true, noted: [{ reasons: { instanceId: lease.instanceId, uid: named.uid, reasons: [] } }] },
    });
  });

  test("is not proven while one runs the process from before", { tags: ["long"] }, async () => {
    const same = { processes: { "kube-proxy": `4711 ${ago(50)}` } };
    expect((await proved([{}], { ...restart, ...same })).code).toBe("DeadlineExceeded:restart-not-happened");
  });
});

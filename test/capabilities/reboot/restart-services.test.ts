import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentToRestart } from "../../../lambdas/capabilities/reboot/restart-message.ts";
import { restartServices } from "../../../lambdas/capabilities/reboot/restart-services.ts";
import type { RebootTask } from "../../../lambdas/capabilities/reboot/task.ts";
import type { WaitOptions } from "../../../lambdas/engine/durable.ts";
import { uncordonedMeanwhile } from "../../../lambdas/messages/node/drain.ts";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import type { CommandState } from "../../../lambdas/steps/machine/machine.ts";
import { lease, node as named, nodeTask } from "../../change/node/a-node.ts";
import { images, listening } from "../../change/node/pod-states.ts";
import { inMinutes, run, setUp, tearDown, tenMinutes } from "../../engine/durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

const { services: names, actions } = okd.restart;
const LOST: CommandState = { state: "failed", why: "the result was lost", code: "result-missing" };
const DONE = { state: "done", result: { ok: true, changed: [], failed: null } } as unknown as CommandState;
const FAILED = {
  state: "done",
  result: { ok: false, failed: { action: "service-state kubelet", error: "it did not start" } },
} as unknown as CommandState;

/** Processes of the services: all of this number, but for those that are named. */
const running = (process: number, others: Readonly<Record<string, number | null>> = {}) =>
  names.map((name) => ({ name, process: others[name] === undefined ? process : others[name] }));

type Look = readonly object[] | { readonly why: string; readonly isTaken: boolean } | "silent";

interface Scene {
  /** Answers of the machine when it is asked for its processes, one after the other. */
  readonly looks?: readonly Look[];
  readonly command?: CommandState;
  readonly reported?: number;
  /** EC2's state of the instance, by the minute. */
  readonly state?: (minutes: number) => string;
  readonly node?: object | null;
  readonly wait?: Partial<WaitOptions>;
  readonly probed?: true;
}

const isAnswer = (look: Look): look is readonly object[] => Array.isArray(look);

/** The machine's side of a restart; what it is asked is kept. */
function machineOf({ looks = [], command = DONE }: Scene, asked: unknown[]) {
  let observed = 0;
  return {
    machineObservation: {
      ask: async (instanceId: string, questions: object, mark: string) => {
        asked.push([mark, instanceId, questions]);
        observed += 1;
        return `observation-${observed}`;
      },
      answer: async () => {
        const look = looks[observed - 1] ?? "silent";
        if (look === "silent") return { state: "running", isTaken: false };
        return isAnswer(look) ? { state: "answered", answers: { services: look } } : { state: "failed", ...look };
      },
    },
    machine: {
      requestFor: async (plan: { actions: unknown }) => plan.actions,
      send: async (_held: object, { mark, request }: { mark: string; request: unknown }) => {
        asked.push([mark, request]);
        return "command-1";
      },
      sent: async () => null,
      commandState: async () => command,
      cancelCommand: async () => undefined,
    },
  };
}

/** Restarts the services of a machine. @returns what it was asked, the state of the task, and the failure */
async function restarted(scene: Scene) {
  const begin = Date.now();
  const minutes = () => (Date.now() - begin) / 60_000;
  const { reported = 0, state = () => "running", node = { metadata: named, spec: { unschedulable: true } } } = scene;
  const asked: unknown[] = [];
  const given = {
    ...machineOf(scene, asked),
    health: {
      agent: async () => ({
        ...{ registered: true, online: true },
        lastPingAt: new Date(Date.now() - reported * 60_000).toISOString(),
      }),
    },
    nodes: { read: async () => node ?? undefined, all: async () => [] },
    stops: { over: async () => null },
    instances: { describe: async () => ({ ...lease, state: state(minutes()) }) },
    probes: { start: async () => void asked.push("a pod that stays"), state: async () => listening },
  };
  const kept: Partial<RebootTask>[] = [];
  const { error } = await run(async (ctx) => {
    const task = nodeTask(ctx, given, tenMinutes(scene.wait));
    const { configuration } = task.runtime;
    const probe = { ...configuration.probe, images: scene.probed ? images : {} };
    const runtime = { ...task.runtime, configuration: { ...configuration, probe } };
    const own = { runtime, pool: "web", processes: null, witness: null, isGone: false };
    const whole = { ...task, ...own } as unknown as RebootTask;
    try {
      await restartServices(whole);
    } finally {
      const { processes, isGone } = whole;
      kept.push({ processes, isGone });
    }
  });
  return { asked, kept: kept[0], code: error?.type, why: error?.message };
}

const asking = (name: string) => [
  `remove-1:0 ${name}`,
  lease.instanceId,
  { services: names.map((service) => ({ name: service })) },
];
const order = ["remove-1:0 restart the services", actions];
const processes = Object.fromEntries(names.map((name) => [name, "100"]));

describe("A restart of a machine's services", () => {
  test("is ordered after a look at their processes, which the proof must not see again", async () => {
    const { asked, kept, why } = await restarted({ looks: [running(100)] });
    expect(why).toBeUndefined();
    expect(asked).toEqual([asking("look before the restart"), order]);
    expect(kept).toEqual({ processes, isGone: false });
  });

  test("begins with a pod that stays, where the configuration names images", async () => {
    const { asked } = await restarted({ looks: [running(100)], probed: true });
    expect(asked).toEqual(["a pod that stays", asking("look before the restart"), order]);
  });

  test("is not ordered from a machine whose agent is silent", async () => {
    const node = { metadata: named, status: { conditions: [{ type: "Ready", status: "True" }] } };
    const { asked, code, why } = await restarted({ reported: 12, node, wait: { until: inMinutes(10) } });
    expect({ asked, code, why }).toEqual({ asked: [], code: "StageFailed:agent-silent", why: agentToRestart });
  });

  test("is not ordered once the Node is gone, or another one has its name", async () => {
    for (const node of [null, { metadata: { ...named, uid: "uid-2" }, spec: { unschedulable: true } }]) {
      const { asked, kept, why } = await restarted({ looks: [running(100)], node });
      expect(why).toBeUndefined();
      expect(asked).toEqual([asking("look before the restart")]);
      expect(kept).toEqual({ processes: null, isGone: true });
    }
  });

  test("is not ordered from a node that was uncordoned meanwhile", async () => {
    const { asked, kept, why } = await restarted({ looks: [running(100)], node: { metadata: named, spec: {} } });
    expect(why).toBe(uncordonedMeanwhile(named.name));
    expect([asked.length, kept]).toEqual([1, { processes: null, isGone: false }]);
  });

  test.each<[string, Look, string, string]>([
    ["failed", { why: "no WMI", isTaken: true }, "command-failed", "checking the machine failed: no WMI"],
    ["was refused", { why: "denied", isTaken: false }, "command-undelivered", "checking the machine failed: denied"],
    ["never came", "silent", "agent-silent", "the machine did not answer within 100 s"],
  ])("is not ordered where the look before it %s", async (_how, look, code, why) => {
    const { asked, ...end } = await restarted({ looks: [look] });
    expect(asked).toEqual([asking("look before the restart")]);
    expect(end).toMatchObject({ code: `StageFailed:${code}`, why });
  });

  test("is not ordered from a machine that ended, whatever became of the look", async () => {
    const state = (minutes: number) => (minutes > 0.02 ? "terminated" : "running");
    const looks: Look[] = [{ why: "no", isTaken: true }];
    for (const given of [{ state }, { state, looks }]) {
      const { asked, code, why } = await restarted(given);
      expect(asked).toEqual([asking("look before the restart")]);
      expect([code, why]).toEqual(["MachineEnded:machine-ended", expect.stringContaining("is terminated")]);
    }
  });
});

describe("A restart whose result is lost, or that names an action that failed", () => {
  const looks = (after: Look): Look[] => [running(100), after];

  test.each([LOST, FAILED])("is done where each service runs in another process: %#", async (command) => {
    const { asked, why } = await restarted({ command, looks: looks(running(200)) });
    expect(why).toBeUndefined();
    expect(asked).toEqual([asking("look before the restart"), order, asking("look after the restart")]);
  });

  test.each<[string, Look]>([
    ["runs as before", running(200, { kubelet: 100 })],
    ["does not run", running(200, { kubelet: null })],
    ["is not known", running(200).filter(({ name }) => name !== "kubelet")],
    ["cannot be asked for", { why: "no", isTaken: true }],
  ])("has its own failure where one service %s", async (_how, after) => {
    const lost = await restarted({ command: LOST, looks: looks(after) });
    expect([lost.code, lost.why]).toEqual(["StageFailed:result-missing", "the result was lost"]);
    const failed = await restarted({ command: FAILED, looks: looks(after) });
    expect(failed.why).toBe("service-state kubelet: it did not start");
  });
});

describe("A restart that has not ended", () => {
  const command: CommandState = { state: "running", status: "InProgress" };
  const looks: Look[] = [running(100), running(200)];

  test.each<[string, Scene, string]>([
    ["at its deadline", {}, "DeadlineExceeded:script-slow"],
    ["with its machine", { state: (minutes) => (minutes > 1 ? "stopped" : "running") }, "MachineEnded:machine-ended"],
  ])("%s is a failure, whatever runs on the machine then", async (_when, scene, code) => {
    const seen = await restarted({ wait: { until: inMinutes(3) }, ...scene, command, looks });
    expect([seen.code, seen.asked]).toEqual([code, [asking("look before the restart"), order]]);
  });

  test("when a person cancels is cancelled", async () => {
    const from = inMinutes(0.5);
    const cancelledBy = async () => (Date.now() > from ? "U0OLIVIA" : null);
    const { asked, code, why } = await restarted({ command, looks, wait: { cancelledBy } });
    expect([code, why]).toEqual(["Cancelled", "U0OLIVIA"]);
    expect(asked).toEqual([asking("look before the restart"), order]);
  });
});

import { ApiException } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { lookAround } from "../../../lambdas/capabilities/look/why-sources.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

const settings = { runtimeVersion: "7", region: "us-west-2", runbook: null };
const NAME = "ip-10-0-0-20.us-west-2.compute.internal";
const ID = "i-0ab12cd34ef567890";
const NOW = Date.parse("2026-11-21T14:00:00.000Z");

/** A refusal, which is not asked again. */
const refused = (): Error => new ApiException(403, "refused", {}, {});

const node = (more: { readonly name?: string; readonly id?: string; readonly taints?: readonly object[] } = {}) => ({
  metadata: {
    ...{ name: more.name ?? NAME, uid: "uid-1", creationTimestamp: new Date(0) },
    labels: { "kubernetes.io/os": "windows", "node.kubernetes.io/windows-build": "10.0.20348" },
  },
  spec: { providerID: `aws:///us-west-2a/${more.id ?? ID}`, taints: more.taints ?? [] },
  status: { conditions: [{ type: "Ready", status: "True" }] },
});

const OURS = { "casement:launched": "true", "casement:cluster": "prod-west", "casement:pool": "web" };
const machine = (more: object = {}) => ({
  ...{ instanceId: ID, state: "running", privateIp: "10.0.0.20", privateDnsName: NAME, zone: "us-west-2a" },
  ...{ launchedAt: "2026-11-21T08:00:00.000Z", isWindows: true, hasProfile: true, tags: OURS },
  ...more,
});

/** A machine of another owner that people have let Casement assist. */
const CLAIM = { machine: ID, kind: "machine-set", owner: "windows" };
const online = { registered: true, online: true, lastPingAt: new Date(NOW - 60_000).toISOString() };

interface Scene {
  readonly nodes?: readonly object[] | Error;
  readonly machines?: readonly object[] | Error;
  readonly agent?: object | Error;
  readonly agents?: ReadonlyMap<string, object> | Error;
  readonly claims?: readonly object[] | Error;
  readonly marks?: Readonly<Record<string, string>>;
  readonly ownReboots?: ReadonlyMap<string, object>;
  readonly holder?: string;
}

const orThrow = async <T>(value: T | Error): Promise<T> => {
  if (value instanceof Error) throw value;
  return value;
};

const base = configurationWith();
const images = { linux: "probe:linux", "2022": "probe:2022" };
const configuration = { ...base, probe: { ...base.probe, images } };

/** Looks around for a node in a cluster. */
function look(typed: string, scene: Scene = {}) {
  const asked: string[] = [];
  const steps = verbs({
    ...{ now: () => NOW, timestamp: () => new Date(NOW).toISOString() },
    runtime: { read: async () => ({ version: "7", configuration }) },
    nodes: { all: async () => orThrow(scene.nodes ?? [node()]) },
    instances: { ofCluster: async () => orThrow(scene.machines ?? [machine()]) },
    health: {
      instance: async () => ({ state: "running" }),
      agent: async () => orThrow(scene.agent ?? online),
      node: async () => ({ ready: true }),
    },
    machine: { agents: async () => orThrow(scene.agents ?? new Map()) },
    claims: { all: async () => orThrow(scene.claims ?? []) },
    machines: {
      assistance: { all: async () => [] },
      probed: { of: async () => undefined },
      seen: {
        all: async () => new Map(),
        ownReboots: async () => scene.ownReboots ?? new Map(),
        marks: async (...of: string[]) => {
          asked.push(...of);
          return scene.marks ?? {};
        },
      },
    },
    leases: { holder: async () => scene.holder },
  });
  return lookAround(steps, typed, settings).then((found) => ({ found, asked }));
}

describe("The node that a person asks about", () => {
  test("is a Node with its machine, whose services are asked", async () => {
    const { found } = await look("ip-10-0-0-20", { holder: "drain-1", ownReboots: new Map([[ID, { at: "then" }]]) });
    expect(found).toMatchObject({
      ...{ node: NAME, instanceId: ID, pool: "web", heldBy: "drain-1", ownReboot: { at: "then" } },
      ...{ isObserved: false, identity: null, startedAt: "2026-11-21T14:00:00.000Z" },
      facts: { ec2: { known: true }, ssm: { known: true }, kubernetes: { known: true }, poolTaints: ["os"] },
      console: expect.stringContaining(ID),
      rebootDue: { state: "unknown" },
    });
  });

  test("whose data plane was not probed says why, as far as its owner is known", async () => {
    const whyOf = async (scene: Scene) => {
      const { found } = await look(NAME, scene);
      return "facts" in found && found.facts.probe;
    };
    const of = (why: RegExp) => ({ result: { state: "not-probed", why: expect.stringMatching(why) } });
    const foreign = [machine({ tags: {} })];
    expect(await whyOf({ machines: foreign, claims: [CLAIM] })).toMatchObject(of(/neither launched nor assists/));
    expect(await whyOf({ machines: foreign, claims: refused() })).toMatchObject(of(/its turn has not come/));
  });

  test.each<[string, Scene]>([
    [ID, { nodes: [] }],
    ["i-0ab12", { nodes: [] }],
    ["ip-10-0-0-20", { nodes: refused() }],
  ])("typed as %s is a machine where no Node has it", async (typed, scene) => {
    const { found } = await look(typed, scene);
    expect(found).toMatchObject({ node: expect.any(String), instanceId: ID, rebootDue: undefined });
  });

  test("is called by its instance id where no Node has it, because no command finds it by another name", async () => {
    expect((await look("i-0ab12", { nodes: [] })).found).toMatchObject({ node: ID });
    expect((await look("ip-10-0-0-20", { nodes: refused() })).found).toMatchObject({ node: NAME });
  });

  test("is refused where it runs Linux, with a command that shows it", async () => {
    const linux = { ...node(), metadata: { ...node().metadata, labels: { "kubernetes.io/os": "linux" } } };
    const words = /is a Linux node.*`kubectl describe node ip-10-0-0-20/;
    await expect(look(NAME, { nodes: [linux] })).rejects.toThrow(words);
  });

  test("is its Node where the instance id of one was typed", async () => {
    expect((await look(ID)).found).toMatchObject({ node: NAME, rebootDue: { state: "unknown" } });
  });

  test.each<[string, readonly object[], RegExp]>([
    ["no machine", [], /i-0ab12/],
    [
      "several machines",
      [machine(), machine({ instanceId: "i-0ab12cd34ef567891", privateDnsName: "ip-10-0-0-21" })],
      /ip-10-0-0-21/,
    ],
  ])("is a mistake where the name means %s", async (_what, machines, words) => {
    await expect(look("i-0ab12", { nodes: [], machines })).rejects.toThrow(words);
  });

  test("is not looked for where neither the cluster nor EC2 answers", async () => {
    const { found } = await look(NAME, { nodes: refused(), machines: refused() });
    expect(Object.keys(found)).toEqual(["message"]);
  });

  test("has neither holder nor machine where its Node names no instance", async () => {
    const { found } = await look(NAME, { nodes: [node({ id: "none" })], holder: "drain-1" });
    expect(found).toMatchObject({ heldBy: null, ownReboot: null, console: null, instanceId: null, pool: null });
    expect(found).not.toHaveProperty("facts.poolTaints");
  });
});

describe("A machine is asked", () => {
  const foreign = machine({ tags: {} });

  test.each<[string, Scene, string | null]>([
    ["that Casement launched and whose agent is online", {}, null],
    ["that EC2 does not list while it does not answer", { machines: refused() }, null],
    ["unless EC2 does not know it", { machines: [] }, "EC2 knows no instance of this node"],
    ["unless it is stopped", { machines: [machine({ state: "stopped" })] }, "the instance is stopped"],
    ["unless its agent is not online", { agent: { ...online, online: false } }, "its SSM agent is not online"],
    ["unless its agent never registered", { agent: { ...online, registered: false } }, "its SSM agent is not online"],
    ["unless SSM does not answer", { agent: refused() }, "SSM answered 403"],
    ["unless nobody let Casement assist it", { machines: [foreign], claims: [CLAIM] }, "neither launched nor assists"],
    [
      "unless it cannot be read whether Casement assists it",
      { machines: [foreign], claims: refused() },
      "could not be read",
    ],
    [
      "unless its Node belongs to another machine",
      { nodes: [node({ name: "ip-10-0-0-99" })] },
      "it and its Node do not belong together",
    ],
  ])("%s", async (_which, scene, why) => {
    const { found } = await look(scene.nodes ? "ip-10-0-0-99" : NAME, scene);
    const isAsked = { instanceId: ID, facts: { machine: { known: false } } };
    expect(found).toMatchObject(
      why === null
        ? isAsked
        : { instanceId: null, facts: { machine: { known: false, why: expect.stringContaining(why) } } },
    );
  });

  test.each<[string, Scene, boolean, string | null]>([
    ["is Casement's", {}, false, null],
    ["is of another owner", { machines: [foreign], claims: [CLAIM] }, true, null],
    ["is of an owner who is not known", { machines: [foreign], claims: refused() }, true, null],
    ["has a Node of another name", { nodes: [node({ name: "ip-10-0-0-99" })] }, true, "other-name"],
    ["does not exist", { machines: [] }, false, null],
  ])("unless it is only observed, as one that %s: %#", async (_which, scene, isObserved, identity) => {
    const { found } = await look(scene.nodes ? "ip-10-0-0-99" : NAME, scene);
    expect(found).toMatchObject({ isObserved, identity: identity === null ? null : { kind: identity } });
  });
});

describe("Beside its own facts a node shows", () => {
  const silent = { ...online, online: false };
  const fleet = [
    machine(),
    machine({ instanceId: "i-1" }),
    machine({ instanceId: "i-2", state: "stopped" }),
    machine({ instanceId: "i-3", isWindows: false }),
  ];
  const agents = new Map([["i-1", online]]);

  test.each<[string, Scene, object | undefined]>([
    ["how many agents are silent, if its own is", { machines: fleet, agent: silent, agents }, { silent: 1, of: 2 }],
    ["no count, if its own reports", { machines: fleet, agents }, undefined],
    ["no count, if SSM does not list agents", { machines: fleet, agent: silent, agents: refused() }, undefined],
    ["no count, if EC2 does not list machines", { machines: refused(), agent: silent, agents }, undefined],
    ["no count, if SSM does not answer about its own", { machines: fleet, agent: refused(), agents }, undefined],
  ])("%s", async (_what, scene, count) => {
    const { found } = await look(NAME, scene);
    expect("facts" in found && found.facts.agents).toEqual(count);
  });

  test("the ages of the marks with which autoscalers will delete it", async () => {
    const key = "ToBeDeletedByClusterAutoscaler";
    const since = new Date(NOW - 10 * 60_000).toISOString();
    const { found, asked } = await look(NAME, { nodes: [node({ taints: [{ key }] })], marks: { [key]: since } });
    expect("facts" in found && found.facts.kubernetes).toMatchObject({
      value: { marks: [{ key, since, isLeft: false }] },
    });
    expect(asked).toEqual([ID, "uid-1"]);
    expect((await look(NAME)).asked).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { checked, firstWrong } from "../../lambdas/health/checks.ts";
import type { BootBefore, HealthFacts, ProbeFacts } from "../../lambdas/health/facts.ts";
import { ago, answers, clusterWith, healthy, MAC, machineWith, NOW } from "./health-facts.ts";

const facts = (change: Partial<HealthFacts>): HealthFacts => ({ ...healthy, ...change });
const first = (change: Partial<HealthFacts>) => firstWrong(checked(facts(change)));
const away = { known: false, why: "it does not answer" } as const;
const ec2 = (change: object) => ({ known: true, value: { ...(healthy.ec2 as { value: object }).value, ...change } });
const ssm = (change: object) => ({ known: true, value: { ...(healthy.ssm as { value: object }).value, ...change } });
const notReady = clusterWith({
  ready: { status: "Unknown", reason: "NodeStatusUnknown", message: "", since: ago(9), heartbeatAt: ago(10) },
});

const running = answers.services ?? [];
const asStorageDown = (one: (typeof running)[number]) => ({ ...one, name: "storage", state: "Stopped" as const });

/** Facts with one fault each, the check that finds it, and what it says. */
const faults: readonly (readonly [string, Partial<HealthFacts>, string, object])[] = [
  ["an instance that is stopped", { ec2: ec2({ state: "stopped" }) as never }, "instance", { kind: "instance-down" }],
  ["a host with a fault", { ec2: ec2({ system: "impaired" }) as never }, "status", { of: "system" }],
  ["a system that does not answer", { ec2: ec2({ instance: "impaired" }) as never }, "status", { of: "instance" }],
  [
    "a volume that does not answer, before the system that hangs on it",
    { ec2: ec2({ volumes: "impaired", instance: "impaired" }) as never },
    "status",
    { of: "volumes" },
  ],
  [
    "an agent that never registered",
    { ssm: ssm({ registered: false }) as never, machine: away },
    "agent",
    { kind: "agent-missing" },
  ],
  [
    "an agent that is offline",
    { ssm: ssm({ online: false }) as never, machine: away },
    "agent",
    { kind: "agent-silent" },
  ],
  [
    "an agent that takes no command",
    { ssm: ssm({ isDeaf: true }) as never, machine: away },
    "agent",
    { kind: "agent-silent" },
  ],
  [
    "an agent whose worker ends",
    { ssm: ssm({ failure: "x" }) as never, machine: away },
    "agent",
    { kind: "agent-fails" },
  ],
  [
    "a silent metadata service",
    { machine: machineWith({ metadata: { answers: false } }) },
    "metadata",
    { kind: "metadata-silent" },
  ],
  [
    "a route that is not there",
    { machine: machineWith({ routes: answers.routes?.slice(1) ?? [] }) },
    "routes",
    { prefixes: ["169.254.169.254/32"] },
  ],
  [
    "a route by an adapter without an address",
    { machine: machineWith({ routes: (answers.routes ?? []).map((one, at) => ({ ...one, usable: at !== 2 })) }) },
    "routes",
    { prefixes: ["169.254.169.123/32"] },
  ],
  [
    "routes by another adapter than the primary one",
    { machine: machineWith({ routes: (answers.routes ?? []).map((one) => ({ ...one, mac: "02-00-00-00-00-09" })) }) },
    "routes",
    { kind: "routes-missing" },
  ],
  [
    "the service that the others need",
    {
      machine: machineWith({
        services: (answers.services ?? []).map((one) => ({ ...one, state: "Stopped", exitCode: 1067 })),
      }),
    },
    "services",
    { service: "containerd", exitCode: 1067 },
  ],
  [
    "a service that need not be there, but is down",
    { machine: machineWith({ services: [...running, ...running.map(asStorageDown)] }) },
    "services",
    { kind: "service-down", service: "storage" },
  ],
  ["a service that is gone", { machine: machineWith({ services: [] }) }, "services", { kind: "service-missing" }],
  [
    "a network that is gone",
    { machine: machineWith({ hns: { networks: [], endpoints: [] } }) },
    "network",
    { network: "pods" },
  ],
  [
    "an endpoint that the host does not have",
    {
      machine: machineWith({
        hns: { networks: ["pods"], endpoints: [{ name: "source", ip: "1", attached: false }] },
      }),
    },
    "network",
    { endpoint: "source" },
  ],
  [
    "a proxy that ended for want of its network, by the network",
    {
      machine: machineWith({
        services: running.map((one) => ({ ...one, state: one.name === "proxy" ? "Stopped" : one.state })),
        hns: { networks: ["pods"], endpoints: [] },
      }),
    },
    "network",
    { endpoint: "source" },
  ],
  [
    "a proxy that ended in a network that works",
    {
      machine: machineWith({
        services: running.map((one) => ({ ...one, state: one.name === "proxy" ? "Stopped" : one.state })),
      }),
    },
    "network-services",
    { service: "proxy" },
  ],
  [
    "a drive that is nearly full",
    { machine: machineWith({ disk: { freeBytes: 9e9, sizeBytes: 100e9 } }) },
    "disk",
    { freeBytes: 9e9 },
  ],
  [
    "requests that wait for minutes",
    { kubernetes: clusterWith({ requests: [{ name: "csr-1", since: ago(3) }] }) },
    "requests",
    { requests: [{ name: "csr-1", since: ago(3) }] },
  ],
  ["a machine without a Node", { kubernetes: clusterWith({ registered: false, ready: null }) }, "registered", {}],
  ["a kubelet that has stopped reporting", { kubernetes: notReady }, "heartbeat", { heartbeatAt: ago(10) }],
  [
    "a kubelet that has not reported since the boot",
    { machine: machineWith({ boot: { bootedAt: ago(0.5), events: [] } }) },
    "heartbeat",
    { heartbeatAt: ago(1) },
  ],
  [
    "a node that is not Ready",
    {
      kubernetes: clusterWith({
        ready: { status: "False", reason: "R", message: "M", since: NOW, heartbeatAt: NOW },
      }),
    },
    "ready",
    { reason: "R", message: "M" },
  ],
  ["a cordon", { kubernetes: clusterWith({ cordoned: true, cordonedBy: "drain-1" }) }, "cordon", { by: "drain-1" }],
  [
    "taints of controllers",
    {
      kubernetes: clusterWith({
        taints: [{ key: "node.kubernetes.io/disk-pressure", value: "", effect: "NoSchedule" }],
      }),
    },
    "taints",
    { taints: ["node.kubernetes.io/disk-pressure:NoSchedule"] },
  ],
  [
    "a guard that is not there",
    { machine: machineWith({ guard: { ...(answers.guard as never as object), present: false } as never }) },
    "guard",
    { what: "missing" },
  ],
];

describe("the checks of a node", () => {
  it("find nothing on a healthy one, and leave out the boot where no reboot is to be proven", () => {
    const all = checked(healthy);
    expect(all.filter(({ state }) => state !== "ok")).toEqual([]);
    expect(all.map(({ name }) => name)).not.toContain("boot");
  });

  it.for(faults)("name %s", ([, change, name, trouble]) => {
    const found = first(change);
    expect(found?.name).toBe(name);
    expect(found?.trouble).toMatchObject(trouble);
  });

  const skewed = (minutes: number, heartbeat = 1): Partial<HealthFacts> => ({
    machine: machineWith(
      { boot: { bootedAt: ago(60 - minutes), events: [] } },
      { verdict: { bootId: "8", clock: Date.parse(NOW) / 1_000 + minutes * 60, failed: {} } },
    ),
    kubernetes: clusterWith({
      ready: { status: "True", reason: "", message: "", since: ago(50), heartbeatAt: ago(heartbeat - minutes) },
    }),
  });

  it.for([6, -6, 1_440, -1_440])(
    "name a clock that is %i minutes ahead, and no kubelet that reports by it",
    (minutes) => {
      expect(checked(facts(skewed(minutes))).filter(({ state }) => state === "wrong")).toEqual([
        { name: "clock", state: "wrong", trouble: { kind: "clock-wrong", byMs: minutes * 60_000 } },
      ]);
    },
  );

  it("bear a clock that is five minutes ahead, and find an old report by it", () => {
    expect(first(skewed(5))).toBeUndefined();
    expect(first(skewed(5, 7))?.trouble).toEqual({ kind: "heartbeat-old", heartbeatAt: ago(7) });
    expect(first({ ...skewed(60), before: { bootId: "7", bootedAt: ago(90), askedAt: ago(80) } })).toBeUndefined();
  });

  it("pass over requests that were made a moment ago, and a pool's own taints", () => {
    expect(first({ kubernetes: clusterWith({ requests: [{ name: "csr-1", since: ago(1) }] }) })).toBeUndefined();
  });

  it.for<[keyof HealthFacts, readonly string[]]>([
    ["ec2", ["instance", "status"]],
    ["kubernetes", ["requests", "registered", "heartbeat", "ready", "cordon", "taints"]],
    ["machine", ["metadata", "routes", "clock", "services", "network", "network-services", "exits", "disk", "guard"]],
  ])("leave open what only %s knows when it is away, and judge the rest", ([source, names]) => {
    const all = checked(facts({ [source]: away }));
    expect(all.filter(({ state }) => state === "unknown").map(({ name }) => name)).toEqual(names);
    expect(all.some(({ state }) => state === "wrong")).toBe(false);
  });

  it("leave open a group that the machine could not look at, with its words", () => {
    const machine = machineWith(
      { services: undefined as never },
      {
        verdict: {
          bootId: "8",
          clock: Date.parse(NOW) / 1_000,
          failed: { services: "The RPC server is unavailable." },
        },
      },
    );
    expect(checked(facts({ machine })).find(({ name }) => name === "services")).toEqual({
      name: "services",
      state: "unknown",
      why: "The RPC server is unavailable.",
    });
  });

  const exited = (times: number, minutes: number) => [{ name: "proxy", times, last: ago(minutes), log: "panic" }];

  it.for<[string, Partial<HealthFacts>]>([
    ["exited twice", { machine: machineWith({ exits: exited(2, 1) }) }],
    ["has stayed up for half an hour", { machine: machineWith({ exits: exited(9, 30) }) }],
    [
      "exited before the boot",
      { machine: machineWith({ exits: exited(9, 10), boot: { bootedAt: ago(5), events: [] } }) },
    ],
    [
      "exited before a reboot or restart that is proven",
      { before: { bootId: "7", bootedAt: ago(90), askedAt: ago(80) }, machine: machineWith({ exits: exited(9, 1) }) },
    ],
  ])("do not count a service that %s as one that keeps exiting", ([, change]) => {
    expect(first(change)).toBeUndefined();
  });

  it("name a service that runs and keeps exiting, with the time of its last exit by our clock", () => {
    const ahead = { bootId: "8", clock: Date.parse(NOW) / 1_000 + 240, failed: {} };
    const machine = machineWith({ exits: exited(3, -2) }, { verdict: ahead });
    expect(first({ machine })).toMatchObject({
      name: "exits",
      trouble: { kind: "service-exits", service: "proxy", times: 3, last: ago(2), log: "panic" },
    });
  });

  it("leave open whether services exit where the event log cannot be read", () => {
    const verdict = { bootId: "8", clock: Date.parse(NOW) / 1_000, failed: { exits: "Access is denied" } };
    const machine = machineWith({ exits: undefined as never }, { verdict });
    expect(checked(facts({ machine })).find(({ name }) => name === "exits")).toMatchObject({
      state: "unknown",
      why: "Access is denied",
    });
  });

  it("take routes by any adapter where EC2 does not tell the primary one", () => {
    expect(MAC).not.toBe("");
    const routes = (answers.routes ?? []).map((one) => ({ ...one, mac: "02-00-00-00-00-09" }));
    expect(first({ ec2: ec2({ mac: null }) as never, machine: machineWith({ routes }) })).toBeUndefined();
  });
});

describe("the checks after a reboot that was asked for", () => {
  const before: BootBefore = { bootId: "7", bootedAt: ago(600), askedAt: ago(30) };
  const rebooted = { boot: { bootedAt: ago(20), events: [] } };

  it("pass a machine with another boot id, whose agent has reported since, and mind no cordon", () => {
    expect(
      first({ before, machine: machineWith(rebooted), kubernetes: clusterWith({ cordoned: true }) }),
    ).toBeUndefined();
  });

  it("mind no full drive, which the reboot has not filled", () => {
    const full = machineWith({ ...rebooted, disk: { freeBytes: 1e9, sizeBytes: 100e9 } });
    expect(first({ before, machine: full })).toBeUndefined();
  });

  it("find the same boot by its id, whatever the times are", () => {
    expect(first({ before: { ...before, bootId: "8" }, machine: machineWith(rebooted) })?.trouble).toMatchObject({
      kind: "same-boot",
    });
  });

  it.for<[string, string, number, boolean]>([
    ["another boot", ago(20), 0, true],
    ["the same boot", ago(600), 0, false],
    ["the same boot on a machine whose clock was set two hours ahead", ago(480), 7_200, false],
    ["another boot on a machine whose clock was set two hours back", ago(140), -7_200, true],
  ])("tell %s by its time where a kubelet reports no id", ([, bootedAt, ahead, isOther]) => {
    const verdict = { bootId: "8", clock: Date.parse(NOW) / 1_000 + ahead, failed: {} };
    const machine = machineWith({ boot: { bootedAt, events: [] } }, { verdict });
    const found = checked(facts({ before: { ...before, bootId: null }, machine })).find(({ name }) => name === "boot");
    expect(found?.state).toBe(isOther ? "ok" : "wrong");
  });

  it.for<[string, number, number, "ok" | "wrong"]>([
    ["the same boot, which seems to have moved by a minute", 599, 0, "wrong"],
    ["the same boot on a machine whose clock was set two hours ahead", 600, 120, "wrong"],
    ["another boot", 20, 0, "ok"],
  ])("tell %s where Windows counts no boots", ([, minutes, ahead, state]) => {
    const verdict = { bootId: ago(minutes - ahead), clock: Date.parse(NOW) / 1_000 + ahead * 60, failed: {} };
    const timed = { before: { ...before, bootId: ago(600) }, machine: machineWith(rebooted, { verdict }) };
    expect(checked(facts(timed)).find(({ name }) => name === "boot")?.state).toBe(state);
  });

  it.for([
    [29, "ok"],
    [31, "wrong"],
  ] as const)("tell a boot %i minutes ago from the one a minute before the order: %s", ([minutes, state]) => {
    const boot = { bootedAt: ago(minutes), events: [] };
    const verdict = { bootId: ago(minutes), clock: Date.parse(NOW) / 1_000, failed: {} };
    const timed = { bootId: ago(32), bootedAt: ago(32), askedAt: ago(30) };
    const found = checked(facts({ before: timed, machine: machineWith({ boot }, { verdict }) }));
    expect(found.find(({ name }) => name === "boot")?.state).toBe(state);
  });

  it("do not take an agent's report from before the boot for one from after it", () => {
    expect(
      first({ before, machine: machineWith(rebooted), ssm: ssm({ lastPingAt: ago(25) }) as never })?.trouble,
    ).toEqual({
      kind: "agent-before-boot",
      lastPingAt: ago(25),
      bootedAt: ago(20),
    });
  });

  it("leave the boot open where nobody tells it", () => {
    const found = checked(facts({ before, machine: away, kubernetes: away })).find(({ name }) => name === "boot");
    expect(found?.state).toBe("unknown");
  });
});

describe("the check of the data plane", () => {
  const dataPlane = (result?: ProbeFacts["result"], at: string | null = ago(200)) =>
    checked(result ? { ...healthy, probe: { result, at } } : healthy).find(({ name }) => name === "data-plane");

  it("is left out where it is not asked for, and skipped where no probe was possible", () => {
    expect(dataPlane()).toBeUndefined();
    expect(dataPlane({ state: "not-probed", why: "no image" }, null)).toMatchObject({
      state: "skipped",
      why: "no image",
    });
  });

  it("finds a node that says Ready and whose pods reach nothing, by the newest scheduled probe", () => {
    expect(dataPlane({ state: "works" })).toMatchObject({ state: "ok", at: ago(200) });
    expect(dataPlane({ state: "fails", fault: "dns", from: null })).toMatchObject({
      state: "wrong",
      trouble: { kind: "data-plane", fault: "dns", at: ago(200) },
    });
  });
});

import type { HealthFacts, MachineFacts, NodeFacts, SourceFacts } from "../../lambdas/health/facts.ts";
import { LINK_LOCAL } from "../../lambdas/health/machine-checks.ts";
import type { Answers } from "../../lambdas/machine/questions.ts";

export const NOW = "2026-11-23T12:00:00.000Z";
export const MAC = "02-AA-BB-CC-DD-01";

/** A moment so many minutes before now. */
export const ago = (minutes: number): string => new Date(Date.parse(NOW) - minutes * 60_000).toISOString();

export const answers: Answers = {
  metadata: { answers: true },
  routes: LINK_LOCAL.map((prefix) => ({ prefix, nextHop: "10.0.0.1", interface: "vEthernet", mac: MAC, usable: true })),
  services: ["containerd", "kubelet", "proxy", "hns"].map((name) => ({
    name,
    state: "Running",
    startType: "Automatic",
    exitCode: 0,
    process: 4711,
    startedAt: ago(50),
    log: "",
  })),
  exits: [],
  hns: { networks: ["pods"], endpoints: [{ name: "source", ip: "10.132.1.2", attached: true }] },
  guard: { present: true, sha256: "0".repeat(64), taskEnabled: true, lastResult: 0, error: "", repairs: 0 },
  boot: { bootedAt: ago(60), events: [] },
  reboot: { reasons: [] },
  disk: { freeBytes: 70e9, sizeBytes: 100e9 },
};

const known = <T>(value: T): SourceFacts<T> => ({ known: true, value });

/** Answers of a machine. */
export const machineWith = (
  change: Partial<Answers> = {},
  more: Partial<MachineFacts> = {},
): SourceFacts<MachineFacts> =>
  known({
    verdict: { bootId: "8", clock: Date.parse(NOW) / 1_000, failed: {} },
    answers: { ...answers, ...change },
    at: NOW,
    ...more,
  });

/** Facts of the cluster about a node. */
export const clusterWith = (change: Partial<NodeFacts> = {}): SourceFacts<NodeFacts> =>
  known({
    registered: true,
    bootId: "8",
    ready: { status: "True", reason: "KubeletReady", message: "", since: ago(50), heartbeatAt: ago(1) },
    taints: [{ key: "os", value: "Windows", effect: "NoSchedule" }],
    cordoned: false,
    cordonedBy: null,
    requests: [],
    pods: [],
    ...change,
  });

/** A healthy node's facts. */
export const healthy: HealthFacts = {
  now: NOW,
  ec2: known({
    instanceId: "i-1",
    state: "running",
    because: "",
    system: "ok",
    instance: "ok",
    volumes: "ok",
    mac: MAC,
  }),
  ssm: known({ registered: true, online: true, lastPingAt: ago(2), failure: null, isDeaf: false }),
  kubernetes: clusterWith(),
  machine: machineWith(),
  expected: {
    services: [{ name: "containerd" }, { name: "kubelet" }, { name: "storage" }, { name: "proxy" }],
    optionalServices: ["storage"],
    networkServices: ["proxy"],
    network: "pods",
    endpoint: "source",
  },
};

import type { V1Node, V1Pod } from "@kubernetes/client-node";
import { describe, expect, it } from "vitest";
import { movedPods } from "../../../lambdas/steps/cluster/node-facts.ts";
import { type ClusterState, placementsOf, recreatedOf } from "../../../lambdas/steps/plan/placement.ts";
import { inBaseUnits } from "../../../lambdas/steps/plan/quantity.ts";
import { requestsOf } from "../../../lambdas/steps/plan/resources.ts";
import { volumesAllow } from "../../../lambdas/steps/plan/volume-zones.ts";
import { pod, windowsNode } from "../cluster/cluster-objects.ts";

const builds = { "2019": "10.0.17763", "2022": "10.0.20348", "2025": "10.0.26100" } as const;

interface Shape {
  readonly release?: keyof typeof builds;
  readonly os?: string;
  readonly zone?: string;
  readonly labels?: Record<string, string>;
  readonly spec?: V1Node["spec"];
  readonly allocatable?: Record<string, string>;
  readonly ready?: string;
}

const node = (name: string, shape: Shape = {}): V1Node => {
  const { release = "2022", os = "windows", zone = "us-west-2a", labels = {}, spec = {}, ready = "True" } = shape;
  const plain = windowsNode(name);
  return {
    ...plain,
    metadata: {
      ...plain.metadata,
      labels: {
        "kubernetes.io/os": os,
        "node.kubernetes.io/windows-build": builds[release],
        "topology.kubernetes.io/zone": zone,
        ...labels,
      },
    },
    spec,
    status: {
      conditions: [{ type: "Ready", status: ready }],
      allocatable: { cpu: "4", memory: "8Gi", pods: "30", ...shape.allocatable },
    },
  };
};

const asks = (name: string, spec: Partial<V1Pod["spec"]> = {}, memory = "1Gi"): V1Pod =>
  pod(name, "web-1", {
    spec: { nodeName: "web-1", containers: [{ name: "c", resources: { requests: { cpu: "500m", memory } } }], ...spec },
  });

const from = node("web-1");

const place = (leaving: V1Pod[], others: V1Node[], more: Partial<ClusterState> = {}, first = from) =>
  placementsOf(leaving, first, {
    nodes: [first, ...others],
    pods: leaving,
    runtimeClasses: [],
    volumesAllow: () => true,
    ...more,
  }).map(({ name, node: to, obstacle }) => `${name}: ${to ?? JSON.stringify(obstacle)}`);

const osTaint = { key: "os", value: "Windows", effect: "NoSchedule" };

describe("A pod that must leave", () => {
  it.each<[string, Shape, Partial<V1Pod["spec"]>, string]>([
    ["fits a like node", {}, {}, "web-2"],
    ["fits a later release that runs its images", { release: "2025" }, {}, "web-2"],
    ["does not fit an earlier release", { release: "2019" }, {}, '"release"'],
    ["does not fit a Linux node", { os: "linux" }, {}, '"release"'],
    ["does not fit a node that is cordoned", { spec: { unschedulable: true } }, {}, '"release"'],
    ["does not fit a node that is not Ready", { ready: "Unknown" }, {}, '"release"'],
    ["stays where its selector says", {}, { nodeSelector: { disk: "ssd" } }, '"selector"'],
    ["follows its selector", { labels: { disk: "ssd" } }, { nodeSelector: { disk: "ssd" } }, "web-2"],
    ["is kept away by a taint", { spec: { taints: [osTaint] } }, {}, '"taint"'],
    [
      "tolerates its taint",
      { spec: { taints: [osTaint] } },
      { tolerations: [{ key: "os", value: "Windows" }] },
      "web-2",
    ],
    [
      "does not tolerate another value",
      { spec: { taints: [osTaint] } },
      { tolerations: [{ key: "os", value: "windows" }] },
      '"taint"',
    ],
    [
      "passes a taint that only prefers",
      { spec: { taints: [{ ...osTaint, effect: "PreferNoSchedule" }] } },
      {},
      "web-2",
    ],
    ["does not fit where memory is short", { allocatable: { memory: "512Mi" } }, {}, '{"resource":"memory"}'],
    ["does not fit where every place is taken", { allocatable: { pods: "0" } }, {}, '{"resource":"pods"}'],
  ])("%s", (_, shape, spec, expected) => {
    expect(place([asks("a", spec)], [node("web-2", shape)])).toEqual([`a: ${expected}`]);
  });

  it("names what rules out the node that came closest", () => {
    const far = node("web-2", { release: "2019" });
    const near = node("web-3", { allocatable: { cpu: "100m" } });
    expect(place([asks("a")], [near, far])).toEqual(['a: {"resource":"cpu"}']);
  });

  it("goes where its RuntimeClass sends it, with the tolerations that this adds", () => {
    const runtimeClasses = [
      {
        handler: "runhcs-wcow-process",
        metadata: { name: "win-2022" },
        scheduling: { nodeSelector: { disk: "ssd" }, tolerations: [{ key: "os", operator: "Exists" }] },
      },
    ];
    const spec = { runtimeClassName: "win-2022" };
    const tainted = { spec: { taints: [osTaint] } };
    expect(place([asks("a", spec)], [node("web-2", tainted)], { runtimeClasses })).toEqual(['a: "selector"']);
    const meant = node("web-2", { ...tainted, labels: { disk: "ssd" } });
    expect(place([asks("a", spec)], [meant], { runtimeClasses })).toEqual(["a: web-2"]);
  });

  it("stays where the release is older than any other, unless its containers are the host's own", () => {
    const old = node("web-1", { release: "2019" });
    const hostProcess = { securityContext: { windowsOptions: { hostProcess: true } } };
    expect(place([asks("a"), asks("b", hostProcess)], [node("web-2")], {}, old)).toEqual(['a: "release"', "b: web-2"]);
  });

  it("stays in the zone of its volume", () => {
    const claims = [{ metadata: { namespace: "shop", name: "data" }, spec: { volumeName: "pv-1" } }];
    const zone = { key: "topology.kubernetes.io/zone", operator: "In", values: ["us-west-2a"] };
    const volumes = [
      {
        metadata: { name: "pv-1" },
        spec: { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [zone] }] } } },
      },
    ];
    const bound = { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] };
    const allow = { volumesAllow: volumesAllow(claims, volumes) };
    expect(place([asks("a", bound)], [node("web-2", { zone: "us-west-2b" })], allow)).toEqual(['a: "zone"']);
    expect(place([asks("a", bound)], [node("web-2")], allow)).toEqual(["a: web-2"]);
  });

  it("shares what is free with the others that leave, the largest first", () => {
    const pods = [asks("small", {}, "1Gi"), asks("big", {}, "3Gi"), asks("small-2", {}, "1Gi")];
    const others = [node("web-2", { allocatable: { memory: "4Gi" } })];
    expect(place(pods, others)).toEqual(["big: web-2", "small: web-2", 'small-2: {"resource":"memory"}']);
  });

  it("finds what is held by pods that run there, and not what ended ones held", () => {
    const there = (name: string, phase: string): V1Pod => ({
      ...asks(name, { nodeName: "web-2" }, "4Gi"),
      status: { phase },
    });
    const others = [node("web-2", { allocatable: { memory: "5Gi" } })];
    const leaving = asks("a", {}, "2Gi");
    expect(place([leaving], others, { pods: [leaving, there("x", "Running")] })).toEqual(['a: {"resource":"memory"}']);
    expect(place([leaving], others, { pods: [leaving, there("x", "Succeeded")] })).toEqual(["a: web-2"]);
  });
});

describe("What a pod asks for", () => {
  it("is its containers and sidecars together, or its largest start-up container, and its overhead", () => {
    const container = (memory: string, more: object = {}) => ({
      name: "c",
      resources: { requests: { memory } },
      ...more,
    });
    const of = (spec: object): number | undefined => requestsOf({ spec: { containers: [], ...spec } }).memory;
    const sidecar = container("1Gi", { restartPolicy: "Always" });
    expect(of({ containers: [container("1Gi"), container("2Gi")] })).toBe(3 * 2 ** 30);
    expect(of({ containers: [container("1Gi")], initContainers: [container("4Gi")] })).toBe(4 * 2 ** 30);
    expect(of({ containers: [container("1Gi")], initContainers: [sidecar] })).toBe(2 * 2 ** 30);
    expect(of({ containers: [container("1Gi")], overhead: { memory: "1Gi" } })).toBe(2 * 2 ** 30);
  });

  it.each([
    ["500m", 0.5],
    ["1.5Gi", 1.5 * 2 ** 30],
    ["2", 2],
    ["1e3", 1_000],
    ["128974848", 128_974_848],
    ["129M", 129e6],
  ])("reads %s", (quantity, value) => {
    expect(inBaseUnits(quantity)).toBe(value);
  });

  it.each(["", "five", "1.2.3", "5Q"])("refuses '%s'", (quantity) => {
    expect(() => inBaseUnits(quantity)).toThrow("is not a quantity");
  });
});

it("is placed only if another pod comes in its place", () => {
  const alone = pod("alone", "web-1", { metadata: { name: "alone", namespace: "shop" } });
  const leaving = [alone, pod("web", "web-1"), pod("step", "web-1")];
  const moved = movedPods(leaving, new Set(["shop/step"]));
  expect(recreatedOf(leaving, moved).map(({ metadata }) => metadata?.name)).toEqual(["web"]);
});

import { afterEach, beforeEach, expect, test } from "vitest";
import { type Ec2, ec2 } from "../../../lib/sandbox/aws/ec2/ec2.ts";
import { activity } from "../../../lib/sandbox/core/activity.ts";
import { type PacedClock, pacedClock } from "../../../lib/sandbox/core/paced-clock.ts";
import type { Firewall } from "../../../lib/sandbox/core/ports.ts";
import { createSimulation } from "../../../lib/sandbox/core/simulation.ts";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { account } from "../../../lib/sandbox/demo-account.ts";
import { type Kubernetes, kubernetesApi } from "../../../lib/sandbox/kubernetes/api.ts";
import type { KubeObject } from "../../../lib/sandbox/kubernetes/model/object.ts";
import { linuxNode, NOON } from "./cluster.ts";

const { windowsNodes, linuxNodes } = demo.securityGroups;
const EXCLUDED = "node.kubernetes.io/exclude-from-external-load-balancers";

let clock: PacedClock;
let cloud: Ec2;
let firewall: Firewall;
let api: Kubernetes;
let pass: (seconds: number) => Promise<void>;

beforeEach(async () => {
  clock = pacedClock(NOON, 1e-9);
  const { during, settled } = activity();
  const simulation = createSimulation({ clock, store: openStore(":memory:"), seed: 7, busy: during });
  cloud = ec2(simulation, { ...account, inbound: {} });
  firewall = cloud.cloud.firewall as Firewall;
  const options = { version: "1.34.2", region: demo.region, hybridNetwork: demo.networks.hybrid };
  api = await kubernetesApi(simulation, cloud.cloud, options);
  api.resume();
  pass = async (seconds) => {
    await clock.advance(seconds * 1_000, settled);
    await settled();
  };
});
afterEach(() => clock.stop());

/** A node and the instance behind it. */
function nodeOn(number: number, os: string, groups: readonly string[], labels: Record<string, string> = {}): void {
  const instanceId = `i-0000000000000000${number}`;
  cloud.seed({
    instanceId,
    system: os === "windows" ? "2022" : "linux",
    instanceType: "m5.xlarge",
    subnetId: demo.subnets[0].id,
    privateIp: `10.0.0.${20 + number}`,
    groups,
    profileArn: null,
    tags: {},
    launchedAt: NOON,
  });
  const node = linuxNode(`node-${number}`, { "kubernetes.io/os": os, ...labels });
  api.create({ ...node, spec: { providerID: `aws:///us-west-2a/${instanceId}` } });
}

const balanced = (name: string, more: object = {}): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name,
      namespace: "default",
      annotations: { "service.beta.kubernetes.io/aws-load-balancer-type": "nlb" },
    },
    spec: { type: "LoadBalancer", ports: [{ port: 443, nodePort: 31_234 }], ...more },
  }) as unknown as KubeObject;

const rulesOf = (group: string): string[] =>
  firewall
    .inbound(group)
    .map(({ protocol, from, to, source }) => [protocol, from, to, source].join(" ").replace(/sg-\w+$/, "sg"));

test("the group of every node, Windows or not, allows the router's Classic balancer", async () => {
  nodeOn(1, "linux", [linuxNodes]);
  nodeOn(2, "windows", [windowsNodes]);
  await pass(5);
  expect([rulesOf(linuxNodes), rulesOf(windowsNodes)]).toEqual([["-1   sg"], ["-1   sg"]]);
});

test("a Network Load Balancer opens its node ports to all addresses, or to the ranges that the Service names", async () => {
  nodeOn(1, "windows", [windowsNodes]);
  api.create(balanced("public"));
  await pass(5);
  expect(rulesOf(windowsNodes)).toEqual(["-1   sg", "tcp 31234 31234 0.0.0.0/0", "icmp 3 4 0.0.0.0/0"]);
  expect(firewall.inbound(windowsNodes).map(({ description = "" }) => description.replace(/=a\w+$/, "=a…"))).toEqual([
    "",
    "kubernetes.io/rule/nlb/client=a…",
    "kubernetes.io/rule/nlb/mtu",
  ]);
  api.create(
    balanced("narrow", { loadBalancerSourceRanges: ["192.0.2.0/24"], ports: [{ port: 1, nodePort: 31_235 }] }),
  );
  await pass(5);
  expect(rulesOf(windowsNodes)).toContain("tcp 31235 31235 192.0.2.0/24");
});

test("an excluded node is not behind the balancer", async () => {
  nodeOn(1, "windows", [windowsNodes], { [EXCLUDED]: "" });
  await pass(5);
  expect(rulesOf(windowsNodes)).toEqual([]);
});

test("a removed rule comes back only when the set of nodes changes", async () => {
  nodeOn(1, "windows", [windowsNodes]);
  await pass(5);
  firewall.withdraw(windowsNodes, firewall.inbound(windowsNodes));
  await pass(600);
  expect(rulesOf(windowsNodes)).toEqual([]);
  nodeOn(2, "linux", [linuxNodes]);
  await pass(5);
  expect(rulesOf(windowsNodes)).toEqual(["-1   sg"]);
});

test("an instance with two untagged groups stops every balancer from following the nodes", async () => {
  nodeOn(1, "linux", [linuxNodes]);
  await pass(5);
  nodeOn(2, "windows", [windowsNodes, linuxNodes]);
  nodeOn(3, "windows", [windowsNodes]);
  await pass(60);
  expect(rulesOf(windowsNodes)).toEqual([]);
  const events = api.objects("events") as unknown as { reason: string; message: string; count?: number }[];
  const failed = events.filter(({ reason }) => reason === "SyncLoadBalancerFailed");
  expect(failed.map(({ message }) => message)).toEqual([
    expect.stringMatching(/Multiple untagged security groups found for instance i-00000000000000002/),
  ]);
  expect(failed[0]?.count).toBeGreaterThan(2);
});

import { expect, it } from "vitest";
import { refusedLaunch } from "../../../lambdas/messages/provision/obstacles.ts";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import { type LaunchFacts, launchObstacles } from "../../../lambdas/steps/ec2/launch-obstacles.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

const configuration = configurationWith();
const judged = (cluster: LaunchFacts) => launchObstacles(cluster, configuration, okd.network);
const meant = { cluster: { ...configuration.cluster, besideWmco: true } };
const networks = (hybrid: string, hostPrefix: number): LaunchFacts["networks"] => [
  { of: "pods", cidr: "10.128.0.0/14" },
  { of: "Services", cidr: "172.30.0.0/16" },
  { of: "pods on Windows nodes", cidr: hybrid, hostPrefix },
];
const facts = (more: Partial<LaunchFacts> = {}): LaunchFacts => ({
  platform: "AWS",
  ownCloudController: false,
  networks: networks("10.132.0.0/14", 23),
  vpc: ["10.0.0.0/16"],
  dnsAddress: "172.30.0.10",
  wmco: false,
  wmcoNodes: [],
  ...more,
});

it.for<[string, Partial<LaunchFacts>, string[]]>([
  ["a cluster on AWS", {}, []],
  ["a cluster that does not say what it was installed on", { platform: null }, []],
  ["platform External with a cloud controller", { platform: "External", ownCloudController: true }, []],
  ["platform External without one", { platform: "External" }, ["no-cloud-controller"]],
  ["platform None", { platform: "None" }, ["no-cloud-controller"]],
  ["pods in class E", { networks: networks("240.0.0.0/12", 23) }, ["reserved-network"]],
  ["a pod network of IPv6", { networks: [{ of: "pods", cidr: "fd01::/48" }] }, []],
  ["a cluster that does not say its networks", { networks: [], dnsAddress: null }, []],
  ["Windows pods in the machines' network", { networks: networks("10.0.128.0/17", 23) }, ["networks-overlap"]],
  ["Windows pods in the pods' network", { networks: networks("10.130.0.0/16", 23) }, ["networks-overlap"]],
  ["Windows pods around the Services' network", { networks: networks("172.16.0.0/12", 23) }, ["networks-overlap"]],
  [
    "Windows pods in a network of many",
    { networks: networks("10.0.0.0/8", 23) },
    ["networks-overlap", "networks-overlap"],
  ],
  ["a VPC with a second range elsewhere", { vpc: ["10.0.0.0/16", "10.1.0.0/16"] }, []],
  ["Windows pods in the VPC's second range", { vpc: ["10.0.0.0/16", "10.133.0.0/16"] }, ["networks-overlap"]],
  ["pods in the VPC's second range", { vpc: ["10.0.0.0/16", "10.129.0.0/16"] }, ["networks-overlap"]],
  ["Services in the VPC's second range", { vpc: ["10.0.0.0/16", "172.30.4.0/24"] }, ["networks-overlap"]],
  ["nodes with 253 addresses", { networks: networks("10.132.0.0/14", 24) }, []],
  ["nodes with 125 addresses", { networks: networks("10.132.0.0/14", 25) }, ["few-addresses"]],
  ["nodes with no address", { networks: networks("10.132.0.0/14", 32) }, ["few-addresses"]],
  ["a DNS Service elsewhere", { dnsAddress: "172.30.0.53" }, ["dns-differs"]],
  ["WMCO at work", { wmco: true }, ["beside-wmco"]],
  ["WMCO's nodes alone", { wmcoNodes: ["win-1"] }, ["beside-wmco"]],
])("judges %s before a launch", ([, more, kinds]) => {
  const found = judged(facts(more));
  expect(found.map(({ kind }) => kind)).toEqual(kinds);
  expect(refusedLaunch(found) === undefined).toBe(kinds.length === 0);
});

it("lets a launch through where the DNS Service has the configured address", () => {
  const elsewhere = facts({ dnsAddress: "172.30.0.53" });
  expect(refusedLaunch(judged(elsewhere))).toContain("set `cluster.dnsAddress` to `172.30.0.53`");
  const named = { cluster: { ...configuration.cluster, dnsAddress: "172.30.0.53" } };
  expect(launchObstacles(elsewhere, named, okd.network)).toEqual([]);
});

it("lets a launch beside WMCO through where it is meant", () => {
  expect(refusedLaunch(judged(facts({ wmco: true })))).toMatch(/Next: let one of the two/);
  expect(refusedLaunch(launchObstacles(facts({ wmco: true }), meant, okd.network))).toBeUndefined();
});

it("names every obstacle of several", () => {
  const refusal = refusedLaunch(judged(facts({ platform: "None", wmco: true })));
  expect(refusal).toMatch(/platform `None`.*Windows Machine Config Operator/);
});

it("says which networks share addresses, and how many pods a share is for", () => {
  expect(refusedLaunch(judged(facts({ networks: networks("10.130.0.0/16", 25) })))).toMatch(
    /network of pods \(`10.128.0.0\/14`\) and that of pods on Windows nodes \(`10.130.0.0\/16`\) share addresses.*a \/25 of `10.130.0.0\/16`, with addresses for 125 pods, but its kubelet accepts 250/,
  );
});

it("says which range of the VPC shares addresses, and that it may be taken from the VPC", () => {
  expect(refusedLaunch(judged(facts({ vpc: ["10.0.0.0/16", "10.133.0.0/16"] })))).toMatch(
    /network of the VPC \(`10.133.0.0\/16`\) and that of pods on Windows nodes \(`10.132.0.0\/14`\) share addresses.*has an address of `10.133.0.0\/16`, disassociate/,
  );
});

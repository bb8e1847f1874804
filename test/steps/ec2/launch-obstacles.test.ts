import { expect, it } from "vitest";
import { refusedLaunch } from "../../../lambdas/messages/provision/obstacles.ts";
import { type LaunchFacts, launchObstacles } from "../../../lambdas/steps/ec2/launch-obstacles.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

const configuration = configurationWith();
const meant = { cluster: { ...configuration.cluster, besideWmco: true } };
const facts = (more: Partial<LaunchFacts> = {}): LaunchFacts => ({
  platform: "AWS",
  ownCloudController: false,
  podNetworks: ["10.128.0.0/14", "10.132.0.0/14"],
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
  ["pods in class E", { podNetworks: ["10.128.0.0/14", "240.0.0.0/12"] }, ["reserved-network"]],
  ["a pod network of IPv6", { podNetworks: ["fd01::/48"] }, []],
  ["WMCO at work", { wmco: true }, ["beside-wmco"]],
  ["WMCO's nodes alone", { wmcoNodes: ["win-1"] }, ["beside-wmco"]],
])("judges %s before a launch", ([, more, kinds]) => {
  const found = launchObstacles(facts(more), configuration);
  expect(found.map(({ kind }) => kind)).toEqual(kinds);
  expect(refusedLaunch(found) === undefined).toBe(kinds.length === 0);
});

it("lets a launch beside WMCO through where it is meant", () => {
  expect(refusedLaunch(launchObstacles(facts({ wmco: true }), configuration))).toMatch(/Next: let one of the two/);
  expect(refusedLaunch(launchObstacles(facts({ wmco: true }), meant))).toBeUndefined();
});

it("names every obstacle of several", () => {
  const refusal = refusedLaunch(launchObstacles(facts({ platform: "None", wmco: true }), configuration));
  expect(refusal).toMatch(/platform `None`.*Windows Machine Config Operator/);
});

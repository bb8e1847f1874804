import { afterEach, beforeEach, expect, test } from "vitest";
import { at, type KubeObject, listOf } from "../../../lib/sandbox/kubernetes/model/object.ts";
import { wmco } from "../../../lib/sandbox/neighbours/wmco.ts";
import { linuxNode, type StillCluster, stillCluster } from "../kubernetes/cluster.ts";

let cluster: StillCluster;
beforeEach(async () => {
  cluster = await stillCluster();
});
afterEach(() => cluster.stop());

const USERNAME = { "windowsmachineconfig.openshift.io/username": "encrypted" };

function windowsNode(name: string, annotations: Record<string, string> = {}): void {
  const node = linuxNode(name, { "kubernetes.io/os": "windows" });
  cluster.api.create({ ...node, metadata: { ...node.metadata, annotations } });
}

const start = (): void => wmco.start({ kubernetes: cluster.api, ec2: undefined as never, scaling: undefined as never });
const maintained = (): string[] => cluster.simulation.store.collection<number>("wmco-maintained").keys();
const upgradeable = (): unknown => {
  const [condition] = cluster.api.objects("operatorconditions", "operators.coreos.com");
  return listOf<{ status: string }>(at(condition, "spec", "conditions"))[0]?.status;
};

test("it maintains its own nodes, and may be upgraded", async () => {
  windowsNode("win-a", USERNAME);
  windowsNode("win-b", USERNAME);
  start();
  await cluster.pass(5);
  expect(maintained()).toEqual(["win-a", "win-b"]);
  expect(upgradeable()).toBe("True");
});

test("it stops at the first node that it did not set up, tries again and again, and may not be upgraded", async () => {
  windowsNode("win-a", USERNAME);
  windowsNode("win-b");
  windowsNode("win-c", USERNAME);
  start();
  await cluster.pass(3_600);
  expect(maintained()).toEqual(["win-a"]);
  expect(upgradeable()).toBe("False");
  await cluster.admin("DELETE /api/v1/nodes/win-b");
  await cluster.pass(2_000);
  expect(maintained()).toEqual(["win-a", "win-c"]);
  expect(upgradeable()).toBe("True");
});

test.each(["ImageDigestMirrorSet", "ImageTagMirrorSet"])(
  "a change of an %s is brought to its nodes at once",
  async (kind) => {
    windowsNode("win-a", USERNAME);
    start();
    await cluster.pass(600);
    const before = cluster.simulation.store.collection<number>("wmco-maintained").get("win-a") ?? 0;
    const mirrors = { apiVersion: "config.openshift.io/v1", kind, metadata: { name: "m" }, spec: {} };
    cluster.api.create(mirrors as unknown as KubeObject);
    await cluster.pass(5);
    expect(cluster.simulation.store.collection<number>("wmco-maintained").get("win-a")).toBeGreaterThan(before);
  },
);

test("what it installs it installs once", async () => {
  start();
  await cluster.admin(
    "DELETE /api/v1/namespaces/openshift-windows-machine-config-operator/configmaps/windows-instances",
  );
  start();
  await cluster.pass(5);
  expect(cluster.api.objects("deployments", "apps").map(({ metadata }) => metadata.name)).toEqual([
    "windows-machine-config-operator",
  ]);
});

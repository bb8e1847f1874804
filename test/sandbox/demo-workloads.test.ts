import { expect, test } from "vitest";
import { drainedWorkloads } from "../../lib/sandbox/demo-workloads.ts";
import type { Budget, Pod } from "../../lib/sandbox/kubernetes/model/shapes.ts";
import { linuxNode, stillCluster } from "./kubernetes/cluster.ts";

test("The demo's workloads all find a place on its Windows nodes, disk, Job and budget included", async () => {
  const cluster = await stillCluster();
  for (const [name, build, zone] of [
    ["web-a", "10.0.20348", "us-west-2a"],
    ["web-c", "10.0.20348", "us-west-2c"],
    ["batch", "10.0.17763", "us-west-2b"],
  ] as const)
    cluster.api.create(
      linuxNode(name, {
        "kubernetes.io/os": "windows",
        "node.kubernetes.io/windows-build": build,
        "topology.kubernetes.io/zone": zone,
      }),
    );
  for (const object of drainedWorkloads) cluster.api.create(object);
  await cluster.pass(45);
  const pods = cluster.api.objects("pods") as Pod[];
  const running = pods.filter(({ status }) => status?.phase === "Running").map(({ metadata }) => metadata.labels?.app);
  const times = (count: number, app: string): string[] => Array.from({ length: count }, () => app);
  expect(running.sort()).toEqual([
    ...times(4, "checkout"),
    "debug",
    "month-end",
    "orders",
    ...times(3, "windows-exporter"),
  ]);
  const [budget] = cluster.api.objects("poddisruptionbudgets", "policy") as Budget[];
  expect(budget?.status).toMatchObject({ expectedPods: 4, disruptionsAllowed: 1 });
  expect(pods.find(({ metadata }) => metadata.labels?.app === "orders")?.spec.nodeName).toBe("web-c");
  expect(cluster.api.objects("volumeattachments", "storage.k8s.io")).toHaveLength(1);
  await cluster.stop();
});

import { describe, expect, test } from "vitest";
import { daemonSetsCheck, storageDriversCheck } from "../../../lambdas/steps/doctor/workloads.ts";
import { podNamed } from "../../drain/objects.ts";
import { type ApiAnswers, apiRefusal, listOf } from "../api-server.ts";
import { foundIn } from "./a-cluster.ts";

describe("A DaemonSet of Linux", () => {
  const PLACE = "GET /apis/apps/v1/daemonsets";
  const daemonSet = (name: string, spec: object | undefined) => ({
    metadata: { namespace: "monitoring", name },
    ...(spec ? { spec: { template: { spec } } } : {}),
  });
  const tolerations = [{ operator: "Exists" }];
  const found = (spec: object | undefined) => foundIn(daemonSetsCheck, { [PLACE]: listOf(daemonSet("agent", spec)) });
  const anywhere = [{ kind: "daemonsets-anywhere", daemonSets: ["monitoring/agent"] }];

  test.each<[string, object | undefined, readonly object[]]>([
    ["tolerates every taint", { tolerations }, anywhere],
    ["tolerates the taint of the pool", { tolerations: [{ key: "os", value: "Windows" }] }, anywhere],
    ["tolerates no taint", {}, []],
    ["tolerates another taint", { tolerations: [{ key: "os", value: "Linux" }] }, []],
    ["states that it is of Windows", { tolerations, os: { name: "windows" } }, []],
    ["states that it is of Linux, which the scheduler does not read", { tolerations, os: { name: "linux" } }, anywhere],
    ["is a host process", { tolerations, securityContext: { windowsOptions: { hostProcess: true } } }, []],
    ["runs as no host process", { tolerations, securityContext: { windowsOptions: { hostProcess: false } } }, anywhere],
    ["selects Windows", { tolerations, nodeSelector: { "kubernetes.io/os": "windows" } }, []],
    ["selects Linux", { tolerations, nodeSelector: { "kubernetes.io/os": "linux" } }, []],
    ["selects the architecture", { tolerations, nodeSelector: { "kubernetes.io/arch": "amd64" } }, anywhere],
    ["selects another architecture", { tolerations, nodeSelector: { "kubernetes.io/arch": "arm64" } }, []],
    ["selects a label of the pool", { tolerations, nodeSelector: { tier: "web" } }, anywhere],
    ["has no pods", undefined, []],
  ])("that %s", async (_what, spec, findings) => {
    expect(await found(spec)).toEqual(findings);
  });

  test("is named beside the others, and any error is thrown", async () => {
    const list = listOf(daemonSet("a", { tolerations }), daemonSet("b", {}), daemonSet("c", { tolerations }));
    expect(await foundIn(daemonSetsCheck, { [PLACE]: list })).toEqual([
      { kind: "daemonsets-anywhere", daemonSets: ["monitoring/a", "monitoring/c"] },
    ]);
    expect(await foundIn(daemonSetsCheck, { [PLACE]: { body: {} } })).toEqual([]);
    expect(await foundIn(daemonSetsCheck, { [PLACE]: apiRefusal(403) })).toContain("HTTP-Code: 403");
  });
});

describe("A Windows node without a storage driver", () => {
  const node = (name: string, os = "windows") => ({ metadata: { name, labels: { "kubernetes.io/os": os } } });
  const csi = (name: string, ...drivers: readonly string[]) => ({
    metadata: { name },
    spec: { drivers: drivers.map((driver) => ({ name: driver, nodeID: name })) },
  });
  const volume = { name: "data", persistentVolumeClaim: { claimName: "data" } };
  const pod = (name: string, nodeName: string, ...volumes: readonly object[]) =>
    podNamed(name, { spec: { nodeName, volumes: volumes as never } });
  const cluster = (
    nodes: readonly object[],
    drivers: readonly object[] | undefined,
    pods: readonly object[],
  ): ApiAnswers => ({
    "GET /api/v1/nodes": listOf(...nodes),
    "GET /apis/storage.k8s.io/v1/csinodes": drivers ? listOf(...drivers) : { body: {} },
    "GET /api/v1/pods": listOf(...pods),
  });
  const waiting = pod("db-0", "win-1", volume);

  test.each<[string, ApiAnswers, readonly object[]]>([
    [
      "is named with the pods that wait there for a volume",
      cluster(
        [node("win-1"), node("win-2"), node("linux-1", "linux")],
        [csi("win-1"), csi("win-2", "ebs.csi.aws.com")],
        [waiting, pod("db-1", "win-1", volume), pod("db-2", "win-2", volume), pod("db-3", "linux-1", volume)],
      ),
      [{ kind: "no-storage-driver", nodes: ["win-1"], pods: ["shop/db-0", "shop/db-1"] }],
    ],
    [
      "that the cluster knows no drivers of",
      cluster([node("win-1")], undefined, [waiting]),
      [{ kind: "no-storage-driver", nodes: ["win-1"], pods: ["shop/db-0"] }],
    ],
    ["and without such a pod is no finding", cluster([node("win-1")], [], [pod("web-0", "win-1")]), []],
    ["is none if it has one", cluster([node("win-1")], [csi("win-1", "ebs.csi.aws.com")], [waiting]), []],
    ["is none if it runs Linux", { "GET /api/v1/nodes": listOf(node("win-1", "linux")) }, []],
    [
      "takes no pod that is on no node",
      cluster([node("win-1")], [], [{ ...waiting, spec: { volumes: [volume] } }]),
      [],
    ],
  ])("%s", async (_what, api, findings) => {
    expect(await foundIn(storageDriversCheck, api)).toEqual(findings);
  });
});

test("Both checks have their names", () => {
  expect([daemonSetsCheck, storageDriversCheck].map(({ area, what }) => `${area}: ${what}`)).toEqual([
    "Cluster: the DaemonSets that tolerate Windows nodes",
    "Cluster: the storage drivers of Windows nodes",
  ]);
});

import { describe, expect, test } from "vitest";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import type { CheckId, Profile } from "../../../lambdas/profiles/profile.ts";
import { profileChecksOf } from "../../../lambdas/steps/doctor/profile-checks.ts";
import { xml } from "../answering.ts";
import { apiRefusal, listOf } from "../api-server.ts";
import { foundIn } from "./a-cluster.ts";

const checkOf = (id: CheckId) => {
  const [check] = profileChecksOf({ checks: [id] } as unknown as Profile);
  if (!check) throw new Error(`no check ${id}`);
  return check;
};

/** A profile whose machines join by their role. */
const byRole: Profile = { ...okd, join: { by: "instance-role" } };
const version = (gitVersion: string) => ({ "GET /version": { body: { gitVersion } } });

test("The checks of a cluster of OKD have their names, in its order", () => {
  expect(profileChecksOf(okd).map(({ area, what }) => `${area}: ${what}`)).toEqual([
    "Cluster: the cluster's version",
    "Cluster: the hybrid network",
    "Cluster: the obstacles to a launch",
    "Cluster: the service account for joining nodes",
    "Cluster: the machine approver",
    "Nodes: the kubelets' versions",
    "Nodes: the authorities that kubelets trust",
    "Cluster: the DaemonSets that tolerate Windows nodes",
    "Cluster: the storage drivers of Windows nodes",
  ]);
});

test.each([
  ["v1.34.0", []],
  ["v1.35.9", []],
  ["v1.36.0", [{ kind: "server-version", server: "v1.36.0", payload: "1.34.2" }]],
  ["v1.33.1", [{ kind: "server-version", server: "v1.33.1", payload: "1.34.2" }]],
  ["v1.29.5", [{ kind: "server-too-old", server: "v1.29.5" }]],
])("A cluster of %s with a payload of 1.34.2 finds %j", async (server, findings) => {
  expect(await foundIn(checkOf("server-version"), version(server))).toEqual(findings);
});

test("A kubelet that does not fit the server is named, of Windows nodes that report one", async () => {
  const node = (name: string, kubeletVersion: string | undefined, os = "windows") => ({
    metadata: { name, labels: { "kubernetes.io/os": os } },
    status: { nodeInfo: kubeletVersion === undefined ? undefined : { kubeletVersion } },
  });
  const nodes = [
    node("fits", "v1.31.0"),
    node("old", "v1.30.9"),
    node("new", "v1.35.0"),
    node("linux", "v1.20.0", "linux"),
    node("silent", ""),
    node("unknown", undefined),
  ];
  const api = { ...version("v1.34.2"), "GET /api/v1/nodes": listOf(...nodes) };
  expect(await foundIn(checkOf("kubelet-versions"), api)).toEqual([
    { kind: "kubelet-version", node: "old", kubelet: "v1.30.9", server: "v1.34.2" },
    { kind: "kubelet-version", node: "new", kubelet: "v1.35.0", server: "v1.34.2" },
  ]);
});

test("The network of the cluster is judged by the profile", async () => {
  const api = {
    "GET /apis/operator.openshift.io/v1/networks/cluster": {
      body: { spec: { serviceNetwork: ["172.30.0.0/16"], defaultNetwork: { type: "OVNKubernetes" } } },
    },
  };
  expect(await foundIn(checkOf("network"), api)).toMatchObject([{ kind: "no-hybrid-network" }]);
});

describe.each([
  [
    "join-account" as const,
    "GET /api/v1/namespaces/openshift-machine-config-operator/serviceaccounts/node-bootstrapper",
    "no-join-account",
  ],
  ["machine-approver" as const, "GET /api/v1/namespaces/openshift-cluster-machine-approver", "no-machine-approver"],
])("The check %s", (id, path, kind) => {
  test("finds that the object is missing, and judges no other answer", async () => {
    expect(await foundIn(checkOf(id), { [path]: { body: {} } })).toEqual([]);
    expect(await foundIn(checkOf(id), { [path]: apiRefusal(404) })).toEqual([{ kind }]);
    expect(await foundIn(checkOf(id), { [path]: apiRefusal(403) })).toContain("HTTP-Code: 403");
  });

  test("asks nothing where machines join by their role", async () => {
    expect(await foundIn(checkOf(id), {}, { facts: { profile: byRole } })).toEqual([]);
  });
});

test("The obstacles to a launch are those of the cluster's facts", async () => {
  const api = {
    "GET /apis/config.openshift.io/v1/infrastructures/cluster": {
      body: { status: { platformStatus: { type: "None" } } },
    },
    "GET /apis/operator.openshift.io/v1/networks/cluster": apiRefusal(404),
    "GET /api/v1/namespaces/openshift-dns/services/dns-default": apiRefusal(404),
    "GET /apis/apps/v1/namespaces/openshift-windows-machine-config-operator/deployments/windows-machine-config-operator":
      apiRefusal(404),
    "GET /api/v1/nodes": listOf(),
  };
  const aws = { DescribeSecurityGroups: xml("DescribeSecurityGroups") };
  expect(await foundIn(checkOf("launch-obstacles"), api, { aws })).toEqual([
    { kind: "no-cloud-controller", platform: "None" },
  ]);
});

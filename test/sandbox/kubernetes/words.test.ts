import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Ask, StillCluster } from "./cluster.ts";
import { linuxNode, stillCluster } from "./cluster.ts";

let cluster: StillCluster;

const RBAC = { apiGroup: "rbac.authorization.k8s.io" };
const roles = "/apis/rbac.authorization.k8s.io/v1";
const reviews = "/apis/authorization.k8s.io/v1";
const person = (name: string) => ({ kind: "User", ...RBAC, name });

beforeAll(async () => {
  cluster = await stillCluster();
  cluster.api.create(linuxNode("worded"));
});
afterAll(() => cluster.stop());

describe("an authoriser's reason", () => {
  const bind = async (path: string, kind: string, name: string, role: string, subject: object) =>
    cluster.admin(`POST ${roles}${path}`, {
      apiVersion: `${RBAC.apiGroup}/v1`,
      kind,
      metadata: { name },
      roleRef: { ...RBAC, kind: "ClusterRole", name: role },
      subjects: [subject],
    });
  const mayRead = async (user: string, namespace: string) => {
    const spec = { user, resourceAttributes: { verb: "get", resource: "configmaps", namespace } };
    return (await cluster.admin(`POST ${reviews}/subjectaccessreviews`, { spec })).body.status;
  };
  beforeAll(async () => {
    await cluster.admin(`POST ${roles}/clusterroles`, {
      apiVersion: `${RBAC.apiGroup}/v1`,
      kind: "ClusterRole",
      metadata: { name: "worded-reader" },
      rules: [{ verbs: ["get"], apiGroups: [""], resources: ["configmaps"] }],
    });
    const account = { kind: "ServiceAccount", name: "look", namespace: "casement" };
    await bind("/clusterrolebindings", "ClusterRoleBinding", "worded", "worded-reader", account);
    const inDefault = "/namespaces/default/rolebindings";
    await bind(inDefault, "RoleBinding", "worded", "worded-reader", person("wilma"));
    await bind(inDefault, "RoleBinding", "worded-lost", "worded-gone", person("wanda"));
  });

  test.each([
    [
      "a ClusterRoleBinding",
      "system:serviceaccount:casement:look",
      "kube-public",
      true,
      'RBAC: allowed by ClusterRoleBinding "worded" of ClusterRole "worded-reader" to ServiceAccount "look/casement"',
    ],
    [
      "a RoleBinding",
      "wilma",
      "default",
      true,
      'RBAC: allowed by RoleBinding "worded/default" of ClusterRole "worded-reader" to User "wilma"',
    ],
    ["no binding", "wilma", "kube-public", false, undefined],
    [
      "a binding whose role does not exist",
      "wanda",
      "default",
      false,
      'RBAC: clusterrole.rbac.authorization.k8s.io "worded-gone" not found',
    ],
  ])("names %s in a review", async (_what, user, namespace, allowed, reason) => {
    const said = await mayRead(user, namespace);
    expect([said.allowed, said.reason]).toEqual([allowed, reason]);
  });

  test("names the missing role in the refusal too", async () => {
    const { body } = await cluster.as("wanda")("GET /api/v1/namespaces/default/configmaps/any");
    expect(body.message).toBe(
      'configmaps "any" is forbidden: User "wanda" cannot get resource "configmaps" in API group "" in the namespace "default": RBAC: clusterrole.rbac.authorization.k8s.io "worded-gone" not found',
    );
  });

  test.each([
    ["GET /api/v1/nodes/other", "node 'worded' cannot read 'other', only its own Node object"],
    ["GET /api/v1/nodes", "node 'worded' cannot read all nodes, only its own Node object"],
    ["GET /api/v1/pods", "can only list/watch pods with spec.nodeName field selector"],
    ["GET /api/v1/secrets", "can only read namespaced object of this type"],
    ["GET /api/v1/namespaces/default/secrets", "No Object name found"],
    ["GET /api/v1/namespaces/default/secrets/s", "no relationship found between node 'worded' and this object"],
    [
      "GET /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/other",
      "can only access node lease with the same name as the requesting node",
    ],
    [
      "GET /apis/coordination.k8s.io/v1/namespaces/default/leases/worded",
      'can only access leases in the "kube-node-lease" system namespace',
    ],
  ])("tells a kubelet why it is refused: %s", async (line, reason) => {
    const kubelet: Ask = cluster.as("system:node:worded", ["system:nodes"]);
    const { status, body } = await kubelet(line);
    expect([status, body.message]).toEqual([403, expect.stringMatching(/is forbidden: User "system:node:worded" cannot/)]);
    expect(body.message.endsWith(`: ${reason}`)).toBe(true);
  });

  test("leaves the change of another Node to admission, which names both", async () => {
    cluster.api.create(linuxNode("another"));
    const kubelet = cluster.as("system:node:worded", ["system:nodes"]);
    const headers = { "content-type": "application/merge-patch+json" };
    const { status, body } = await kubelet("PATCH /api/v1/nodes/another", { metadata: { labels: { a: "b" } } }, headers);
    expect([status, body.message]).toEqual([
      403,
      'nodes "another" is forbidden: node "worded" is not allowed to modify node "another"',
    ]);
  });
});

describe("a review of oneself", () => {
  test("is dated and has no spec", async () => {
    const { status, body } = await cluster.admin("POST /apis/authentication.k8s.io/v1/selfsubjectreviews", {
      apiVersion: "authentication.k8s.io/v1",
      kind: "SelfSubjectReview",
    });
    expect([status, "spec" in body]).toEqual([201, false]);
    expect(Date.parse(body.metadata.creationTimestamp)).toBeGreaterThan(0);
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLIENT, requestFor, signingRequest } from "../sandbox/kubernetes/certificates.ts";
import { type Ask, linuxNode, type StillCluster, stillCluster } from "../sandbox/kubernetes/cluster.ts";

const BOT = "system:serviceaccount:casement:casement";
const patchType = { "content-type": "application/merge-patch+json" };
const foreign = { key: "example.com/maintenance", value: "true", effect: "NoSchedule" };
const own = { key: "casement.dev/starting", value: "true", effect: "NoSchedule" };

let cluster: StillCluster;
let bot: Ask;

const windowsNode = (name: string) => ({
  ...linuxNode(name, { "kubernetes.io/os": "windows", "example.com/team": "shop" }),
  spec: { podCIDR: "10.128.2.0/23", providerID: "aws:///us-west-2a/i-0123456789abcdef0", taints: [foreign, own] },
});

beforeAll(async () => {
  cluster = await stillCluster();
  cluster.api.create(linuxNode("lin"));
  cluster.api.create(windowsNode("win") as never);
  cluster.api.create(windowsNode("old") as never);
  cluster.api.create({ ...windowsNode("fresh"), spec: {} } as never);
  cluster.api.create({ ...windowsNode("serving"), spec: { taints: [foreign] } } as never);
  const spec = { nodeName: "win", containers: [{ name: "main", image: "pause" }] };
  const metadata = { name: "shop-1", namespace: "default" };
  cluster.api.create({ apiVersion: "v1", kind: "Pod", metadata, spec, status: { phase: "Running" } } as never);
  bot = cluster.as(BOT);
});
afterAll(() => cluster.stop());

const patch = (name: string, body: object) => bot(`PATCH /api/v1/nodes/${name}`, body, patchType);

/** What a real server says: pkg/admission/plugin/policy/validating/dispatcher.go. */
const denial = (policy: string, message: string): string =>
  `ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: ${message}`;

describe("the policies hold the bot", () => {
  const onlyWindows = "Casement may only act on nodes with the label kubernetes.io/os=windows";
  const onlySpec = "Of a Node's spec Casement may only change unschedulable and its own taints";
  const onlyLabels = "Casement may only set its own labels and those of its pools";
  it.each([
    ["labelling a Linux node", "lin", { metadata: { labels: { "casement.dev/pool": "web" } } }, onlyWindows],
    ["cordoning a Linux node", "lin", { spec: { unschedulable: true } }, onlyWindows],
    [
      "making a Linux node a Windows node",
      "lin",
      { metadata: { labels: { "kubernetes.io/os": "windows" } } },
      onlyWindows,
    ],
    ["taking the Windows label off", "win", { metadata: { labels: { "kubernetes.io/os": "linux" } } }, onlyLabels],
    ["setting somebody else's label", "win", { metadata: { labels: { "example.com/team": "bank" } } }, onlyLabels],
    ["removing somebody else's label", "win", { metadata: { labels: { "example.com/team": null } } }, onlyLabels],
    ["setting a provider id", "fresh", { spec: { providerID: "aws:///us-west-2a/i-0fedcba9876543210" } }, onlySpec],
    ["taking its pod network away", "win", { spec: { podCIDR: null } }, onlySpec],
    [
      "setting somebody else's taint",
      "win",
      { spec: { taints: [foreign, own, { key: "node.kubernetes.io/unreachable", effect: "NoExecute" }] } },
      "Casement may only set and remove taints below casement.dev/",
    ],
    [
      "removing somebody else's taint",
      "win",
      { spec: { taints: [own] } },
      "Casement may only set and remove taints below casement.dev/",
    ],
    [
      "driving pods off by a taint of its own",
      "win",
      { spec: { taints: [foreign, own, { ...own, effect: "NoExecute" }] } },
      "Casement may not take pods off a node by a taint",
    ],
    [
      "setting somebody else's annotation",
      "win",
      { metadata: { annotations: { "cluster-autoscaler.kubernetes.io/scale-down-disabled": "true" } } },
      "Casement may only set annotations below casement.dev/",
    ],
    [
      "setting a finalizer",
      "win",
      { metadata: { finalizers: ["casement.dev/hold"] } },
      "Casement may change neither finalizers nor owners of a Node",
    ],
  ])("back from %s", async (_what, name, body, message) => {
    const before = cluster.api.objects("nodes");
    const { status, body: said } = await patch(name, body);
    expect([status, said.reason]).toEqual([403, "Forbidden"]);
    expect(said.message).toBe(`nodes "${name}" is forbidden: ${denial("casement-nodes", message)}`);
    expect(cluster.api.objects("nodes")).toEqual(before);
  });

  it("behind the API server's own rule that a provider id never changes", async () => {
    const { status, body } = await patch("win", { spec: { providerID: "aws:///us-west-2a/i-0fedcba9876543210" } });
    expect([status, body.reason]).toEqual([422, "Invalid"]);
  });

  it("back from deleting a Linux node", async () => {
    const { status, body } = await bot("DELETE /api/v1/nodes/lin");
    expect(status).toBe(403);
    expect(body.message).toContain(denial("casement-nodes", onlyWindows));
  });

  it("back from deleting a Windows node in service, until it is cordoned", async () => {
    const { status, body } = await bot("DELETE /api/v1/nodes/serving");
    expect(status).toBe(403);
    expect(body.message).toContain("only delete a Node that is cordoned, not ready, or not yet in service");
    expect((await patch("serving", { spec: { unschedulable: true } })).status).toBe(200);
    expect((await bot("DELETE /api/v1/nodes/serving")).status).toBe(200);
  });

  it("back from killing a pod at once", async () => {
    const evict = (deleteOptions: object) => {
      const metadata = { name: "shop-1", namespace: "default" };
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata, deleteOptions };
      return bot("POST /api/v1/namespaces/default/pods/shop-1/eviction", eviction);
    };
    const { status, body } = await evict({ gracePeriodSeconds: 0 });
    expect(status).toBe(403);
    expect(body.message).toContain(denial("casement-evictions", "Casement may not end a pod without a time to end in"));
    expect(cluster.api.objects("pods").map((pod) => pod.metadata.deletionTimestamp)).toEqual([undefined]);
    expect((await evict({ gracePeriodSeconds: 30, dryRun: ["All"] })).status).toBe(201);
    expect((await evict({ dryRun: ["All"] })).status).toBe(201);
  });

  it.each([
    ["making a Node", "POST /api/v1/nodes", "create", "nodes"],
    ["replacing a Node whole", "PUT /api/v1/nodes/win", "update", "nodes"],
    ["writing a Node's status", "PATCH /api/v1/nodes/win/status", "patch", "nodes/status"],
    ["deleting all Nodes", "DELETE /api/v1/nodes", "deletecollection", "nodes"],
    ["deleting a pod", "DELETE /api/v1/namespaces/default/pods/shop-1", "delete", "pods"],
    ["reading secrets", "GET /api/v1/secrets", "list", "secrets"],
    ["making itself a role", "POST /apis/rbac.authorization.k8s.io/v1/clusterroles", "create", "clusterroles"],
    ["denying a request", "PATCH /apis/certificates.k8s.io/v1/certificatesigningrequests/x/approval", "patch", ""],
  ])("and its roles hold it back from %s", async (_what, line, verb, resource) => {
    const { status, body } = await bot(line, {});
    expect([status, body.reason]).toEqual([403, "Forbidden"]);
    expect(body.message).toContain(`User "${BOT}" cannot ${verb} resource "${resource}`);
  });

  it("and its roles hold it back from acting as somebody else", async () => {
    const { status, body } = await bot("GET /api/v1/nodes", undefined, { "impersonate-user": "admin" });
    expect([status, body.reason]).toEqual([403, "Forbidden"]);
    expect(body.message).toContain(`User "${BOT}" cannot impersonate resource "users"`);
  });

  it("back from tokens that live for a year, and lets it make those of half an hour", async () => {
    const path = "/api/v1/namespaces/openshift-machine-config-operator/serviceaccounts/node-bootstrapper/token";
    const asked = (expirationSeconds: number) => bot(`POST ${path}`, { spec: { audiences: [], expirationSeconds } });
    const long = await asked(365 * 24 * 3_600);
    expect(long.status).toBe(403);
    expect(long.body.message).toContain("tokens that expire within an hour");
    expect((await asked(1_800)).status).toBe(201);
  });

  it.each([
    ["its label", { metadata: { labels: { "casement.dev/pool": "web", "node-role.kubernetes.io/worker": "" } } }],
    ["its annotation", { metadata: { annotations: { "casement.dev/operation": "add-1" } } }],
    ["a cordon", { spec: { unschedulable: true } }],
    ["an end of the cordon", { spec: { unschedulable: null } }],
    ["its taint away", { spec: { taints: [foreign] } }],
    ["its taint back", { spec: { taints: [foreign, own] } }],
  ])("and lets it write %s", async (_what, body) => {
    expect((await patch("win", body)).status).toBe(200);
  });

  it("and lets it delete a Windows node", async () => {
    expect((await bot("DELETE /api/v1/nodes/old")).status).toBe(200);
  });

  it("and nobody else", async () => {
    const body = { metadata: { labels: { "example.com/team": "bank" } } };
    expect((await cluster.admin("PATCH /api/v1/nodes/lin", body, patchType)).status).toBe(200);
  });
});

describe("signing requests", () => {
  const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  /** Another role grants more than ours: RBAC alone would now let it through. */
  const allowEverything = () =>
    cluster.api.create({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "too-much" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "ServiceAccount", name: "casement", namespace: "casement" }],
    } as never);

  const decide = async (name: string, signer: string, usages: string[], type: string) => {
    const { requestPem } = await requestFor("O=system:nodes, CN=system:node:win");
    const made = await cluster.admin(`POST ${path}`, signingRequest(name, requestPem, signer, usages));
    expect(made.status).toBe(201);
    const conditions = [{ type, status: "True", reason: "Test", message: "" }];
    return bot(`PUT ${path}/${name}/approval`, { ...made.body, status: { conditions } });
  };

  it("are approved for the kubelets' signers only, whatever other roles grant, and never denied", async () => {
    allowEverything();
    const client = ["digital signature", "client auth"];
    const other = await decide("other", "kubernetes.io/kube-apiserver-client", client, "Approved");
    expect(other.status).toBe(403);
    expect(other.body.message).toContain("only approve for the two signers of kubelets");
    expect((await decide("no", CLIENT, client, "Denied")).body.message).toContain("not deny it");
    expect((await decide("yes", CLIENT, client, "Approved")).status).toBe(200);
    const created = await bot("POST /api/v1/nodes", { metadata: { name: "made-up" } });
    expect(created.body.message).toContain("neither creates Nodes nor writes their subresources");
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Account, accounts, userOf } from "../../lambdas/cluster/accounts.ts";
import { CLIENT, requestFor, SERVING, signingRequest } from "../sandbox/kubernetes/certificates.ts";
import { type Ask, linuxNode, type StillCluster, stillCluster } from "../sandbox/kubernetes/cluster.ts";
import { patchNode, writtenNodes } from "../sandbox/kubernetes/written-nodes.ts";

const ACT = userOf("act");
const foreign = { key: "example.com/maintenance", value: "true", effect: "NoSchedule" };
const own = { key: "casement.dev/starting", value: "true", effect: "NoSchedule" };

/** The annotation that shows who cordoned a node. */
const unknown = { type: "Ready", status: "Unknown", reason: "NodeStatusUnknown", message: "Kubelet stopped posting" };
const owner = (operation: string | null) => ({ "casement.dev/cordoned-by": operation });

let cluster: StillCluster;
let act: Ask;
let join: Ask;

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
  cluster.api.create({ ...windowsNode("gone"), spec: {}, status: { conditions: [unknown] } } as never);
  const spec = { nodeName: "win", containers: [{ name: "main", image: "pause" }] };
  const metadata = { name: "shop-1", namespace: "default" };
  cluster.api.create({ apiVersion: "v1", kind: "Pod", metadata, spec, status: { phase: "Running" } } as never);
  act = cluster.as(ACT);
  join = cluster.as(userOf("join"));
});
afterAll(() => cluster.stop());

const nodesAsWritten = () => writtenNodes(cluster);
const patch = (name: string, body: object, as: Ask = act) => patchNode(cluster, as, name, body);

/** Denial of a real server: pkg/admission/plugin/policy/validating/dispatcher.go. */
const denial = (policy: string, message: string): string =>
  `ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: ${message}`;

describe("the policies hold the account that acts", () => {
  const onlyWindows = "Casement may only act on nodes with the label kubernetes.io/os=windows";
  const onlySpec = "Of a Node's spec Casement may only change unschedulable and its own taints";
  const onlyLabels = "Casement may only set its own labels and those of its pools";
  it.each([
    ["labelling a Linux node", "lin", { metadata: { labels: { "casement.dev/pool": "web" } } }, onlyWindows],
    ["naming an owner on a Linux node", "lin", { metadata: { annotations: owner("remove-1") } }, onlyWindows],
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
    const before = await nodesAsWritten();
    const { status, body: said } = await patch(name, body);
    expect([status, said.reason]).toEqual([403, "Forbidden"]);
    expect(said.message).toBe(`nodes "${name}" is forbidden: ${denial("casement-nodes", message)}`);
    expect(await nodesAsWritten()).toEqual(before);
  });

  it.each([
    ["a provider id", { providerID: "aws:///us-west-2a/i-0fedcba9876543210" }],
    ["a pod network", { podCIDR: "10.128.4.0/23" }],
    ["a pod network that is taken away", { podCIDR: null, podCIDRs: null }],
  ])("behind the API server's own rule that %s never changes", async (_what, spec) => {
    const { status, body } = await patch("win", { spec });
    expect([status, body.reason]).toEqual([422, "Invalid"]);
  });

  it("back from deleting a Linux node", async () => {
    const { status, body } = await act("DELETE /api/v1/nodes/lin");
    expect(status).toBe(403);
    expect(body.message).toContain(denial("casement-nodes", onlyWindows));
  });

  it.each([
    ["as it is", {}, 200],
    ["that it has cordoned itself", { spec: { unschedulable: true } }, 200],
    ["with the mark of an operation", { metadata: { annotations: owner("remove-1") } }, 200],
    ["with a taint of its own", { spec: { taints: [foreign, { key: "casement.dev/x", effect: "NoSchedule" }] } }, 200],
    ["that it calls not yet in service", { spec: { taints: [foreign, own] } }, 403],
  ])("back from deleting a Windows node that is Ready, %s", async (what, change, written) => {
    // A Node of its own: without a kubelet it is Ready for a short time only, and a cordon brings a taint of the cluster.
    const name = `serving-${what.replaceAll(" ", "-")}`;
    cluster.api.create({ ...windowsNode(name), spec: { taints: [foreign] } } as never);
    expect((await patch(name, change)).status).toBe(written);
    const { status, body } = await act(`DELETE /api/v1/nodes/${name}`);
    expect(status).toBe(403);
    expect(body.message).toContain("only delete a Node that is not ready, or not yet in service");
  });

  it("back from killing a pod at once", async () => {
    const evict = (deleteOptions: object) => {
      const metadata = { name: "shop-1", namespace: "default" };
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata, deleteOptions };
      return act("POST /api/v1/namespaces/default/pods/shop-1/eviction", eviction);
    };
    const { status, body } = await evict({ gracePeriodSeconds: 0 });
    expect(status).toBe(403);
    expect(body.message).toContain(denial("casement-evictions", "Casement may not end a pod without a time to end in"));
    const shop = (await cluster.objects("pods")).filter((pod) => pod.metadata.name === "shop-1");
    expect(shop.map((pod) => pod.metadata.deletionTimestamp)).toEqual([undefined]);
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
    const { status, body } = await act(line, {});
    expect([status, body.reason]).toEqual([403, "Forbidden"]);
    expect(body.message).toContain(`User "${ACT}" cannot ${verb} resource "${resource}`);
  });

  it("and its roles hold it back from impersonation", async () => {
    const { status, body } = await act("GET /api/v1/nodes", undefined, { "impersonate-user": "admin" });
    // 1.36 judges impersonation for each verb, and names another resource.
    const words = expect.stringMatching(`User "${ACT}" cannot impersonate(?:-on:\\S+)? resource "(?:users|nodes)"`);
    expect([status, body.reason, body.message]).toEqual([403, "Forbidden", words]);
  });

  it.each([
    ["its label", { metadata: { labels: { "casement.dev/pool": "web", "node-role.kubernetes.io/worker": "" } } }],
    ["its annotation", { metadata: { annotations: { "casement.dev/operation": "add-1" } } }],
    // Taints first: the node controller answers a cordon with a taint of its own, which stays for a while and which the bot may not write away.
    ["its taint away", { spec: { taints: [foreign] } }],
    ["another taint of its own", { spec: { taints: [foreign, { ...own, key: "casement.dev/other" }] } }],
    ["a cordon in place of its taint", { spec: { unschedulable: true, taints: [foreign] } }],
    ["an end of the cordon", { spec: { unschedulable: null } }],
    ["a cordon", { spec: { unschedulable: true } }],
    ["a cordon with its owner", { metadata: { annotations: owner("remove-1") }, spec: { unschedulable: true } }],
    ["an end of both", { metadata: { annotations: owner(null) }, spec: { unschedulable: null } }],
  ])("and lets it write %s", async (_what, body) => {
    expect((await patch("win", body)).status).toBe(200);
  });

  it("and lets it delete a Windows node", async () => {
    expect((await act("DELETE /api/v1/nodes/old")).status).toBe(200);
  });
});

/** Other roles grant more than Casement's: RBAC alone would allow everything. */
async function allowEverything(): Promise<void> {
  const bound = await cluster.objects("clusterrolebindings", "rbac.authorization.k8s.io");
  if (bound.some(({ metadata }) => metadata.name === "too-much")) return;
  const metadata = { name: "default", namespace: "casement" };
  cluster.api.create({ apiVersion: "v1", kind: "ServiceAccount", metadata } as never);
  cluster.api.create({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "too-much" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [...accounts, "default"].map((name) => ({ kind: "ServiceAccount", name, namespace: "casement" })),
  } as never);
}

describe("the policies hold every account of the namespace, whatever other roles grant", () => {
  const stranger = "system:serviceaccount:casement:default";

  beforeAll(allowEverything);

  it.each([userOf("look"), stranger])("%s changes no Node", async (user) => {
    const body = { metadata: { labels: { "casement.dev/pool": "web" } } };
    const refused = await patch("win", body, cluster.as(user));
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain("only the accounts act and join may change Nodes");
  });

  it.each([userOf("look"), userOf("join"), stranger])("%s evicts no pod", async (user) => {
    const metadata = { name: "shop-1", namespace: "default" };
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata, deleteOptions: { dryRun: ["All"] } };
    const refused = await cluster.as(user)("POST /api/v1/namespaces/default/pods/shop-1/eviction", eviction);
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain("only the account act may evict pods");
  });

  it("join labels, opens and deletes Windows nodes as act does, and no others", async () => {
    const body = { metadata: { labels: { "casement.dev/pool": "web" } } };
    expect((await patch("win", body, join)).status).toBe(200);
    expect((await patch("win", { spec: { taints: [foreign] } }, join)).status).toBe(200);
    expect((await patch("lin", body, join)).body.message).toContain("only act on nodes with the label");
    cluster.api.create({ ...windowsNode("ready"), spec: {} } as never);
    expect((await join("DELETE /api/v1/nodes/ready")).body.message).toContain("only delete a Node that is not ready");
    expect((await join("DELETE /api/v1/nodes/gone")).status).toBe(200);
  });

  it("makes no Node and writes no subresource of one", async () => {
    const created = await act("POST /api/v1/nodes", { metadata: { name: "made-up" } });
    expect(created.body.message).toContain("neither creates Nodes nor writes their subresources");
  });

  it("no other account is held", async () => {
    const body = { metadata: { labels: { "example.com/team": "bank" } } };
    expect((await patch("lin", body, cluster.admin)).status).toBe(200);
  });

  describe("tokens", () => {
    const tokenPath = (account: string, namespace = "casement") =>
      `POST /api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
    const bound = (name: string, expirationSeconds = 86_400) => ({
      spec: { audiences: [], expirationSeconds, boundObjectRef: { apiVersion: "v1", kind: "Secret", name } },
    });

    it.each(accounts)(
      "%s makes one for itself for a day, bound to its Secret, and the API server accepts it",
      async (account) => {
        const { status, body } = await cluster.as(userOf(account))(tokenPath(account), bound(account));
        expect([status, body.spec?.expirationSeconds]).toEqual([201, 86_400]);
        const claims = JSON.parse(Buffer.from(body.status.token.split(".")[1], "base64url").toString());
        const secret = (await cluster.objects("secrets")).find(({ metadata }) => metadata.name === account);
        expect(claims["kubernetes.io"].secret).toEqual({ name: account, uid: secret?.metadata.uid });
      },
    );

    it.each<[string, Account, string, object, string]>([
      ["of another account", "look", "join", bound("join"), "only make tokens of itself"],
      ["of another account of the namespace", "act", "default", bound("act"), "only make tokens of itself"],
      ["that is bound to nothing", "join", "join", { spec: { expirationSeconds: 3_600 } }, "bound to the Secret"],
      [
        "that is bound to nothing, said as null",
        "join",
        "join",
        { spec: { boundObjectRef: null } },
        "bound to the Secret",
      ],
      ["that ends with another account's Secret", "look", "look", bound("join"), "bound to the Secret of its name"],
      [
        "that ends with a pod",
        "act",
        "act",
        { spec: { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "act" } } },
        "bound to the Secret of its name",
      ],
      ...["sts.amazonaws.com", "openshift", "api://AzureADTokenExchange", "https://iam.googleapis.com/projects/1"].map(
        (audience): [string, Account, string, object, string] => [
          `for ${audience}`,
          "act",
          "act",
          { spec: { ...bound("act").spec, audiences: ["https://kubernetes.default.svc", audience] } },
          "only make tokens for the API server",
        ],
      ),
      ["for longer than a day", "act", "act", bound("act", 86_401), "expire within a day"],
    ])("none %s", async (_what, account, of, body, why) => {
      const refused = await cluster.as(userOf(account))(tokenPath(of), body);
      expect(refused.body).toMatchObject({ code: 403, reason: "Forbidden", message: expect.stringContaining(why) });
    });

    const forJoining = tokenPath("node-bootstrapper", "openshift-machine-config-operator");

    it("join makes the tokens that machines join with, for half an hour at most", async () => {
      const asked = (expirationSeconds: number) => join(forJoining, { spec: { audiences: [], expirationSeconds } });
      expect((await asked(1_801)).body.message).toContain("join tokens that expire within half an hour");
      expect((await asked(365 * 24 * 3_600)).status).toBe(403);
      expect((await join(forJoining, { spec: { audiences: [] } })).status).toBe(403);
      expect((await asked(1_800)).status).toBe(201);
      expect((await asked(600)).status).toBe(201);
    });

    it.each(["look", "act"] as const)("%s makes no token that machines join with", async (account) => {
      const refused = await cluster.as(userOf(account))(forJoining, { spec: { expirationSeconds: 600 } });
      expect(refused.body.message).toContain("only make tokens of itself");
    });

    it("other accounts keep their right to make tokens", async () => {
      expect((await cluster.admin(tokenPath("join"), { spec: { expirationSeconds: 600 } })).status).toBe(201);
    });
  });
});

describe("signing requests", () => {
  beforeAll(allowEverything);

  const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  const client = ["digital signature", "client auth"];
  const serving = ["digital signature", "server auth"];
  const bootstrapper = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper";
  let made = 0;

  /** Answer to the decision of `decider` about a certificate that `asker` has requested. */
  const decide = async (asker: Ask, signer: string, usages: string[], type: string, decider: Ask) => {
    made += 1;
    const { requestPem } = await requestFor("O=system:nodes, CN=system:node:win");
    const request = await asker(`POST ${path}`, signingRequest(`request-${made}`, requestPem, signer, usages));
    expect(request.status).toBe(201);
    const status = { conditions: [{ type, status: "True", reason: "Test", message: "" }] };
    const metadata = { ...request.body.metadata, resourceVersion: undefined }; // A controller may write at the same time.
    return decider(`PUT ${path}/request-${made}/approval`, { ...request.body, metadata, status });
  };
  const machine = () => cluster.as(bootstrapper);
  const kubelet = () => cluster.as("system:node:win", ["system:nodes"]);

  it("are approved by join for the kubelets' signers, when a join token or a node has asked", async () => {
    expect((await decide(machine(), CLIENT, client, "Approved", join)).status).toBe(200);
    expect((await decide(kubelet(), SERVING, serving, "Approved", join)).status).toBe(200);
  });

  it("are not approved when another user has asked", async () => {
    const words = "only approve what a join token or a node has asked for";
    for (const [asker, signer, usages] of [
      [cluster.admin, CLIENT, client],
      [cluster.admin, SERVING, serving],
      [kubelet(), CLIENT, client],
      [machine(), SERVING, serving],
    ] as const)
      expect((await decide(asker, signer, [...usages], "Approved", join)).body.message).toContain(words);
  });

  it("are approved for no other signer, and never denied", async () => {
    const other = await decide(cluster.admin, "kubernetes.io/kube-apiserver-client", client, "Approved", join);
    expect(other.body.message).toContain("only approve for the two signers of kubelets");
    expect((await decide(machine(), CLIENT, client, "Denied", join)).body.message).toContain("not deny it");
  });

  it.each(["look", "act"] as const)("are not approved by %s", async (account) => {
    const refused = await decide(machine(), CLIENT, client, "Approved", cluster.as(userOf(account)));
    expect(refused.body.message).toContain("only the account join may approve signing requests");
  });

  it("are created by no account of the bot", async () => {
    const { requestPem } = await requestFor("O=system:nodes, CN=system:node:win");
    const request = signingRequest("own", requestPem, CLIENT, client);
    expect((await join(`POST ${path}`, request)).body.message).toContain("may only approve signing requests");
  });
});

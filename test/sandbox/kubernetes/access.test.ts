import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import { CLIENT, requestFor, SERVING, signingRequest } from "./certificates.ts";
import { type Ask, linuxNode, NOON, needsKind, type StillCluster, stillCluster } from "./cluster.ts";

let cluster: StillCluster;

const BOT = "system:serviceaccount:casement:act";
const csrs = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const MERGE = { "content-type": "application/merge-patch+json" };

const kubelet = (name: string): Ask => cluster.as(`system:node:${name}`, ["system:nodes"]);

beforeEach(async () => {
  cluster = await stillCluster();
});
afterEach(() => cluster.stop());

describe("authentication", () => {
  const with_ = async (headers: Record<string, string>, clientCertificate?: string) => {
    const request = { method: "GET", url: "/version", headers, body: new Uint8Array() };
    return (await cluster.api.answer(request, clientCertificate ? { clientCertificate } : undefined)).status;
  };
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  test("refuses a request without a credential", async () => {
    expect(await with_({})).toBe(401);
    expect(await with_(bearer("a.b.c"))).toBe(401);
    expect(await with_(bearer(""))).toBe(401);
  });

  test("accepts a token until it expires", async () => {
    const token = cluster.api.issueToken({ name: BOT }, 600);
    expect(await with_(bearer(token))).toBe(200);
    await cluster.pass(600);
    expect(await with_(bearer(token))).toBe(401);
  });

  test("refuses a token whose claims were changed, and one signed by another cluster", async () => {
    const [header, , signature] = cluster.api.issueToken({ name: "visitor" }, null).split(".");
    const forged = Buffer.from(JSON.stringify({ sub: "admin", groups: ["system:masters"] })).toString("base64url");
    expect(await with_(bearer(`${header}.${forged}.${signature}`))).toBe(401);
    const other = await stillCluster(openStore(":memory:"));
    expect(await with_(bearer(other.api.issueToken({ name: "admin", groups: ["system:masters"] }, null)))).toBe(401);
    await other.stop();
  });

  test("records in a signing request the token or certificate of the requester, whatever the client writes", async () => {
    const { requestPem } = await requestFor("O=system:nodes, CN=system:node:n");
    const body = signingRequest("by-token", requestPem, CLIENT, ["digital signature", "client auth"]);
    const forged = { "authentication.kubernetes.io/credential-id": ["JTI=another"] };
    const account = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper";
    const path = "/apis/authentication.k8s.io/v1/tokenreviews";
    const { body: token } = await cluster.admin(
      "POST /api/v1/namespaces/openshift-machine-config-operator/serviceaccounts/node-bootstrapper/token",
      { spec: { expirationSeconds: 600 } },
    );
    const claims = JSON.parse(Buffer.from(token.status.token.split(".")[1], "base64url").toString("utf8"));
    expect(claims.exp - claims.iat).toBe(600);
    const id = { "authentication.kubernetes.io/credential-id": [`JTI=${claims.jti}`] };
    const request = { ...body, spec: { ...body.spec, extra: forged, username: "somebody-else" } };
    const headers = { authorization: `Bearer ${token.status.token}` };
    const { body: made } = await cluster.admin(`POST ${csrs}`, request, headers);
    expect(made.spec).toMatchObject({ username: account, extra: id });
    const { body: changed } = await cluster.admin(`PUT ${csrs}/by-token`, {
      ...made,
      spec: { ...made.spec, extra: forged },
    });
    expect(changed.spec.extra).toEqual(id);
    const review = await cluster.admin(`POST ${path}`, { spec: { token: token.status.token } });
    expect(review.body.status.user.extra).toEqual(id);
    const { certificate } = await cluster.api.adminCredentials();
    const selves = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const asked = { method: "POST", url: selves, headers: {}, body: Buffer.from("{}") };
    const answer = await cluster.api.answer(asked, { clientCertificate: certificate });
    const { userInfo } = JSON.parse(String(answer.body)).status;
    expect(userInfo.extra["authentication.kubernetes.io/credential-id"]).toEqual([
      expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/),
    ]);
  });

  test("invalidates a service account's tokens with the account", async () => {
    const token = cluster.api.issueToken({ name: BOT }, null);
    await cluster.admin("DELETE /api/v1/namespaces/casement/serviceaccounts/act");
    expect(await with_(bearer(token))).toBe(401);
  });

  test("accepts client certificates of its own authority while they are valid", async () => {
    const { certificate } = await cluster.api.adminCredentials();
    expect(await with_({}, certificate)).toBe(200);
    const other = await stillCluster(openStore(":memory:"));
    expect(await with_({}, (await other.api.adminCredentials()).certificate)).toBe(401);
    expect(await with_({}, cluster.api.serverCertificate.certificate)).toBe(401);
    await other.stop();
    await cluster.pass(366 * 24 * 3600);
    expect(await with_({}, certificate)).toBe(401);
  });
});

describe("permissions of the bot", () => {
  let bot: Ask;
  beforeEach(() => {
    bot = cluster.as(BOT);
    cluster.api.create({ ...linuxNode("n", { "kubernetes.io/os": "windows" }), spec: { unschedulable: true } });
  });

  test.each([
    "GET /api/v1/nodes",
    "GET /api/v1/pods",
    "GET /apis/policy/v1/poddisruptionbudgets",
    `GET ${csrs}`,
    "GET /apis/machine.openshift.io/v1beta1/machines",
    "GET /api/v1/namespaces/default/events",
  ])("allows %s", async (line) => {
    await needsKind(cluster, line);
    expect((await bot(line)).status).toBe(200);
  });

  test("allows the deletion of a Node whose kubelet is silent", async () => {
    const conditions = [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown", message: "silent" }];
    cluster.api.create({ ...linuxNode("silent", { "kubernetes.io/os": "windows" }), status: { conditions } });
    expect((await bot("DELETE /api/v1/nodes/silent")).status).toBe(200);
    expect((await bot("DELETE /api/v1/nodes/n")).status).toBe(403);
  });

  test.each([
    [
      "GET /api/v1/secrets",
      'secrets is forbidden: User "system:serviceaccount:casement:act" cannot list resource "secrets" in API group "" at the cluster scope',
    ],
    [
      "DELETE /api/v1/namespaces/default/pods/p",
      'pods "p" is forbidden: User "system:serviceaccount:casement:act" cannot delete resource "pods" in API group "" in the namespace "default"',
    ],
    [
      "POST /api/v1/nodes",
      'nodes is forbidden: User "system:serviceaccount:casement:act" cannot create resource "nodes" in API group "" at the cluster scope',
    ],
    [
      "PUT /api/v1/nodes/n/status",
      'nodes "n" is forbidden: User "system:serviceaccount:casement:act" cannot update resource "nodes/status" in API group "" at the cluster scope',
    ],
    [
      "PATCH /apis/machine.openshift.io/v1beta1/namespaces/a/machines/m",
      'machines.machine.openshift.io "m" is forbidden: User "system:serviceaccount:casement:act" cannot patch resource "machines" in API group "machine.openshift.io" in the namespace "a"',
    ],
    ["GET /metrics", 'forbidden: User "system:serviceaccount:casement:act" cannot get path "/metrics"'],
  ])("refuses %s in Kubernetes' words", async (line, words) => {
    const { status, body } = await bot(line);
    expect([status, body.reason, body.message]).toEqual([403, "Forbidden", words]);
  });

  test("reads only the one ConfigMap and asks only for the one token", async () => {
    const operator = "/api/v1/namespaces/openshift-windows-machine-config-operator/configmaps";
    expect((await bot(`GET ${operator}/windows-instances`)).status).toBe(404);
    expect((await bot(`GET ${operator}/other`)).status).toBe(403);
    expect((await bot(`GET ${operator}`)).status).toBe(403);
    const accounts = "/api/v1/namespaces/openshift-machine-config-operator/serviceaccounts";
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 600 } };
    const joiner = cluster.as("system:serviceaccount:casement:join");
    const { status, body, headers } = await joiner(`POST ${accounts}/node-bootstrapper/token`, request);
    expect(status).toBe(201);
    const life = Date.parse(body.status.expirationTimestamp) - Date.parse(headers.date ?? "");
    expect(Math.abs(life - 600_000)).toBeLessThan(2_000);
    expect((await joiner(`POST ${accounts}/default/token`, request)).status).toBe(403);
    const short = { ...request, spec: { expirationSeconds: 599 } };
    const refused = await joiner(`POST ${accounts}/node-bootstrapper/token`, short);
    expect([refused.status, refused.body.message]).toEqual([
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ]);
  });

  test("may not impersonate others", async () => {
    const { status, body } = await bot("GET /api/v1/nodes", undefined, {
      "impersonate-user": "admin",
      "impersonate-group": "system:masters",
    });
    // 1.36 judges impersonation for each verb, and names another resource.
    const words = expect.stringMatching(/cannot impersonate(?:-on:\S+)? resource "(?:users|nodes)"/);
    expect([status, body.message]).toEqual([403, words]);
  });

  test("has no star in its manifest", () => {
    const text = readFileSync(new URL("../../../lib/manifests/cluster-access.yaml", import.meta.url), "utf8");
    const rules = parseAllDocuments(text).flatMap((one) => (one.toJS()?.rules ?? []) as Record<string, string[]>[]);
    expect(rules.length).toBeGreaterThan(10);
    expect(rules.flatMap((rule) => Object.values(rule).flat())).not.toContain("*");
  });
});

describe("approving", () => {
  const requested = async (name: string, signer: string, usages: string[]) => {
    const { requestPem } = await requestFor("O=system:nodes, CN=system:node:n");
    const machine = cluster.as("system:serviceaccount:openshift-machine-config-operator:node-bootstrapper");
    await machine(`POST ${csrs}`, signingRequest(name, requestPem, signer, usages));
    const { body } = await cluster.admin(`GET ${csrs}/${name}`);
    return {
      ...body,
      status: {
        conditions: [{ type: "Approved", status: "True", reason: "Test", lastUpdateTime: "2026-11-21T12:00:00Z" }],
      },
    };
  };

  test("needs the right on the signer and the right on the request", async () => {
    const bot = cluster.as("system:serviceaccount:casement:join");
    const kubeletRequest = await requested("a", CLIENT, ["digital signature", "client auth"]);
    expect((await bot(`PUT ${csrs}/a/approval`, kubeletRequest)).status).toBe(200);
    const personRequest = await requested("b", "kubernetes.io/kube-apiserver-client", [
      "digital signature",
      "client auth",
    ]);
    const { status, body } = await bot(`PUT ${csrs}/b/approval`, personRequest);
    expect([status, body.message]).toEqual([
      403,
      'certificatesigningrequests.certificates.k8s.io "b" is forbidden: user not permitted to approve requests with signerName "kubernetes.io/kube-apiserver-client"',
    ]);
  });

  test("ignores a signer that the approver writes into the body", async () => {
    const request = await requested("b", "kubernetes.io/kube-apiserver-client", ["digital signature", "client auth"]);
    const body = { ...request, spec: { ...request.spec, signerName: CLIENT } };
    expect((await cluster.as(BOT)(`PUT ${csrs}/b/approval`, body)).status).toBe(403);
  });

  test("writes the requester itself and refuses an invalid request", async () => {
    const { requestPem } = await requestFor("O=system:nodes, CN=system:node:n");
    const liar = signingRequest("c", requestPem, SERVING, ["digital signature", "server auth"]);
    const { body } = await kubelet("n")(`POST ${csrs}`, { ...liar, spec: { ...liar.spec, username: "admin" } });
    expect(body.spec).toMatchObject({ username: "system:node:n", groups: ["system:nodes", "system:authenticated"] });
    const nonsense = await cluster.admin(`POST ${csrs}`, signingRequest("d", "no PEM", "short", ["flying"]));
    expect(nonsense.body.details.causes.map((cause: { field: string }) => cause.field)).toEqual([
      "spec.request",
      "spec.usages[0]",
      "spec.signerName",
    ]);
  });
});

describe("permissions of a kubelet", () => {
  const self = (labels: Record<string, string> = {}) => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "win", labels },
    spec: {},
  });

  test("registers only itself", async () => {
    const ask = kubelet("win");
    expect((await ask("POST /api/v1/nodes", self({ "node.kubernetes.io/windows-build": "10.0.20348" }))).status).toBe(
      201,
    );
    const { status, body } = await ask("POST /api/v1/nodes", { ...self(), metadata: { name: "other" } });
    expect([status, body.message]).toEqual([
      403,
      'nodes "other" is forbidden: node "win" is not allowed to modify node "other"',
    ]);
  });

  test("sets no reserved labels and does not touch its taints", async () => {
    const ask = kubelet("win");
    expect((await ask("POST /api/v1/nodes", self({ "node-restriction.kubernetes.io/pool": "web" }))).status).toBe(403);
    await ask("POST /api/v1/nodes", self());
    const { body } = await ask(
      "PATCH /api/v1/nodes/win",
      { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } },
      MERGE,
    );
    expect(body.message).toContain('node "win" is not allowed to modify taints');
    expect(
      (await ask("PATCH /api/v1/nodes/win/status", { metadata: { annotations: { a: "b" } }, status: {} }, MERGE)).body
        .metadata.annotations,
    ).toMatchObject({ a: "b" });
  });

  test("keeps its own lease, reads its own pods, and no others", async () => {
    // The cluster's own Linux kubelets make their leases themselves.
    cluster.api.create(linuxNode("win", { "kubernetes.io/os": "windows" }));
    const ask = kubelet("win");
    const lease = (name: string) => ({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name },
      spec: {},
    });
    const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    expect((await ask(`POST ${leases}`, lease("win"))).status).toBe(201);
    expect((await ask(`GET ${leases}/other`)).status).toBe(403);
    expect((await ask("GET /api/v1/pods?fieldSelector=spec.nodeName%3Dwin")).status).toBe(200);
    expect((await ask("GET /api/v1/pods?fieldSelector=spec.nodeName%3Dother")).status).toBe(403);
    expect((await ask("GET /api/v1/pods")).status).toBe(403);
    expect((await ask("GET /api/v1/secrets")).status).toBe(403);
  });

  test("asks only for certificates in its own name", async () => {
    const { requestPem } = await requestFor("O=system:nodes, CN=system:node:other");
    const { status, body } = await kubelet("win")(
      `POST ${csrs}`,
      signingRequest("x", requestPem, SERVING, ["digital signature", "server auth"]),
    );
    expect([status, body.message]).toEqual([
      403,
      expect.stringContaining("can only create a node CSR with CN=system:node:win"),
    ]);
  });

  test("may only request a certificate before it has one", async () => {
    const bootstrap = cluster.as("system:serviceaccount:openshift-machine-config-operator:node-bootstrapper");
    expect((await bootstrap(`GET ${csrs}`)).status).toBe(200);
    expect((await bootstrap("GET /api/v1/nodes")).status).toBe(403);
  });
});

describe("injected faults", () => {
  test("answers 503, 429 or late, to the calls that match", async () => {
    const { faults } = cluster.simulation;
    faults.inject("kubernetes-5xx", { verb: "list", resource: "nodes" }, 1);
    expect((await cluster.admin("GET /api/v1/pods")).status).toBe(200);
    expect((await cluster.admin("GET /api/v1/nodes")).body.reason).toBe("ServiceUnavailable");
    expect((await cluster.admin("GET /api/v1/nodes")).status).toBe(200);
    faults.inject("kubernetes-throttle", { principal: BOT }, 1);
    const { status, headers, body } = await cluster.as(BOT)("GET /api/v1/nodes");
    expect([status, headers["retry-after"], headers["content-type"]]).toEqual([429, "1", "text/plain; charset=utf-8"]);
    expect(body).toBe("Too many requests, please try again later.\n");
    faults.inject("kubernetes-slow", {}, 1);
    let answered = 0;
    void cluster.admin("GET /api/v1/nodes").then(() => {
      answered = cluster.simulation.clock.now() - NOON;
    });
    await cluster.pass(30);
    expect(answered).toBe(20_000);
  });

  test("an API server that starts refuses every account, then lists, and never an administrator's read", async () => {
    cluster.simulation.faults.inject("kubernetes-starts", { principal: BOT }, 1);
    const bot = cluster.as(BOT);
    const [first, second] = [await bot("GET /api/v1/nodes"), await bot("GET /api/v1/pods")];
    expect([first.status, second.status]).toEqual([403, 403]);
    expect(first.body.message).toMatch(/^nodes is forbidden: User "\S+" cannot list resource "nodes" in API group ""/);
    expect((await cluster.admin("GET /api/v1/nodes")).status).toBe(200);
    await cluster.pass(2);
    const { status, headers, body } = await bot("GET /api/v1/nodes");
    expect([status, headers["retry-after"], body.message]).toEqual([429, "1", "storage is (re)initializing"]);
    expect(body.details.causes).toBeUndefined();
    await cluster.pass(2);
    expect((await bot("GET /api/v1/nodes")).status).toBe(200);
  });

  test("records the caller, the action and the result of each request", async () => {
    await cluster.as(BOT)("GET /api/v1/secrets");
    const [call] = cluster.simulation.calls.after(0, "kubernetes").slice(-1);
    expect(call).toMatchObject({ action: "list secrets", principal: BOT, status: 403 });
  });
});

import {
  type ApiException,
  CertificatesV1Api,
  CoreV1Api,
  KubeConfig,
  PatchStrategy,
  setHeaderOptions,
  Watch,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { CLIENT, requestFor, signingRequest } from "./certificates.ts";
import { budget, deployment, linuxNode } from "./cluster.ts";
import { kubeconfig, type OpenCluster, openCluster } from "./https.ts";

let cluster: OpenCluster;
let config: KubeConfig;
let core: CoreV1Api;

const failure = async (work: Promise<unknown>): Promise<ApiException<string>> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: expect.any(Number) });
  return error as ApiException<string>;
};

const configFor = (user: Record<string, string>, authority = cluster.api.authorityPem): KubeConfig => {
  const made = new KubeConfig();
  made.loadFromString(kubeconfig(cluster.url, authority, user));
  return made;
};

beforeAll(async () => {
  cluster = await openCluster(30);
  cluster.api.create(linuxNode("n"));
  // The policies let the bot write only on Windows nodes; no pod may be scheduled here.
  cluster.api.create({ ...linuxNode("w", { "kubernetes.io/os": "windows" }), spec: { unschedulable: true } });
  config = configFor({ token: cluster.api.issueToken({ name: "system:serviceaccount:casement:act" }, 3600) });
  core = config.makeApiClient(CoreV1Api);
});
afterAll(() => cluster.close());

describe("the client that the handlers use", () => {
  test.each([
    ["json", PatchStrategy.JsonPatch, [{ op: "add", path: "/metadata/labels/casement.dev~1by", value: "json" }]],
    ["merge", PatchStrategy.MergePatch, { metadata: { labels: { "casement.dev/by": "merge" } } }],
    ["strategic", PatchStrategy.StrategicMergePatch, { metadata: { labels: { "casement.dev/by": "strategic" } } }],
  ])("patches a node by a %s patch", async (by, strategy, body) => {
    const node = await core.patchNode({ name: "w", body }, setHeaderOptions("Content-Type", strategy));
    expect(node.metadata?.labels).toMatchObject({ "casement.dev/by": by });
  });

  test("uses server-side apply with a field manager and is refused without one", async () => {
    const headers = setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply);
    const body = { apiVersion: "v1", kind: "Node", metadata: { name: "w", labels: { "casement.dev/applied": "yes" } } };
    const node = await core.patchNode({ name: "w", body, fieldManager: "casement" }, headers);
    expect(node.metadata?.labels).toMatchObject({ "casement.dev/applied": "yes", "kubernetes.io/os": "windows" });
    expect((await failure(core.patchNode({ name: "w", body }, headers))).code).toBe(422);
  });

  test("is refused a json patch whose test fails", async () => {
    const body = [{ op: "test", path: "/spec/unschedulable", value: true }];
    const error = await failure(
      core.patchNode({ name: "n", body }, setHeaderOptions("Content-Type", PatchStrategy.JsonPatch)),
    );
    expect([error.code, JSON.parse(error.body).reason]).toEqual([422, "Invalid"]);
  });

  test("receives a conflict", async () => {
    const body = { metadata: { resourceVersion: "1", annotations: { late: "yes" } } };
    const error = await failure(
      core.patchNode({ name: "n", body }, setHeaderOptions("Content-Type", PatchStrategy.MergePatch)),
    );
    expect([error.code, JSON.parse(error.body).reason]).toEqual([409, "Conflict"]);
  });

  test("evicts, and receives the budget's refusal in a body that is text", async () => {
    cluster.api.create(deployment("web", 1));
    const pods = async () => (await core.listNamespacedPod({ namespace: "default", labelSelector: "app=web" })).items;
    await vi.waitUntil(async () => (await pods())[0]?.status?.phase === "Running", { timeout: 3_000, interval: 50 });
    cluster.api.create(budget("web", { minAvailable: 1 }));
    await vi.waitUntil(() => cluster.api.objects("poddisruptionbudgets", "policy")[0]?.status, 2_000);
    const name = (await pods())[0]?.metadata?.name ?? "";
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: "default" } };
    const error = await failure(core.createNamespacedPodEviction({ name, namespace: "default", body }));
    expect([error.code, typeof error.body]).toEqual([429, "string"]);
    expect(JSON.parse(error.body).details.causes[0].reason).toBe("DisruptionBudget");
    expect(error.headers["retry-after"]).toBeUndefined();
    await cluster.admin("DELETE /apis/policy/v1/namespaces/default/poddisruptionbudgets/web");
    await core.createNamespacedPodEviction({ name, namespace: "default", body });
    const isGone = async () => (await pods()).every(({ metadata }) => metadata?.name !== name);
    await vi.waitUntil(isGone, { timeout: 3_000, interval: 50 });
  });

  test("reads lists in pages", async () => {
    const first = await core.listNode({ limit: 2 });
    expect([first.items.length, first.metadata?._continue]).toEqual([2, undefined]);
    cluster.api.create(linuxNode("m"));
    const page = await core.listNode({ limit: 2 });
    const rest = await core.listNode({ limit: 1, _continue: page.metadata?._continue ?? "" });
    expect([...page.items, ...rest.items].map(({ metadata }) => metadata?.name)).toEqual(["m", "n", "w"]);
  });

  test("approves a request by PUT and reads the certificate", async () => {
    const { requestPem } = await requestFor("O=system:nodes, CN=system:node:new");
    await cluster.as("system:serviceaccount:openshift-machine-config-operator:node-bootstrapper")(
      "POST /apis/certificates.k8s.io/v1/certificatesigningrequests",
      signingRequest("new", requestPem, CLIENT, ["digital signature", "client auth"]),
    );
    const token = cluster.api.issueToken({ name: "system:serviceaccount:casement:join" }, 3600);
    const certificates = configFor({ token }).makeApiClient(CertificatesV1Api);
    const body = await certificates.readCertificateSigningRequest({ name: "new" });
    const condition = {
      type: "Approved",
      status: "True",
      reason: "Casement",
      lastUpdateTime: new Date(cluster.simulation.clock.now()),
    };
    await certificates.replaceCertificateSigningRequestApproval({
      name: "new",
      body: { ...body, status: { conditions: [condition] } },
    });
    const issued = () => certificates.readCertificateSigningRequest({ name: "new" });
    await vi.waitUntil(async () => (await issued()).status?.certificate, { timeout: 3_000, interval: 50 });
  });

  test("watches until it aborts", async () => {
    const admin = configFor({ token: cluster.api.issueToken({ name: "admin", groups: ["system:masters"] }, null) });
    const seen: string[] = [];
    const ended = Promise.withResolvers<unknown>();
    const watching = await new Watch(admin).watch(
      "/api/v1/nodes",
      {},
      (phase, object) => seen.push(`${phase} ${object.metadata.name}`),
      ended.resolve,
    );
    await vi.waitUntil(() => seen.includes("ADDED w"), 2_000);
    await core.patchNode(
      { name: "w", body: { metadata: { labels: { "casement.dev/watched": "yes" } } } },
      setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
    );
    await vi.waitUntil(() => seen.includes("MODIFIED w"), 2_000);
    watching.abort();
    expect(await ended.promise).toMatchObject({ name: "AbortError" });
  });
});

describe("the HTTPS server", () => {
  test("is refused by a client that trusts another authority", async () => {
    const stranger = await openCluster(1);
    const error = await configFor({ token: "x" }, stranger.api.authorityPem)
      .makeApiClient(CoreV1Api)
      .listNode()
      .catch((reason: Error) => reason);
    expect(error).toBeInstanceOf(TypeError);
    await stranger.close();
  });

  test("passes a client certificate on to the API server, which checks it", async () => {
    const { certificate, key } = await cluster.api.adminCredentials();
    const data = (pem: string) => Buffer.from(pem).toString("base64");
    const admin = configFor({ "client-certificate-data": data(certificate), "client-key-data": data(key) });
    expect((await admin.makeApiClient(CoreV1Api).listNode()).items.length).toBeGreaterThan(0);
    const foreign = cluster.api.serverCertificate;
    const other = configFor({
      "client-certificate-data": data(foreign.certificate),
      "client-key-data": data(foreign.key),
    });
    expect((await failure(other.makeApiClient(CoreV1Api).listNode())).code).toBe(401);
  });

  test("reads no body above three megabytes", async () => {
    const body = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "huge" },
      message: "x".repeat(3_200_000),
      involvedObject: {},
    };
    const error = await failure(core.createNamespacedEvent({ namespace: "default", body: body as never }));
    expect(error.code).toBe(413);
    expect(error.body).toContain("Request entity too large: limit is 3145728");
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ask, StillCluster } from "./cluster.ts";
import { linuxNode, needsControllers, sandboxOnly, stillCluster } from "./cluster.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const map = (name: string, more: object = {}) => ({ kind: "ConfigMap", apiVersion: "v1", metadata: { name }, ...more });
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const MERGE = { "content-type": "application/merge-patch+json" };
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "default" },
  spec: { nodeName: "n", containers: [{ name: "main", image: "pause" }] },
};

let cluster: StillCluster;
let ask: Ask;
beforeAll(async () => {
  cluster = await stillCluster();
  ask = cluster.admin;
  cluster.api.create(linuxNode("n"));
  cluster.api.create(pod as never);
});
afterAll(() => cluster.stop());

/** Objects that a misspelt option might create, change or delete. */
const stored = async () =>
  [...(await cluster.objects("nodes")), ...(await cluster.objects("configmaps"))]
    .filter(({ metadata: { name } }) => ["n", "misspelt"].includes(name))
    .map(({ metadata: { name, labels = {}, finalizers } }) => ({ name, team: labels.team, finalizers }));

describe("an option that is misspelt", () => {
  it.each([
    [
      `POST ${maps}?dryRun=Some`,
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
    ],
    [`POST ${maps}?fieldValidation=strict`, 'supported values: "", "Ignore", "Strict", "Warn"'],
    ["PATCH /api/v1/nodes/n?dryRun=true", "PatchOptions.meta.k8s.io"],
    ["PATCH /api/v1/nodes/n?force=true", "force: Forbidden: may not be specified for non-apply patch"],
    ["DELETE /api/v1/nodes/n?propagationPolicy=Later", "DeleteOptions.meta.k8s.io"],
    ["DELETE /api/v1/nodes/n?dryRun=all", "DeleteOptions.meta.k8s.io"],
    ["GET /api/v1/nodes?resourceVersionMatch=Exact", "forbidden unless resourceVersion is provided"],
    ["GET /api/v1/nodes?resourceVersion=1&resourceVersionMatch=Any", 'supported values: "Exact", "NotOlderThan"'],
  ])("is refused and changes nothing: %s", async (line, message) => {
    const before = await stored();
    const headers = line.startsWith("PATCH") ? MERGE : {};
    const body = line.startsWith("GET") || line.startsWith("DELETE") ? undefined : map("misspelt");
    const answer = await ask(line, body, headers);
    expect([answer.status, answer.body.reason]).toEqual([422, "Invalid"]);
    expect(answer.body.message).toContain(message);
    expect(await stored()).toEqual(before);
  });

  it.each(["limit=ten", "timeoutSeconds=1.5", "resourceVersion=latest"])("is not a number: %s", async (query) => {
    const { status, body } = await ask(`GET /api/v1/nodes?${query}`);
    expect([status, body.reason]).toEqual([400, "BadRequest"]);
    expect(body.message).toContain("invalid syntax");
  });
});

describe("a list", () => {
  it("is complete when its limit is zero or less", async () => {
    for (const name of ["whole-1", "whole-2"]) await ask(`POST ${maps}`, map(name));
    for (const limit of [0, -1]) {
      const { body } = await ask(`GET ${maps}?limit=${limit}`);
      const names = body.items.map((one: { metadata: { name: string } }) => one.metadata.name);
      expect(names).toEqual(expect.arrayContaining(["whole-1", "whole-2"]));
      expect(body.metadata).not.toHaveProperty("continue");
    }
  });

  it("waits three seconds for a future version, and then fails", async () => {
    const asking = ask("GET /api/v1/nodes?resourceVersion=999999999");
    let answered = false;
    void asking.then(() => {
      answered = true;
    });
    await cluster.until(() => answered, "the answer");
    const { status, body, headers } = await asking;
    expect([status, body.reason]).toEqual([504, "Timeout"]);
    expect(body.message).toMatch(/^Timeout: Too large resource version: 999999999, current: \d+$/);
    expect(headers["retry-after"]).toBe("1");
  });

  it("of an exact version shows the objects of that version", async () => {
    for (const name of ["kept", "dropped"]) await ask(`POST ${maps}`, map(name));
    const { body } = await ask(`GET ${maps}`);
    const exactly = `GET ${maps}?resourceVersionMatch=Exact&resourceVersion=${body.metadata.resourceVersion}`;
    await ask(`PATCH ${maps}/kept`, { data: { changed: "since" } }, MERGE);
    await ask(`DELETE ${maps}/dropped`);
    await ask(`POST ${maps}`, map("late"));
    expect((await ask(exactly)).body).toEqual(body);
  });

  it("of an expired version is refused", async () => {
    const { body } = await ask(`GET ${maps}`);
    await ask(`POST ${maps}`, map("later"));
    await cluster.pass(301);
    const exactly = `GET ${maps}?resourceVersionMatch=Exact&resourceVersion=${body.metadata.resourceVersion}`;
    const gone = await ask(exactly);
    expect([gone.status, gone.body.reason]).toEqual([410, "Expired"]);
  });

  it("of an old version is refused, though no object of its kind has changed since", async () => {
    await cluster.pass(301);
    const { status, body } = await ask("GET /api/v1/pods?resourceVersion=1&resourceVersionMatch=Exact");
    expect([status, body.reason, body.message]).toEqual([
      410,
      "Expired",
      "The resourceVersion for the provided list is too old.",
    ]);
  });
});

describe("a path", () => {
  it.each([
    ["POST /api/v1/configmaps", 405],
    ["DELETE /api/v1/configmaps", 405],
    ["PUT /api/v1/nodes", 405],
    ["PATCH /api/v1/nodes", 405],
    ["POST /api/v1/nodes/n", 405],
    ["OPTIONS /api/v1/nodes", 405],
    ["GET /api/v1/configmaps/one", 404],
    ["GET /api/v1/namespaces/default/nodes", 404],
    ["GET /api/v1/nodes/n/nothing", 404],
    ["GET /api/v1/gadgets", 404],
  ])("that is not served so is refused: %s → %i", async (line, status) => {
    const answer = await ask(line, line.startsWith("P") ? map("x") : undefined, line.startsWith("PATCH") ? MERGE : {});
    expect([answer.status, answer.body.kind, answer.body.code]).toEqual([status, "Status", status]);
  });

  it.each(["log", "exec", "attach", "portforward", "proxy"])(
    "to a container's %s reports that none runs, if the caller may know",
    async (subresource) => {
      sandboxOnly("runs no containers");
      const path = `GET /api/v1/namespaces/default/pods/p/${subresource}`;
      const { status, body } = await ask(path);
      expect([status, body.code]).toEqual([501, 501]);
      expect(body.message).toContain("runs no containers");
      expect((await ask(path.replace("/p/", "/none/"))).body.message).toBe('pods "none" not found');
      const denied = await cluster.as("vera")(path);
      expect(denied.body.message).toContain(`cannot get resource "pods/${subresource}"`);
    },
  );
});

describe("what every cluster has", () => {
  it.each([
    "storage.k8s.io/v1/storageclasses",
    "storage.k8s.io/v1/csidrivers",
    "storage.k8s.io/v1/csistoragecapacities",
    "resource.k8s.io/v1/resourceclaims",
    "resource.k8s.io/v1/resourceslices",
    "resource.k8s.io/v1/deviceclasses",
    "events.k8s.io/v1/events",
    "discovery.k8s.io/v1/endpointslices",
    "apps/v1/controllerrevisions",
    "scheduling.k8s.io/v1/priorityclasses",
    "networking.k8s.io/v1/networkpolicies",
    "autoscaling/v2/horizontalpodautoscalers",
    "batch/v1/cronjobs",
    "apiregistration.k8s.io/v1/apiservices",
    "apiextensions.k8s.io/v1/customresourcedefinitions",
    "flowcontrol.apiserver.k8s.io/v1/flowschemas",
  ])("is listed: %s", async (path) => {
    const { status, body } = await ask(`GET /apis/${path}`);
    expect([status, Array.isArray(body.items)]).toEqual([200, true]);
  });

  it.each([
    "config.openshift.io/v1/clusteroperators",
    "config.openshift.io/v1/infrastructures",
    "config.openshift.io/v1/networks",
    "machineconfiguration.openshift.io/v1/machineconfigpools",
  ])("is listed on OKD: %s", async (path) => {
    sandboxOnly("is a kind of OKD");
    expect((await ask(`GET /apis/${path}`)).status).toBe(200);
  });

  it.each(["limitranges", "resourcequotas", "podtemplates"])("is listed: %s", async (plural) => {
    expect((await ask(`GET /api/v1/${plural}`)).status).toBe(200);
  });

  it("is stored as given when the simulator does not read it", async () => {
    const sc = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name: "gp3" }, provisioner: "ebs" };
    expect((await ask("POST /apis/storage.k8s.io/v1/storageclasses", sc)).status).toBe(201);
    expect((await ask("GET /apis/storage.k8s.io/v1/storageclasses/gp3")).body).toMatchObject(sc);
  });

  it("has the API server's Service, and in each namespace its authority and a service account", async () => {
    needsControllers();
    const { body: service } = await ask("GET /api/v1/namespaces/default/services/kubernetes");
    expect(service.spec.ports[0]).toMatchObject({ name: "https", port: 443 });
    await ask("POST /api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "defaulted" } });
    const authority = "GET /api/v1/namespaces/defaulted/configmaps/kube-root-ca.crt";
    await cluster.until(async () => (await ask(authority)).status === 200, "the cluster's authority");
    const { body } = await ask(authority);
    expect(body.data["ca.crt"]).toContain("BEGIN CERTIFICATE");
    expect((await ask("GET /api/v1/namespaces/defaulted/serviceaccounts/default")).status).toBe(200);
  });
});

describe("a health page", () => {
  it.each(["healthz", "livez", "readyz"])("is a word, or the list of checks: %s", async (page) => {
    expect((await ask(`GET /${page}`)).body).toBe("ok");
    const { body } = await ask(`GET /${page}?verbose`);
    expect(body).toContain("[+]ping ok\n");
    expect(body).toMatch(new RegExp(`${page} check passed\n$`));
  });
});

describe("a namespace that every cluster needs", () => {
  it.each(["default", "kube-system", "kube-public"])("is not deleted: %s", async (name) => {
    const { status, body } = await ask(`DELETE /api/v1/namespaces/${name}`);
    expect([status, body.message]).toEqual([
      403,
      `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    ]);
  });
});

describe("fields that the API does not know", () => {
  const unknown = map("typo", { dat: {} });
  it("are dropped with a warning, dropped silently, or refused, as the client chooses", async () => {
    const warned = await ask(`POST ${maps}?dryRun=All`, unknown);
    expect([warned.status, warned.headers.warning]).toEqual([201, '299 - "unknown field \\"dat\\""']);
    const silent = await ask(`POST ${maps}?dryRun=All&fieldValidation=Ignore`, unknown);
    expect([silent.status, silent.headers.warning]).toEqual([201, undefined]);
    const strict = await ask(`POST ${maps}?dryRun=All&fieldValidation=Strict`, unknown);
    expect([strict.status, strict.body.message]).toEqual([
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dat"',
    ]);
  });
});

describe("the owner of a field", () => {
  const labelled = (team: string) => map("owned", { metadata: { name: "owned", labels: { team } } });
  const apply = (team: string, more = "") =>
    ask(`PATCH ${maps}/owned?fieldManager=gitops${more}`, labelled(team), {
      "content-type": "application/apply-patch+yaml",
    });
  const label = (team: string, more = "") =>
    ask(`PATCH ${maps}/owned?fieldManager=kubectl-label${more}`, { metadata: { labels: { team } } }, MERGE);

  it("is no program where an object without fields of anybody is applied for the first time", async () => {
    await ask(`POST ${maps}`, map("bare"));
    await ask(`PATCH ${maps}/bare?fieldManager=kubectl-label`, { metadata: { labels: { team: "shop" } } }, MERGE);
    const wanted = map("bare", { metadata: { name: "bare", labels: { team: "bank" } } });
    const type = { "content-type": "application/apply-patch+yaml" };
    const { status, body } = await ask(`PATCH ${maps}/bare?fieldManager=gitops`, wanted, type);
    expect([status, body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .metadata.labels.team',
    ]);
  });

  it("is named when an applier sets another value, and loses the field by force or by the next write", async () => {
    await ask(`POST ${maps}`, { ...map("owned"), data: { one: "1" } });
    expect((await label("shop")).status).toBe(200);
    expect((await apply("shop")).status).toBe(200);
    const conflict = await apply("bank");
    expect([conflict.status, conflict.body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "kubectl-label" using v1: .metadata.labels.team',
    ]);
    expect((await apply("bank", "&force=true")).status).toBe(200);
    expect((await apply("post")).status).toBe(200);
    await label("dry", "&dryRun=All");
    expect((await apply("mail")).status).toBe(200);
    await label("shop");
    expect((await apply("mail")).status).toBe(409);
  });

  it("is the client program by default, and kubectl takes over the fields of its client-side apply", async () => {
    const path = `${maps}?fieldManager=`;
    const bare = (value: string) => ({ ...map("written"), data: { value } });
    const data = (value: string, last?: string) => ({
      ...bare(value),
      metadata: { name: "written", ...(last ? { annotations: { [LAST_APPLIED]: JSON.stringify(bare(last)) } } : {}) },
    });
    const applied = (value: string, manager = "gitops") =>
      ask(`PATCH ${maps}/written?fieldManager=${manager}`, data(value), {
        "content-type": "application/apply-patch+yaml",
      });
    await ask(`POST ${path}kubectl-client-side-apply`, data("1"));
    expect((await applied("2", "kubectl")).status).toBe(409);
    await ask(`PUT ${maps}/written?fieldManager=kubectl-client-side-apply`, data("1", "1"));
    expect((await applied("2")).body.message).toContain(
      'conflict with "kubectl-client-side-apply" using v1: .data.value',
    );
    expect((await applied("2", "kubectl")).status).toBe(200);
    await ask(`PATCH ${maps}/written`, { data: { value: "3" } }, { ...MERGE, "user-agent": "curl/8.5" });
    expect((await applied("4")).body.message).toContain('conflict with "curl" using v1: .data.value');
  });
});

describe("a list of events", () => {
  it("can be selected by the reporting component", async () => {
    const event = (component: string) => ({
      apiVersion: "v1",
      kind: "Event",
      metadata: { generateName: "n.", namespace: "default" },
      involvedObject: { kind: "Node", name: "n" },
      source: { component },
    });
    for (const component of ["casement", "kubelet"])
      await ask("POST /api/v1/namespaces/default/events", event(component));
    const { body } = await ask("GET /api/v1/events?fieldSelector=source%3Dcasement");
    expect(body.items.map((one: { source: object }) => one.source)).toEqual([{ component: "casement" }]);
  });
});

describe("a token", () => {
  it("for another audience is refused by the API server", async () => {
    const path = "/api/v1/namespaces/casement/serviceaccounts/look/token";
    const tokenFor = async (audiences: string[]) =>
      (await ask(`POST ${path}`, { spec: { audiences } })).body.status.token;
    const nodes = async (token: string) =>
      (await ask("GET /api/v1/nodes", undefined, { authorization: `Bearer ${token}` })).status;
    expect(await nodes(await tokenFor([]))).toBe(200);
    const vaults = await tokenFor(["vault"]);
    expect(await nodes(vaults)).toBe(401);
    const review = async (spec: object) =>
      (await ask("POST /apis/authentication.k8s.io/v1/tokenreviews", { spec })).body.status;
    const said = await review({ token: vaults });
    expect(said.user).toEqual({});
    expect(said.error).toMatch(
      /^\[invalid bearer token, token audiences \["vault"\] is invalid for the target audiences \[".*"\]\]$/,
    );
    expect(await review({ token: vaults, audiences: ["vault"] })).toMatchObject({ authenticated: true });
  });

  it("with groups to impersonate, but no user, is refused", async () => {
    const { status, body } = await ask("GET /api/v1/nodes", undefined, { "impersonate-group": "system:masters" });
    // 500 until 1.35, 400 since.
    expect([400, 500]).toContain(status);
    expect(typeof body === "string" ? body : body.message).toContain("without impersonating a user");
  });
});

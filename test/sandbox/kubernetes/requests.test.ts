import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ask, StillCluster } from "./cluster.ts";
import { linuxNode, stillCluster } from "./cluster.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const map = (name: string, more: object = {}) => ({ kind: "ConfigMap", apiVersion: "v1", metadata: { name }, ...more });
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

describe("an option that is misspelt", () => {
  it.each([
    [`POST ${maps}?dryRun=Some`, 'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: "Some"'],
    [`POST ${maps}?fieldValidation=strict`, 'supported values: "", "Ignore", "Strict", "Warn"'],
    ["PATCH /api/v1/nodes/n?dryRun=true", "PatchOptions.meta.k8s.io"],
    ["PATCH /api/v1/nodes/n?force=true", "force: Forbidden: may not be specified for non-apply patch"],
    ["DELETE /api/v1/nodes/n?propagationPolicy=Later", "DeleteOptions.meta.k8s.io"],
    ["DELETE /api/v1/nodes/n?dryRun=all", "DeleteOptions.meta.k8s.io"],
    ["GET /api/v1/nodes?resourceVersionMatch=Exact", "forbidden unless resourceVersion is provided"],
    ["GET /api/v1/nodes?resourceVersion=1&resourceVersionMatch=Any", 'supported values: "Exact", "NotOlderThan"'],
  ])("is refused and changes nothing: %s", async (line, message) => {
    const before = [cluster.api.objects("nodes"), cluster.api.objects("configmaps")];
    const headers = line.startsWith("PATCH") ? MERGE : {};
    const body = line.startsWith("GET") || line.startsWith("DELETE") ? undefined : map("misspelt");
    const answer = await ask(line, body, headers);
    expect([answer.status, answer.body.reason]).toEqual([422, "Invalid"]);
    expect(answer.body.message).toContain(message);
    expect([cluster.api.objects("nodes"), cluster.api.objects("configmaps")]).toEqual(before);
  });

  it.each(["limit=ten", "timeoutSeconds=1.5", "resourceVersion=latest"])("is no number: %s", async (query) => {
    const { status, body } = await ask(`GET /api/v1/nodes?${query}`);
    expect([status, body.reason]).toEqual([400, "BadRequest"]);
    expect(body.message).toContain("invalid syntax");
  });
});

describe("a list", () => {
  it("is whole when its limit is zero or less", async () => {
    for (const limit of [0, -1]) {
      const { body } = await ask(`GET /api/v1/nodes?limit=${limit}`);
      expect(body.items).toHaveLength(1);
      expect(body.metadata).not.toHaveProperty("continue");
    }
  });

  it.each(["GET /api/v1/nodes", "GET /api/v1/nodes?watch=1"])(
    "cannot be of a version that is still to come: %s",
    async (line) => {
      const { status, body, headers } = await ask(`${line}${line.includes("?") ? "&" : "?"}resourceVersion=999999999`);
      expect([status, body.reason]).toEqual([504, "Timeout"]);
      expect(body.message).toMatch(/^Too large resource version: 999999999, current: \d+$/);
      expect(headers["retry-after"]).toBe("1");
    },
  );

  it("of exactly one version is given while nothing has changed since, and is gone afterwards", async () => {
    const { body } = await ask("GET /api/v1/nodes");
    const exactly = `GET /api/v1/nodes?resourceVersionMatch=Exact&resourceVersion=${body.metadata.resourceVersion}`;
    await ask(`POST ${maps}`, map("elsewhere"));
    expect((await ask(exactly)).status).toBe(200);
    await ask("PATCH /api/v1/nodes/n", { metadata: { labels: { changed: "since" } } }, MERGE);
    const gone = await ask(exactly);
    expect([gone.status, gone.body.reason]).toEqual([410, "Expired"]);
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
    "to a container's %s says that none runs, to whom it may concern",
    async (subresource) => {
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

describe("a namespace without which there is no cluster", () => {
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
  it("are dropped with a warning, silently, or refused, as the client wishes", async () => {
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

describe("who wrote a field", () => {
  const labelled = (team: string) => ({ apiVersion: "v1", kind: "Node", metadata: { name: "n", labels: { team } } });
  const apply = (team: string, more = "") =>
    ask(`PATCH /api/v1/nodes/n?fieldManager=gitops${more}`, labelled(team), {
      "content-type": "application/apply-patch+yaml",
    });
  const label = (team: string, more = "") =>
    ask(`PATCH /api/v1/nodes/n?fieldManager=kubectl-label${more}`, { metadata: { labels: { team } } }, MERGE);

  it("is named when an applier wants it otherwise, and loses it by force or by the next write", async () => {
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

  it("is the program that asked where nobody says it, and never kubectl's apply on its own side", async () => {
    const path = `${maps}?fieldManager=`;
    const data = (value: string) => ({ ...map("written"), data: { value } });
    const applied = (value: string) =>
      ask(`PATCH ${maps}/written?fieldManager=gitops`, data(value), { "content-type": "application/apply-patch+yaml" });
    await ask(`POST ${path}kubectl-client-side-apply`, data("1"));
    expect((await applied("2")).status).toBe(200);
    await ask(`PATCH ${maps}/written`, { data: { value: "3" } }, { ...MERGE, "user-agent": "curl/8.5" });
    expect((await applied("4")).body.message).toContain('conflict with "curl" using v1: .data.value');
  });
});

describe("a list of events", () => {
  it("is selected by who reports them", async () => {
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
  it("that is meant for somebody else does not open the API server", async () => {
    const path = "/api/v1/namespaces/casement/serviceaccounts/casement/token";
    const tokenFor = async (audiences: string[]) =>
      (await ask(`POST ${path}`, { spec: { audiences } })).body.status.token;
    const nodes = async (token: string) =>
      (await ask("GET /api/v1/nodes", undefined, { authorization: `Bearer ${token}` })).status;
    expect(await nodes(await tokenFor([]))).toBe(200);
    const vaults = await tokenFor(["vault"]);
    expect(await nodes(vaults)).toBe(401);
    const review = async (spec: object) =>
      (await ask("POST /apis/authentication.k8s.io/v1/tokenreviews", { spec })).body.status;
    expect(await review({ token: vaults })).toEqual({ error: "invalid bearer token" });
    expect(await review({ token: vaults, audiences: ["vault"] })).toMatchObject({ authenticated: true });
  });

  it("with groups to act in, but nobody to act as, is turned away", async () => {
    const { status, body } = await ask("GET /api/v1/nodes", undefined, { "impersonate-group": "system:masters" });
    expect(status).toBe(500);
    expect(body.message).toContain("without impersonating a user");
  });
});

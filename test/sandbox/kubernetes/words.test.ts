import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLIENT, requestFor, signingRequest } from "./certificates.ts";
import type { Ask, StillCluster } from "./cluster.ts";
import { deployment, linuxNode, needsControllers, sandboxOnly, stillCluster } from "./cluster.ts";

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
    expect([status, body.message]).toEqual([
      403,
      expect.stringMatching(/is forbidden: User "system:node:worded" cannot/),
    ]);
    expect(body.message.endsWith(`: ${reason}`)).toBe(true);
  });

  test("leaves the change of another Node to admission, which names both", async () => {
    cluster.api.create(linuxNode("another"));
    const kubelet = cluster.as("system:node:worded", ["system:nodes"]);
    const headers = { "content-type": "application/merge-patch+json" };
    const { status, body } = await kubelet(
      "PATCH /api/v1/nodes/another",
      { metadata: { labels: { a: "b" } } },
      headers,
    );
    expect([status, body.message]).toEqual([
      403,
      'nodes "another" is forbidden: node "worded" is not allowed to modify node "another"',
    ]);
  });
});

describe("a role", () => {
  const ofRole = (kind: string, rule: object) => ({
    apiVersion: `${RBAC.apiGroup}/v1`,
    kind,
    metadata: { name: "worded-paths" },
    rules: [{ verbs: ["get"], ...rule }],
  });
  const onPaths = { nonResourceURLs: ["/healthz"] };
  const namespaced =
    'rules[0].nonResourceURLs: Invalid value: ["/healthz"]: namespaced rules cannot apply to non-resource URLs';
  const mixed =
    'rules[0].nonResourceURLs: Invalid value: ["/healthz"]: rules cannot apply to both regular resources and non-resource URLs';

  test.each([
    ["Role", onPaths, `Role.${RBAC.apiGroup} "worded-paths" is invalid: ${namespaced}`],
    [
      "ClusterRole",
      { ...onPaths, resources: ["pods"] },
      `ClusterRole.${RBAC.apiGroup} "worded-paths" is invalid: ${mixed}`,
    ],
    [
      "Role",
      { ...onPaths, apiGroups: [""], resources: ["pods"] },
      `Role.${RBAC.apiGroup} "worded-paths" is invalid: [${namespaced}, ${mixed}]`,
    ],
  ])("is refused for paths that it cannot grant: %s %j", async (kind, rule, message) => {
    const path = kind === "Role" ? "/namespaces/default/roles" : "/clusterroles";
    const { status, body } = await cluster.admin(`POST ${roles}${path}`, ofRole(kind, rule));
    expect([status, body.message]).toEqual([422, message]);
  });

  const lacking = (field: string, what: string) => `rules[0].${field}: Required value: ${what}`;
  const noVerb = lacking("verbs", "verbs must contain at least one value");
  const noGroup = lacking("apiGroups", "resource rules must supply at least one api group");
  const noResource = lacking("resources", "resource rules must supply at least one resource");

  test.each([
    [{ apiGroups: [""] }, noResource],
    [{ apiGroups: [""], resources: [] }, noResource],
    [{ resources: ["pods"] }, noGroup],
    [{ verbs: [], apiGroups: [""], resources: ["pods"] }, noVerb],
    [{ verbs: [], ...onPaths }, noVerb],
    [{ verbs: [] }, `[${noVerb}, ${noGroup}, ${noResource}]`],
  ])("is refused for a rule that grants nothing: %j", async (rule, faults) => {
    const { status, body } = await cluster.admin(`POST ${roles}/clusterroles`, ofRole("ClusterRole", rule));
    expect([status, body.message]).toEqual([422, `ClusterRole.${RBAC.apiGroup} "worded-paths" is invalid: ${faults}`]);
  });

  test("that is bound stays: another needs another binding", async () => {
    const path = `${roles}/clusterrolebindings`;
    const binding = {
      apiVersion: `${RBAC.apiGroup}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: "worded-fixed" },
      roleRef: { ...RBAC, kind: "ClusterRole", name: "view" },
      subjects: [person("wilma")],
    };
    await cluster.admin(`POST ${path}`, binding);
    const { status, body } = await cluster.admin(`PATCH ${path}/worded-fixed`, { roleRef: { name: "edit" } }, MERGE);
    expect([status, body.message]).toEqual([422, expect.stringContaining("cannot change roleRef")]);
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

const maps = "/api/v1/namespaces/default/configmaps";
const map = (name: string, more: object = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, ...more });
const patchOf = (form: string): Record<string, string> => ({ "content-type": `application/${form}+json` });
const MERGE = patchOf("merge-patch");
const STRATEGIC = patchOf("strategic-merge-patch");
const OPERATIONS = patchOf("json-patch");

describe("a key or name that breaks several rules", () => {
  const nameRule = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with";
  test.each([
    [
      { labels: { "/": "v" } },
      ["prefix part must be non-empty", "name part must be non-empty", `name part ${nameRule}`],
    ],
    [
      { labels: { [`A/${"-".repeat(64)}`]: "v" } },
      ["prefix part a lowercase RFC 1123 subdomain", "name part must be no more than 63", `name part ${nameRule}`],
    ],
    [{ labels: { a: `-${"x".repeat(64)}` } }, ["must be no more than 63", "a valid label must be an empty string"]],
    [{ finalizers: ["a/"] }, ["name part must be non-empty", `name part ${nameRule}`]],
  ])("has a cause for each of them: %j", async (metadata, words) => {
    const { status, body } = await cluster.admin(
      `POST ${maps}`,
      map("ruled", { metadata: { name: "ruled", ...metadata } }),
    );
    const messages: string[] = body.details.causes.map(({ message }: { message: string }) => message);
    expect(status).toBe(422);
    // A server of 1.36 lists each cause twice.
    for (const word of words) expect(messages).toContainEqual(expect.stringContaining(word));
    expect([words.length, 2 * words.length]).toContain(messages.length);
  });
});

describe("a body that cannot be read", () => {
  beforeAll(() => cluster.admin(`POST ${maps}`, map("read", { data: { a: "1" } })));

  test.each([
    [
      `POST ${maps}`,
      {},
      "{",
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input ({)",
    ],
    [
      `POST ${maps}`,
      {},
      "x",
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character 'x' looking for beginning of value (78)",
    ],
    [`PATCH ${maps}/read`, MERGE, "{", "error decoding patch: unexpected end of JSON input"],
    [`PATCH ${maps}/read`, MERGE, '{"a" 1}', "error decoding patch: invalid character '1' after object key"],
    [
      `PATCH ${maps}/read`,
      OPERATIONS,
      "[{]",
      "error decoding patch: invalid character ']' looking for beginning of object key string",
    ],
    [`PATCH ${maps}/read`, STRATEGIC, '{"a": 1 2}', "invalid character '2' after object key:value pair"],
    [
      `GET ${maps}?limit=1&continue=no!token`,
      {},
      undefined,
      "invalid continue token: continue key is not valid: illegal base64 data at input byte 2",
    ],
  ])("is refused with what is wrong: %s %j %s", async (line, headers, text, message) => {
    const { status, body } = await cluster.admin(line, text, headers);
    expect([status, body.reason, body.message]).toEqual([400, "BadRequest", message]);
  });

  test("is refused for its media type: by the router for a patch, by the server for an object", async () => {
    const text = { "content-type": "text/plain" };
    const patched = await cluster.admin(`PATCH ${maps}/read`, "{}", text);
    expect([patched.status, patched.body.reason, patched.body.message]).toEqual([
      415,
      "UnsupportedMediaType",
      "415: Unsupported Media Type",
    ]);
    const posted = await cluster.admin(`POST ${maps}`, "{}", text);
    expect([posted.status, posted.body.message]).toEqual([
      415,
      expect.stringContaining("the body of the request was in an unknown format - accepted media types include:"),
    ]);
  });
});

describe("a patch that makes no legal object", () => {
  beforeAll(() => cluster.admin(`POST ${maps}`, map("patched", { data: { a: "1" } })));

  test.each([
    [
      "a merge patch",
      MERGE,
      { dat: {} },
      /^ "" is invalid: patch: Invalid value: "\{.*\\"kind\\":\\"ConfigMap\\".*\}": strict decoding error: unknown field "dat"$/,
    ],
    [
      "a strategic one",
      STRATEGIC,
      { dat: { b: [null, 1] } },
      /^ "" is invalid: patch: Invalid value: "map\[dat:map\[b:\[<nil> 1\]\]\]": strict decoding error: unknown field "dat"$/,
    ],
  ])("is refused without a kind, with the object or the patch: %s", async (_what, headers, patch, message) => {
    const { status, body } = await cluster.admin(`PATCH ${maps}/patched?fieldValidation=Strict`, patch, headers);
    expect([status, body.reason, body.details.kind]).toEqual([422, "Invalid", undefined]);
    expect(body.message).toMatch(message);
  });
});

describe("fields that are written though they are empty", () => {
  test("of an Event", async () => {
    const event = {
      metadata: { name: "worded" },
      involvedObject: { kind: "Node", name: "worded", namespace: "default" },
    };
    const { body } = await cluster.admin("POST /api/v1/namespaces/default/events", {
      ...map("worded"),
      kind: "Event",
      ...event,
    });
    expect(body).toMatchObject({ eventTime: null, reportingComponent: "", reportingInstance: "" });
  });

  test("of a signing request: its status; it has no generation", async () => {
    const { requestPem } = await requestFor("O=system:nodes, CN=system:node:worded");
    const request = signingRequest("worded", requestPem, CLIENT, ["digital signature", "client auth"]);
    const { body } = await cluster.admin("POST /apis/certificates.k8s.io/v1/certificatesigningrequests", request);
    expect([body.status, body.metadata.generation]).toEqual([{}, undefined]);
  });

  test("are none of a namespace's: no generation, and no grace when it is deleted", async () => {
    const path = "/api/v1/namespaces";
    const { body: made } = await cluster.admin(`POST ${path}`, { ...map("worded-space"), kind: "Namespace" });
    const { body: leaving } = await cluster.admin(`DELETE ${path}/worded-space`);
    expect(made.metadata).not.toHaveProperty("generation");
    expect(leaving.metadata.deletionTimestamp).toEqual(expect.any(String));
    expect(leaving.metadata).not.toHaveProperty("deletionGracePeriodSeconds");
    expect(leaving.metadata).not.toHaveProperty("generation");
  });
});

test("the version names what the server emulates and what it is compatible with", async () => {
  const { body } = await cluster.admin("GET /version");
  const { major, minor } = body;
  expect(body).toMatchObject({ emulationMajor: major, emulationMinor: minor, minCompatibilityMajor: major });
  expect(Number(body.minCompatibilityMinor)).toBe(Number(minor) - 1);
});

describe("OpenAPI", () => {
  test("is served in version 2 as JSON, with the parameters of a write", async () => {
    const { status, body } = await cluster.admin("GET /openapi/v2");
    expect([status, body.swagger]).toEqual([200, "2.0"]);
    const { parameters } = body.paths["/api/v1/nodes/{name}"].patch;
    expect(parameters).toContainEqual(
      expect.objectContaining({ name: "fieldValidation", in: "query", type: "string" }),
    );
  });

  test("is not written as protobuf", async () => {
    sandboxOnly("writes no protobuf");
    const accept = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
    expect((await cluster.admin("GET /openapi/v2", undefined, { accept })).status).toBe(406);
  });
});

describe("an Event of a controller", () => {
  const eventsAbout = async (name: string): Promise<string[]> => {
    const query = `fieldSelector=${encodeURIComponent(`involvedObject.name=${name}`)}`;
    const { body } = await cluster.admin(`GET /api/v1/namespaces/default/events?${query}`);
    return body.items.map((one: { reason: string; message: string; source: { component: string } }) =>
      [one.source.component, one.reason, one.message].join(": "),
    );
  };
  const comes = (name: string, event: RegExp): Promise<void> =>
    cluster.until(async () => (await eventsAbout(name)).some((one) => event.test(one)), `${event} about ${name}`);

  test("says that a workload was scaled and its pods made and deleted", async () => {
    needsControllers();
    const path = "/apis/apps/v1/namespaces/default/deployments";
    const { body } = await cluster.admin(`POST ${path}`, deployment("told", 2));
    const set = /Scaled up replica set (told-\w+)/;
    await comes("told", /^deployment-controller: ScalingReplicaSet: Scaled up replica set told-\w+ from 0 to 2$/);
    const [, name = ""] = set.exec((await eventsAbout("told")).join()) ?? [];
    await comes(name, new RegExp(`^replicaset-controller: SuccessfulCreate: Created pod: ${name}-\\w+$`));
    await cluster.admin(`PATCH ${path}/told`, { spec: { replicas: 1 } }, MERGE);
    await comes("told", /^deployment-controller: ScalingReplicaSet: Scaled down replica set told-\w+ from 2 to 1$/);
    await comes(name, new RegExp(`^replicaset-controller: SuccessfulDelete: Deleted pod: ${name}-\\w+$`));
    expect(body.kind).toBe("Deployment");
  });

  test("says that a Node came and went", async () => {
    needsControllers();
    cluster.api.create(linuxNode("passing"));
    await comes(
      "passing",
      /^node-controller: RegisteredNode: Node passing event: Registered Node passing in Controller$/,
    );
    await cluster.admin("DELETE /api/v1/nodes/passing");
    await comes(
      "passing",
      /^node-controller: RemovingNode: Node passing event: Removing Node passing from Controller$/,
    );
  });
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Ask, StillCluster } from "./cluster.ts";
import { deployment, linuxNode, namesIn, needsControllers, sandboxOnly, stillCluster } from "./cluster.ts";

let cluster: StillCluster;
let ask: Ask;

const maps = "/api/v1/namespaces/default/configmaps";
const map = (name: string, more: object = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...more } });
const pod = (name: string, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "main", image: "pause" }], ...spec },
});
const MERGE = { "content-type": "application/merge-patch+json" };

/** The time at which the server answered, by its clock. */
const expectNow = (time: string, { headers }: { readonly headers: Readonly<Record<string, string>> }): void =>
  expect(Math.abs(Date.parse(time) - Date.parse(headers.date ?? ""))).toBeLessThan(2_000);

beforeEach(async () => {
  cluster = await stillCluster();
  ask = cluster.admin;
});
afterEach(() => cluster.stop());

describe("creating", () => {
  test("sets uid, version and creation time by the server's clock", async () => {
    const made = await ask(`POST ${maps}`, map("one"));
    const { status, body } = made;
    expect(status).toBe(201);
    expect(body.metadata).toMatchObject({ name: "one", namespace: "default" });
    expectNow(body.metadata.creationTimestamp, made);
    const later = await ask(`POST ${maps}`, map("two"));
    expect(Number(later.body.metadata.resourceVersion)).toBeGreaterThan(Number(body.metadata.resourceVersion));
    expect(later.body.metadata.uid).not.toBe(body.metadata.uid);
  });

  test("refuses a second object of the same name", async () => {
    await ask(`POST ${maps}`, map("one"));
    const { status, body } = await ask(`POST ${maps}`, map("one"));
    expect([status, body.reason, body.message]).toEqual([409, "AlreadyExists", 'configmaps "one" already exists']);
  });

  test("generates names from generateName", async () => {
    const { body } = await ask(`POST ${maps}`, { ...map(""), metadata: { generateName: "made-" } });
    expect(body.metadata.name).toMatch(/^made-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test("fills in what the writer left out of a pod, a workload and a service", async () => {
    const { body: made } = await ask("POST /api/v1/namespaces/default/pods", pod("p"));
    expect(made.spec).toMatchObject({ enableServiceLinks: true, containers: [{ imagePullPolicy: "Always" }] });
    const { body: workload } = await ask("POST /apis/apps/v1/namespaces/default/deployments", deployment("web", 1));
    expect(workload.spec.strategy).toEqual({
      type: "RollingUpdate",
      rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" },
    });
    expect(workload.spec.template.spec).toMatchObject({ restartPolicy: "Always", terminationGracePeriodSeconds: 30 });
    const service = (name: string, type: string) =>
      ask("POST /api/v1/namespaces/default/services", {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name },
        spec: { type, ports: [{ port: 80 }] },
      });
    const balanced = (await service("one", "LoadBalancer")).body.spec;
    expect(balanced).toMatchObject({ sessionAffinity: "None", ports: [{ protocol: "TCP", targetPort: 80 }] });
    expect(balanced.ports[0].nodePort).toBeGreaterThanOrEqual(30_000);
    const other = (await service("two", "ClusterIP")).body.spec;
    expect(other.clusterIP).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(other.clusterIP).not.toBe(balanced.clusterIP);
    expect(other.ports[0]).not.toHaveProperty("nodePort");
  });

  test.each([
    ["no name", map(""), "metadata.name: Required value: name or generateName is required"],
    ["a bad name", map("Not_Lower"), "a lowercase RFC 1123 subdomain must consist of"],
    ["a bad label key", map("a", { labels: { "a b": "c" } }), "name part must consist of alphanumeric characters"],
    ["a long label value", map("a", { labels: { a: "x".repeat(64) } }), "must be no more than 63 "],
    [
      "half an owner",
      map("a", { ownerReferences: [{ name: "x" }] }),
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ],
    [
      "huge annotations",
      map("a", { annotations: { a: "x".repeat(262_144) } }),
      "Too long: may not be more than 262144 bytes",
    ],
  ])("refuses %s with 422", async (_what, object, words) => {
    const { status, body } = await ask(`POST ${maps}`, object);
    expect([status, body.reason]).toEqual([422, "Invalid"]);
    expect(body.message).toContain(words);
    expect(body.details.causes.length).toBeGreaterThan(0);
  });

  test("refuses a missing namespace, and one that is terminating", async () => {
    needsControllers();
    expect((await ask("POST /api/v1/namespaces/nowhere/configmaps", map("a"))).body.message).toBe(
      'namespaces "nowhere" not found',
    );
    await ask("POST /api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "going" } });
    await ask("POST /api/v1/namespaces/going/configmaps", map("held", { finalizers: ["example.com/hold"] }));
    await ask("DELETE /api/v1/namespaces/going");
    const { status, body } = await ask("POST /api/v1/namespaces/going/configmaps", map("late"));
    expect([status, body.details.causes[0].reason]).toEqual([403, "NamespaceTerminating"]);
  });

  test("stores nothing in a dry run", async () => {
    expect((await ask(`POST ${maps}?dryRun=All`, map("ghost"))).status).toBe(201);
    expect((await ask(`GET ${maps}/ghost`)).status).toBe(404);
  });

  test("refuses a body of another kind, of another name, or of an unknown media type", async () => {
    expect((await ask(`POST ${maps}`, pod("a"))).status).toBe(400);
    expect((await ask(`POST ${maps}`, "{")).status).toBe(400);
    expect((await ask(`POST ${maps}`, "x", { "content-type": "text/plain" })).status).toBe(415);
    expect((await ask(`PUT ${maps}/other`, map("one"))).body.message).toContain("does not match the name on the URL");
  });
});

describe("admission", () => {
  const MOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
  const pods = "/api/v1/namespaces/default/pods";

  test("gives each container of a pod the token of its account, beside the mounts that it has", async () => {
    const other = { name: "own", mountPath: "/own" };
    const spec = {
      initContainers: [{ name: "first", image: "pause" }],
      containers: [{ name: "main", image: "pause", volumeMounts: [other] }],
      volumes: [{ name: "own", emptyDir: {} }],
    };
    const { body } = await ask(`POST ${pods}`, pod("p", spec));
    expect([body.spec.serviceAccountName, body.spec.serviceAccount]).toEqual(["default", "default"]);
    const [own, token] = body.spec.volumes;
    expect([body.spec.volumes.length, own.name]).toEqual([2, "own"]);
    expect(token.name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    const openShift = token.projected.sources.slice(3);
    const serviceAuthority = {
      items: [{ key: "service-ca.crt", path: "service-ca.crt" }],
      name: "openshift-service-ca.crt",
    };
    expect([[], [{ configMap: serviceAuthority }]]).toContainEqual(openShift);
    expect(token.projected).toEqual({
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { items: [{ key: "ca.crt", path: "ca.crt" }], name: "kube-root-ca.crt" } },
        {
          downwardAPI: {
            items: [{ fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" }, path: "namespace" }],
          },
        },
        ...openShift,
      ],
    });
    const mount = { mountPath: MOUNT, name: token.name, readOnly: true };
    expect(body.spec.initContainers[0].volumeMounts).toEqual([mount]);
    expect(body.spec.containers[0].volumeMounts).toEqual([other, mount]);
  });

  test.each([
    ["that wants none", { automountServiceAccountToken: false }],
    [
      "that mounts something else there",
      {
        containers: [{ name: "main", image: "pause", volumeMounts: [{ name: "own", mountPath: MOUNT }] }],
        volumes: [{ name: "own", emptyDir: {} }],
      },
    ],
  ])("gives no token to a pod %s", async (_what, spec) => {
    const { body } = await ask(`POST ${pods}`, pod("p", spec));
    const names = (body.spec.volumes ?? []).map(({ name }: { name: string }) => name);
    expect([body.spec.serviceAccount, names.filter((name: string) => name !== "own")]).toEqual(["default", []]);
  });

  test("gives the token of an account that has none unless the pod asks for it", async () => {
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "quiet" } };
    await ask("POST /api/v1/namespaces/default/serviceaccounts", { ...account, automountServiceAccountToken: false });
    const volumes = async (name: string, spec: object) =>
      (await ask(`POST ${pods}`, pod(name, { serviceAccountName: "quiet", ...spec }))).body.spec.volumes?.length ?? 0;
    expect(await volumes("p", {})).toBe(0);
    expect(await volumes("q", { automountServiceAccountToken: true })).toBe(1);
  });

  test("labels a namespace with its name, whatever its writer says", async () => {
    const label = "kubernetes.io/metadata.name";
    expect((await ask("GET /api/v1/namespaces/default")).body.metadata.labels[label]).toBe("default");
    const named = { apiVersion: "v1", kind: "Namespace", metadata: { name: "named", labels: { [label]: "other" } } };
    expect((await ask("POST /api/v1/namespaces", named)).body.metadata.labels).toEqual({ [label]: "named" });
    const patched = await ask("PATCH /api/v1/namespaces/named", { metadata: { labels: { [label]: null } } }, MERGE);
    expect(patched.body.metadata.labels).toEqual({ [label]: "named" });
  });

  test("taints a new Node as not ready in the answer already, once", async () => {
    const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
    const own = { key: "os", value: "Windows", effect: "NoSchedule" };
    const taints = async (name: string, given?: object[]) => {
      const { metadata, ...node } = linuxNode(name);
      const spec = given === undefined ? {} : { taints: given };
      return (await ask("POST /api/v1/nodes", { ...node, metadata, spec })).body.spec.taints;
    };
    expect(await taints("n")).toEqual([notReady]);
    expect(await taints("m", [own])).toEqual([own, notReady]);
    expect(await taints("o", [notReady])).toEqual([notReady]);
  });
});

describe("changing", () => {
  test("refuses an update of an older version", async () => {
    const { body: first } = await ask(`POST ${maps}`, map("one"));
    const { body: second } = await ask(`PUT ${maps}/one`, { ...first, data: { a: "1" } });
    const { status, body } = await ask(`PUT ${maps}/one`, { ...first, data: { a: "2" } });
    expect([status, body.reason]).toEqual([409, "Conflict"]);
    expect(body.message).toBe(
      'Operation cannot be fulfilled on configmaps "one": the object has been modified; please apply your changes to the latest version and try again',
    );
    expect((await ask(`GET ${maps}/one`)).body).toEqual(second);
  });

  test("writes nothing when nothing differs", async () => {
    const { body: first } = await ask(`POST ${maps}`, map("one"));
    expect((await ask(`PUT ${maps}/one`, first)).body.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  test("treats a version inside a patch as a precondition, and another uid as an invalid value", async () => {
    const { body: one } = await ask(`POST ${maps}`, map("one"));
    expect((await ask(`PATCH ${maps}/one`, { metadata: { resourceVersion: "1" } }, MERGE)).status).toBe(409);
    const { status, body } = await ask(`PATCH ${maps}/one`, { metadata: { uid: "another" } }, MERGE);
    expect([status, body.reason, body.message]).toEqual([
      422,
      "Invalid",
      expect.stringContaining('metadata.uid: Invalid value: "another": field is immutable'),
    ]);
    // 1.36 names the cause twice.
    for (const cause of body.details.causes)
      expect(cause).toEqual({
        reason: "FieldValueInvalid",
        message: 'Invalid value: "another": field is immutable',
        field: "metadata.uid",
      });
    expect((await ask(`GET ${maps}/one`)).body).toEqual(one);
  });

  test("treats a uid inside a whole object as a precondition", async () => {
    const { body: one } = await ask(`POST ${maps}`, map("one"));
    const put = { ...one, metadata: { ...one.metadata, uid: "another" } };
    const { status, body } = await ask(`PUT ${maps}/one`, put);
    expect([status, body.reason]).toEqual([409, "Conflict"]);
    expect(body.message).toContain(
      `Precondition failed: UID in precondition: another, UID in object meta: ${one.metadata.uid}`,
    );
  });

  test("keeps status apart from the rest", async () => {
    cluster.api.create(linuxNode("n"));
    await ask("PATCH /api/v1/nodes/n", { spec: { unschedulable: true }, status: { phase: "x" } }, MERGE);
    const { body } = await ask(
      "PATCH /api/v1/nodes/n/status",
      { spec: { unschedulable: false }, status: { phase: "y" } },
      MERGE,
    );
    expect(body.spec.unschedulable).toBe(true);
    expect(body.status.phase).toBe("y");
  });

  test("raises the generation only with the spec", async () => {
    const path = "/apis/apps/v1/namespaces/default/deployments";
    await ask(`POST ${path}`, deployment("web", 1));
    await ask(`PATCH ${path}/web`, { metadata: { labels: { a: "b" } } }, MERGE);
    expect((await ask(`PATCH ${path}/web`, { spec: { replicas: 2 } }, MERGE)).body.metadata.generation).toBe(2);
  });

  test("refuses to change or remove a Node's pod network", async () => {
    await ask("POST /api/v1/nodes", { ...linuxNode("n"), status: {} });
    const patch = (spec: object) => ask("PATCH /api/v1/nodes/n", { spec }, MERGE);
    expect((await patch({ podCIDR: "10.128.4.0/23" })).body.message).toBe(
      'Node "n" is invalid: spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    );
    expect((await patch({ podCIDR: null, podCIDRs: null })).status).toBe(422);
    const half = await patch({ podCIDR: null });
    expect([half.status, half.body.spec.podCIDR]).toEqual([200, "10.128.2.0/23"]);
  });

  test("refuses to change a provider id or a pod's spec", async () => {
    cluster.api.create({ ...linuxNode("n"), spec: { providerID: "aws:///a/i-1" } });
    const node = await ask("PATCH /api/v1/nodes/n", { spec: { providerID: "aws:///a/i-2" } }, MERGE);
    expect(node.body.message).toContain('node updates may not change providerID except from "" to valid');
    await ask("POST /api/v1/namespaces/default/pods", pod("p"));
    const changed = await ask("PATCH /api/v1/namespaces/default/pods/p", { spec: { hostNetwork: true } }, MERGE);
    expect([changed.status, changed.body.message.includes("pod updates may not change fields other than")]).toEqual([
      422,
      true,
    ]);
  });

  test("requires a version where the real server does", async () => {
    const path = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "n" }, spec: {} };
    await ask(`POST ${path}`, lease);
    expect((await ask(`PUT ${path}/n`, lease)).body.message).toContain(
      "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
    );
  });

  test("refuses strategic merge for custom resources", async () => {
    sandboxOnly("asks for a kind of OKD");
    const headers = { "content-type": "application/strategic-merge-patch+json" };
    const { status, body } = await ask(
      "PATCH /apis/machine.openshift.io/v1beta1/namespaces/default/machines/m",
      {},
      headers,
    );
    expect([status, body.message]).toEqual([
      415,
      expect.stringContaining(
        "accepted media types include: application/json-patch+json, application/merge-patch+json",
      ),
    ]);
  });
});

describe("deleting", () => {
  test("refuses when the object is not the one that was judged", async () => {
    await ask(`POST ${maps}`, map("one"));
    const { status, body } = await ask(`DELETE ${maps}/one`, { preconditions: { uid: "other" } });
    expect([status, body.reason]).toEqual([409, "Conflict"]);
    expect(body.message).toContain("the UID in the precondition (other) does not match the UID in record");
  });

  test("waits for finalizers, and refuses new ones", async () => {
    await ask(`POST ${maps}`, map("held", { finalizers: ["example.com/hold"] }));
    const deleted = await ask(`DELETE ${maps}/held`);
    expectNow(deleted.body.metadata.deletionTimestamp, deleted);
    const more = await ask(
      `PATCH ${maps}/held`,
      { metadata: { finalizers: ["example.com/hold", "example.com/more"] } },
      MERGE,
    );
    expect(more.body.message).toContain("no new finalizers can be added if the object is being deleted");
    await ask(`PATCH ${maps}/held`, { metadata: { finalizers: [] } }, MERGE);
    expect((await ask(`GET ${maps}/held`)).status).toBe(404);
  });

  test("gives a running pod its grace and ends it earlier when it can", async () => {
    cluster.api.create(linuxNode("n"));
    await ask(
      "POST /api/v1/namespaces/default/pods",
      pod("slow", { containers: [{ name: "m", image: "i", lifecycle: { preStop: { sleep: { seconds: 12 } } } }] }),
    );
    await cluster.pass(10);
    const { body } = await ask("DELETE /api/v1/namespaces/default/pods/slow");
    expect(body.metadata).toMatchObject({ deletionGracePeriodSeconds: 30, deletionTimestamp: "2026-11-21T12:00:40Z" });
    await cluster.pass(13);
    expect((await ask("GET /api/v1/namespaces/default/pods/slow")).status).toBe(200);
    await cluster.pass(2);
    expect((await ask("GET /api/v1/namespaces/default/pods/slow")).status).toBe(404);
  });

  test("removes an unscheduled pod at once, and any pod with grace 0", async () => {
    await ask("POST /api/v1/namespaces/default/pods", pod("waiting"));
    await ask("DELETE /api/v1/namespaces/default/pods/waiting");
    expect((await ask("GET /api/v1/namespaces/default/pods/waiting")).status).toBe(404);
    cluster.api.create(linuxNode("n"));
    await ask("POST /api/v1/namespaces/default/pods", pod("running"));
    await cluster.pass(10);
    await ask("DELETE /api/v1/namespaces/default/pods/running", { gracePeriodSeconds: 0 });
    expect((await ask("GET /api/v1/namespaces/default/pods/running")).status).toBe(404);
  });

  test("deletes dependents, orphans them, or waits for them in the foreground", async () => {
    needsControllers();
    const owned = async (name: string) => {
      const { body } = await ask(`POST ${maps}`, map(name));
      await ask(
        `POST ${maps}`,
        map(`${name}-child`, {
          ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name, uid: body.metadata.uid, controller: true }],
        }),
      );
    };
    for (const policy of ["Background", "Orphan", "Foreground"]) await owned(policy.toLowerCase());
    for (const policy of ["Background", "Orphan"])
      await ask(`DELETE ${maps}/${policy.toLowerCase()}?propagationPolicy=${policy}`);
    const foreground = await ask(`DELETE ${maps}/foreground?propagationPolicy=Foreground`);
    expect(foreground.body.metadata.finalizers).toEqual(["foregroundDeletion"]);
    const left = async () => namesIn((await ask(`GET ${maps}`)).body);
    await cluster.until(async () => (await left()).length <= 1, "the end of the dependents");
    expect(await left()).toEqual(["orphan-child"]);
  });

  test("deletes what a selector matches and nothing else", async () => {
    await ask(`POST ${maps}`, map("a", { labels: { go: "yes" } }));
    await ask(`POST ${maps}`, map("b"));
    await ask(`DELETE ${maps}?labelSelector=go%3Dyes`);
    expect([(await ask(`GET ${maps}/a`)).status, (await ask(`GET ${maps}/b`)).status]).toEqual([404, 200]);
  });
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import type { Ask, StillCluster } from "./cluster.ts";
import { deployment, linuxNode, stillCluster } from "./cluster.ts";

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

beforeEach(async () => {
  cluster = await stillCluster();
  ask = cluster.admin;
});
afterEach(() => cluster.stop());

describe("creating", () => {
  test("gives uid, version and creation time by the sandbox's clock", async () => {
    const { status, body } = await ask(`POST ${maps}`, map("one"));
    expect(status).toBe(201);
    expect(body.metadata).toMatchObject({
      name: "one",
      namespace: "default",
      creationTimestamp: "2026-11-21T12:00:00Z",
    });
    const later = await ask(`POST ${maps}`, map("two"));
    expect(Number(later.body.metadata.resourceVersion)).toBeGreaterThan(Number(body.metadata.resourceVersion));
    expect(later.body.metadata.uid).not.toBe(body.metadata.uid);
  });

  test("refuses a second object of the same name", async () => {
    await ask(`POST ${maps}`, map("one"));
    const { status, body } = await ask(`POST ${maps}`, map("one"));
    expect([status, body.reason, body.message]).toEqual([409, "AlreadyExists", 'configmaps "one" already exists']);
  });

  test("makes names from generateName", async () => {
    const { body } = await ask(`POST ${maps}`, { ...map(""), metadata: { generateName: "made-" } });
    expect(body.metadata.name).toMatch(/^made-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test.each([
    ["no name", map(""), "metadata.name: Required value: name or generateName is required"],
    ["a bad name", map("Not_Lower"), "a lowercase RFC 1123 subdomain must consist of"],
    ["a bad label key", map("a", { labels: { "a b": "c" } }), "name part must consist of alphanumeric characters"],
    ["a long label value", map("a", { labels: { a: "x".repeat(64) } }), "must be no more than 63 bytes"],
    ["half an owner", map("a", { ownerReferences: [{ name: "x" }] }), "uid must not be empty"],
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

  test("refuses a namespace that is not there, and one that is going", async () => {
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

  test("refuses a body of another kind, of another name, or of an unknown form", async () => {
    expect((await ask(`POST ${maps}`, pod("a"))).status).toBe(400);
    expect((await ask(`POST ${maps}`, "{")).status).toBe(400);
    expect((await ask(`POST ${maps}`, "x", { "content-type": "text/plain" })).status).toBe(415);
    expect((await ask(`PUT ${maps}/other`, map("one"))).body.message).toContain("does not match the name on the URL");
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

  test("treats a version or uid inside a patch as a precondition", async () => {
    await ask(`POST ${maps}`, map("one"));
    expect((await ask(`PATCH ${maps}/one`, { metadata: { resourceVersion: "1" } }, MERGE)).status).toBe(409);
    expect((await ask(`PATCH ${maps}/one`, { metadata: { uid: "somebody-else" } }, MERGE)).body.message).toContain(
      "Precondition failed: UID in precondition: somebody-else",
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

  test("raises the generation with the spec alone", async () => {
    const path = "/apis/apps/v1/namespaces/default/deployments";
    await ask(`POST ${path}`, deployment("web", 1));
    await ask(`PATCH ${path}/web`, { metadata: { labels: { a: "b" } } }, MERGE);
    expect((await ask(`PATCH ${path}/web`, { spec: { replicas: 2 } }, MERGE)).body.metadata.generation).toBe(2);
  });

  test("does not let a provider id or a pod's spec be changed", async () => {
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

  test("demands a version where the real server does", async () => {
    const path = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "n" }, spec: {} };
    await ask(`POST ${path}`, lease);
    expect((await ask(`PUT ${path}/n`, lease)).body.message).toContain(
      "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
    );
  });

  test("takes no strategic merge for custom resources", async () => {
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
  test("refuses when the object is another than was judged", async () => {
    await ask(`POST ${maps}`, map("one"));
    const { status, body } = await ask(`DELETE ${maps}/one`, { preconditions: { uid: "other" } });
    expect([status, body.reason]).toEqual([409, "Conflict"]);
    expect(body.message).toContain("the UID in the precondition (other) does not match the UID in record");
  });

  test("waits for finalizers, and lets no new ones be added", async () => {
    await ask(`POST ${maps}`, map("held", { finalizers: ["example.com/hold"] }));
    expect((await ask(`DELETE ${maps}/held`)).body.metadata.deletionTimestamp).toBe("2026-11-21T12:00:00Z");
    const more = await ask(
      `PATCH ${maps}/held`,
      { metadata: { finalizers: ["example.com/hold", "example.com/more"] } },
      MERGE,
    );
    expect(more.body.message).toContain("no new finalizers can be added if the object is being deleted");
    await ask(`PATCH ${maps}/held`, { metadata: { finalizers: [] } }, MERGE);
    expect((await ask(`GET ${maps}/held`)).status).toBe(404);
  });

  test("gives a running pod its grace and ends it before that when it can", async () => {
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

  test("removes at once a pod that runs nowhere, and any pod with grace 0", async () => {
    await ask("POST /api/v1/namespaces/default/pods", pod("waiting"));
    await ask("DELETE /api/v1/namespaces/default/pods/waiting");
    expect((await ask("GET /api/v1/namespaces/default/pods/waiting")).status).toBe(404);
    cluster.api.create(linuxNode("n"));
    await ask("POST /api/v1/namespaces/default/pods", pod("running"));
    await cluster.pass(10);
    await ask("DELETE /api/v1/namespaces/default/pods/running", { gracePeriodSeconds: 0 });
    expect((await ask("GET /api/v1/namespaces/default/pods/running")).status).toBe(404);
  });

  test("takes dependents along, leaves orphans, or waits for them in the foreground", async () => {
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
    for (const policy of ["Background", "Orphan", "Foreground"])
      await ask(`DELETE ${maps}/${policy.toLowerCase()}?propagationPolicy=${policy}`);
    expect((await ask(`GET ${maps}/foreground`)).body.metadata.finalizers).toEqual(["foregroundDeletion"]);
    await cluster.pass(2);
    const { body } = await ask(`GET ${maps}`);
    expect(body.items.map((one: { metadata: { name: string } }) => one.metadata.name)).toEqual(["orphan-child"]);
  });

  test("deletes what a selector chooses and nothing else", async () => {
    await ask(`POST ${maps}`, map("a", { labels: { go: "yes" } }));
    await ask(`POST ${maps}`, map("b"));
    await ask(`DELETE ${maps}?labelSelector=go%3Dyes`);
    expect([(await ask(`GET ${maps}/a`)).status, (await ask(`GET ${maps}/b`)).status]).toEqual([404, 200]);
  });
});

describe("listing", () => {
  const names = (body: { items: { metadata: { name: string } }[] }) => body.items.map(({ metadata }) => metadata.name);

  test("pages over one moment, and forgets it after five minutes", async () => {
    for (const name of ["a", "b", "c"]) await ask(`POST ${maps}`, map(name));
    const { body: first } = await ask(`GET ${maps}?limit=2`);
    expect([names(first), first.metadata.remainingItemCount]).toEqual([["a", "b"], 1]);
    await ask(`DELETE ${maps}/c`);
    expect(names((await ask(`GET ${maps}?limit=2&continue=${first.metadata.continue}`)).body)).toEqual(["c"]);
    await cluster.pass(301);
    const { status, body } = await ask(`GET ${maps}?limit=2&continue=${first.metadata.continue}`);
    expect([status, body.reason]).toEqual([410, "Expired"]);
  });

  test.each(["a in (", "a=b=c", "!,"])("refuses the selector %s", async (selector) => {
    expect((await ask(`GET ${maps}?labelSelector=${encodeURIComponent(selector)}`)).status).toBe(400);
  });

  test("writes no form that the client did not ask for", async () => {
    expect((await ask(`GET ${maps}`, undefined, { accept: "application/vnd.kubernetes.protobuf" })).status).toBe(406);
    const { body } = await ask(`GET ${maps}`, undefined, {
      accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
    });
    expect(body.kind).toBe("PartialObjectMetadataList");
  });
});

describe("watching", () => {
  const events = (text: string) =>
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  const open = async (query: string) => {
    const watching = ask(`GET ${maps}?watch=1&timeoutSeconds=100&${query}`);
    return async () => {
      await cluster.pass(101);
      const { body } = await watching;
      return typeof body === "string" ? events(body) : [body];
    };
  };
  const short = (list: { type: string; object: { metadata: { name?: string } } }[]) =>
    list.map(({ type, object }) => `${type} ${object.metadata.name ?? ""}`.trim());

  test("begins with the present and tells every change", async () => {
    await ask(`POST ${maps}`, map("old"));
    const close = await open("");
    await ask(`POST ${maps}`, map("new"));
    await ask(`PATCH ${maps}/new`, { data: { a: "b" } }, MERGE);
    await ask(`DELETE ${maps}/old`);
    expect(short(await close())).toEqual(["ADDED old", "ADDED new", "MODIFIED new", "DELETED old"]);
  });

  test("tells of what moves into and out of the selection", async () => {
    await ask(`POST ${maps}`, map("one"));
    const close = await open("labelSelector=in%3Dyes");
    await ask(`PATCH ${maps}/one`, { metadata: { labels: { in: "yes" } } }, MERGE);
    await ask(`PATCH ${maps}/one`, { metadata: { labels: { in: "no" } } }, MERGE);
    expect(short(await close())).toEqual(["ADDED one", "DELETED one"]);
  });

  test("goes on from a version, with bookmarks when asked", async () => {
    const { body } = await ask(`POST ${maps}`, map("one"));
    await ask(`POST ${maps}`, map("two"));
    const close = await open(`resourceVersion=${body.metadata.resourceVersion}&allowWatchBookmarks=true`);
    expect(short(await close())).toEqual(["ADDED two", "BOOKMARK"]);
  });

  test("says 410 for a version from before a restart", async () => {
    const store = openStore(":memory:");
    const before = await stillCluster(store);
    const { body } = await before.admin(`POST ${maps}`, map("one"));
    await before.admin(`POST ${maps}`, map("two"));
    before.stop();
    const after = await stillCluster(store);
    const answer = await after.admin(`GET ${maps}?watch=1&resourceVersion=${body.metadata.resourceVersion}`);
    expect(answer.body).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
    after.stop();
  });
});

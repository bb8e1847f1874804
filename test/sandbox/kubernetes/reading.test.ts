import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { turn } from "../../../lib/sandbox/core/activity.ts";
import { type PacedClock, pacedClock } from "../../../lib/sandbox/core/paced-clock.ts";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import type { Ask, StillCluster } from "./cluster.ts";
import { clusterOn, isGiven, NOON, namesIn, needsKind, sandboxOnly, stillCluster } from "./cluster.ts";

let cluster: StillCluster;
let ask: Ask;

const maps = "/api/v1/namespaces/default/configmaps";
const map = (name: string, more: object = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...more } });
const fastClock = () => pacedClock(NOON, 10);
const MERGE = { "content-type": "application/merge-patch+json" };

beforeEach(async () => {
  cluster = await stillCluster();
  ask = cluster.admin;
});
afterEach(() => cluster.stop());

describe("listing", () => {
  test("pages over one snapshot", async () => {
    for (const name of ["a", "b", "c"]) await ask(`POST ${maps}`, map(name));
    const { body: first } = await ask(`GET ${maps}?limit=2`);
    expect(namesIn(first)).toEqual(["a", "b"]);
    expect(first.metadata.remainingItemCount).toBeGreaterThanOrEqual(1);
    await ask(`DELETE ${maps}/c`);
    expect(namesIn((await ask(`GET ${maps}?limit=2&continue=${first.metadata.continue}`)).body)).toEqual(["c"]);
  });

  test("names the kind of a built-in type's objects once, for all of them", async () => {
    await ask(`POST ${maps}`, map("one"));
    const { body } = await ask(`GET ${maps}`);
    expect([body.apiVersion, body.kind]).toEqual(["v1", "ConfigMapList"]);
    for (const item of body.items) expect([item.apiVersion, item.kind]).toEqual([undefined, undefined]);
    const { body: one } = await ask(`GET ${maps}/one`);
    expect([one.apiVersion, one.kind]).toEqual(["v1", "ConfigMap"]);
  });

  test("names the kind of a custom type's objects in each of them", async () => {
    const sets = "/apis/config.openshift.io/v1/imagedigestmirrorsets";
    await needsKind(cluster, `GET ${sets}`);
    const kind = { apiVersion: "config.openshift.io/v1", kind: "ImageDigestMirrorSet" };
    await ask(`POST ${sets}`, { ...kind, metadata: { name: "listed" }, spec: {} });
    const { body } = await ask(`GET ${sets}`);
    expect(body.kind).toBe("ImageDigestMirrorSetList");
    for (const item of body.items) expect(item).toMatchObject(kind);
  });

  test("drops a snapshot after five minutes", async () => {
    for (const name of ["a", "b", "c"]) await ask(`POST ${maps}`, map(name));
    const { body: first } = await ask(`GET ${maps}?limit=2`);
    await cluster.pass(301);
    const { status, body } = await ask(`GET ${maps}?limit=2&continue=${first.metadata.continue}`);
    expect([status, body.reason]).toEqual([410, "Expired"]);
  });

  test.each(["a in (", "a=b=c", "!,"])("refuses the selector %s", async (selector) => {
    expect((await ask(`GET ${maps}?labelSelector=${encodeURIComponent(selector)}`)).status).toBe(400);
  });

  test("writes JSON to a client that prefers protobuf, which every client accepts", async () => {
    sandboxOnly("writes no protobuf");
    expect((await ask(`GET ${maps}`, undefined, { accept: "application/vnd.kubernetes.protobuf" })).status).toBe(406);
  });

  test("writes only metadata to a client that asks for it", async () => {
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
  /** Opens a watch of some seconds; returns everything that it sent. */
  const open = async (query: string, seconds = 3) => {
    let whole: unknown;
    void ask(`GET ${maps}?watch=1&timeoutSeconds=${seconds}&${query}`).then(({ body }) => {
      whole = body;
    });
    return async () => {
      await cluster.until(() => whole !== undefined, "the end of the watch");
      return typeof whole === "string" ? events(whole) : [whole];
    };
  };
  /** Reads the cluster's current version: a watch from it gets every later change. */
  const version = async (): Promise<string> => (await ask(`GET ${maps}`)).body.metadata.resourceVersion;
  const short = (list: { type: string; object: { metadata: { name?: string } } }[]) =>
    list
      .filter(({ object }) => !isGiven(object.metadata.name))
      .map(({ type, object }) => `${type} ${object.metadata.name ?? ""}`.trim());

  test("starts with the present state", async () => {
    await ask(`POST ${maps}`, map("old"));
    const close = await open("");
    expect(short(await close())).toEqual(["ADDED old"]);
  });

  test("sends every change", async () => {
    await ask(`POST ${maps}`, map("old"));
    const close = await open(`resourceVersion=${await version()}`);
    await ask(`POST ${maps}`, map("new"));
    await ask(`PATCH ${maps}/new`, { data: { a: "b" } }, MERGE);
    await ask(`DELETE ${maps}/old`);
    expect(short(await close())).toEqual(["ADDED new", "MODIFIED new", "DELETED old"]);
  });

  test("sends what enters and leaves the selection", async () => {
    await ask(`POST ${maps}`, map("one"));
    const close = await open(`labelSelector=in%3Dyes&resourceVersion=${await version()}`);
    await ask(`PATCH ${maps}/one`, { metadata: { labels: { in: "yes" } } }, MERGE);
    await ask(`PATCH ${maps}/one`, { metadata: { labels: { in: "no" } } }, MERGE);
    expect(short(await close())).toEqual(["ADDED one", "DELETED one"]);
  });

  test("continues from a version, with bookmarks on request", async () => {
    sandboxOnly("needs the sandbox's clock");
    const { body } = await ask(`POST ${maps}`, map("one"));
    await ask(`POST ${maps}`, map("two"));
    const close = await open(`resourceVersion=${body.metadata.resourceVersion}&allowWatchBookmarks=true`, 100);
    await cluster.pass(61);
    expect(short(await close())).toEqual(["ADDED two", "BOOKMARK"]);
  });

  test("waits for a future version and sends the changes after it", async () => {
    sandboxOnly("knows which version comes next");
    const { body } = await ask(`POST ${maps}`, map("one"));
    const close = await open(`resourceVersion=${Number(body.metadata.resourceVersion) + 1}`);
    await ask(`POST ${maps}`, map("two"));
    await ask(`POST ${maps}`, map("three"));
    expect(short(await close())).toEqual(["ADDED three"]);
  });

  test("lasts as long by the client's clock on a fast one", async () => {
    sandboxOnly("needs the sandbox's clock");
    const fast = await clusterOn(fastClock());
    const watching = fast.api.answer({
      method: "GET",
      url: `${maps}?watch=1&timeoutSeconds=100`,
      headers: { authorization: `Bearer ${fast.api.issueToken({ name: "a", groups: ["system:masters"] }, null)}` },
      body: new Uint8Array(),
    });
    const events = (await watching).body as AsyncIterable<string>;
    let ended: number | undefined;
    void (async () => {
      for await (const _event of events);
      ended = fast.simulation.clock.now() - NOON;
    })();
    await (fast.simulation.clock as PacedClock).advance(2_000_000, async () => turn());
    expect(ended).toBeGreaterThanOrEqual(1_000_000);
    (fast.simulation.clock as PacedClock).stop();
  });

  test("answers 410 for a version from before a restart", async () => {
    sandboxOnly("restarts the sandbox");
    const store = openStore(":memory:");
    const before = await stillCluster(store);
    const { body } = await before.admin(`POST ${maps}`, map("one"));
    await before.admin(`POST ${maps}`, map("two"));
    await before.stop();
    const after = await stillCluster(store);
    const answer = await after.admin(`GET ${maps}?watch=1&resourceVersion=${body.metadata.resourceVersion}`);
    expect(answer.body).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
    await after.stop();
  });
});

test("the keys that verify tokens are served to service accounts, and to no other user", async () => {
  const keys = (accept: string, asker = cluster.admin) => asker("GET /openid/v1/jwks", undefined, { accept });
  expect((await keys("application/json")).status).toBe(406);
  const { status, headers, body } = await keys("application/jwk-set+json");
  expect([status, headers["content-type"]]).toEqual([200, "application/jwk-set+json"]);
  expect(body.keys[0]).toMatchObject({ use: "sig", kty: expect.any(String), alg: expect.any(String) });
  const accounts = "POST /api/v1/namespaces/default/serviceaccounts";
  await cluster.admin(accounts, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "verified" },
  });
  const token = await cluster.admin(`${accounts}/verified/token`, { spec: { expirationSeconds: 3_600 } });
  const header = JSON.parse(Buffer.from(token.body.status.token.split(".")[0], "base64url").toString());
  expect(body.keys.map(({ kid }: { kid: string }) => kid)).toContain(header.kid);
  const about = await cluster.admin("GET /.well-known/openid-configuration");
  expect(about.body).toMatchObject({ response_types_supported: ["id_token"], subject_types_supported: ["public"] });
  const account = cluster.as("system:serviceaccount:default:verified", ["system:serviceaccounts"]);
  expect((await keys("*/*", account)).status).toBe(200);
  const refused = await cluster.as("visitor")("GET /openid/v1/jwks");
  expect([refused.status, refused.body.message]).toEqual([
    403,
    'forbidden: User "visitor" cannot get path "/openid/v1/jwks"',
  ]);
});

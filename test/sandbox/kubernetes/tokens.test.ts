import { afterEach, beforeEach, expect, test } from "vitest";
import { type StillCluster, stillCluster } from "./cluster.ts";

// Words and decisions of k8s pkg/registry/core/serviceaccount/storage/token.go and pkg/serviceaccount/claims.go.

const NAMESPACE = "/api/v1/namespaces/casement";
const TOKEN = `POST ${NAMESPACE}/serviceaccounts/look/token`;

let cluster: StillCluster;
beforeEach(async () => {
  cluster = await stillCluster();
});
afterEach(() => cluster.stop());

const uidOf = (name: string) =>
  cluster.api.objects("secrets").find(({ metadata }) => metadata.name === name)?.metadata.uid;

const bound = (ref: object) => cluster.admin(TOKEN, { spec: { expirationSeconds: 3_600, boundObjectRef: ref } });

const secret = { apiVersion: "v1", kind: "Secret", name: "look" };

/** Returns the API server's status for a request with this token. */
const opens = async (token: string): Promise<number> =>
  (await cluster.admin("GET /api/v1/nodes", undefined, { authorization: `Bearer ${token}` })).status;

test("a token is bound to a Secret by name, and carries its uid", async () => {
  const { status, body } = await bound(secret);
  expect([status, body.spec.boundObjectRef]).toEqual([201, secret]);
  const claims = JSON.parse(Buffer.from(body.status.token.split(".")[1], "base64url").toString());
  expect(claims["kubernetes.io"]).toMatchObject({
    namespace: "casement",
    secret: { name: "look", uid: uidOf("look") },
    serviceaccount: { name: "look" },
  });
  expect((await bound({ ...secret, uid: uidOf("look") })).status).toBe(201);
});

test("an unbound token shows its binding as null", async () => {
  const { body } = await cluster.admin(TOKEN, { spec: { expirationSeconds: 3_600 } });
  expect(body.spec).toEqual({
    audiences: ["https://kubernetes.default.svc"],
    expirationSeconds: 3_600,
    boundObjectRef: null,
  });
});

test.each<[string, object, number, string]>([
  ["a Secret that is not there", { ...secret, name: "nobody" }, 404, 'secrets "nobody" not found'],
  [
    "another Secret of the name",
    { ...secret, uid: "other" },
    409,
    'Operation cannot be fulfilled on Secret "look": the UID in the bound object reference (other) does not match the UID in record. The object might have been deleted and then recreated',
  ],
  ["a ConfigMap", { ...secret, kind: "ConfigMap" }, 400, "cannot bind token to object of type /v1, Kind=ConfigMap"],
])("a token is not bound to %s", async (_what, ref, code, message) => {
  const { status, body } = await bound(ref);
  expect([status, body.message]).toEqual([code, message]);
});

test.each(["secrets", "serviceaccounts"])(
  "a token ends at most ten seconds after its object among %s",
  async (plural) => {
    const { body } = await bound(secret);
    const { token } = body.status;
    expect(await opens(token)).toBe(200);
    await cluster.pass(5);
    await cluster.admin(`DELETE ${NAMESPACE}/${plural}/look`);
    expect(await opens(token)).toBe(200);
    await cluster.pass(4);
    expect(await opens(token)).toBe(200);
    await cluster.pass(1);
    expect(await opens(token)).toBe(401);
  },
);

test("a token that was not used lately ends with its Secret at once, and stays invalid when the Secret is recreated", async () => {
  const { body } = await bound(secret);
  await cluster.admin(`DELETE ${NAMESPACE}/secrets/look`);
  expect(await opens(body.status.token)).toBe(401);
  const again = { apiVersion: "v1", kind: "Secret", metadata: { name: "look", namespace: "casement" } };
  expect((await cluster.admin(`POST ${NAMESPACE}/secrets`, again)).status).toBe(201);
  expect(await opens(body.status.token)).toBe(401);
  expect(await opens((await bound(secret)).body.status.token)).toBe(200);
});

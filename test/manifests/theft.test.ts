import { afterAll, beforeAll, expect, test } from "vitest";
import { type accounts, userOf } from "../../lambdas/cluster/accounts.ts";
import { CLIENT, requestFor, signingRequest } from "../sandbox/kubernetes/certificates.ts";
import { linuxNode, type StillCluster, stillCluster } from "../sandbox/kubernetes/cluster.ts";

// Tests the documents' claim about a stolen credential: `join` is as powerful as an administrator, the other two are
// not.

const csrs = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const MASTER = "master-0";

let cluster: StillCluster;

beforeAll(async () => {
  cluster = await stillCluster();
  cluster.api.create(linuxNode(MASTER, { "node-role.kubernetes.io/control-plane": "" }));
  const metadata = { name: "etcd-signer", namespace: "kube-system" };
  cluster.api.create({ apiVersion: "v1", kind: "Secret", metadata, data: { "tls.key": "c2VjcmV0" } } as never);
  const volumes = [{ name: "signer", secret: { secretName: "etcd-signer" } }];
  const spec = { nodeName: MASTER, containers: [{ name: "main", image: "etcd" }], volumes };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "etcd", namespace: "kube-system" }, spec };
  cluster.api.create({ ...pod, status: { phase: "Running" } } as never);
});
afterAll(() => cluster.stop());

/** Requests the certificate of a control plane node with an account's rights; returns the status of each step. */
async function becomeMaster(account: (typeof accounts)[number]) {
  const thief = cluster.as(userOf(account));
  const path = "/api/v1/namespaces/openshift-machine-config-operator/serviceaccounts/node-bootstrapper/token";
  const made = await thief(`POST ${path}`, { spec: { audiences: [], expirationSeconds: 600 } });
  const headers: Record<string, string> =
    made.status === 201 ? { authorization: `Bearer ${made.body.status.token}` } : {};
  const { requestPem } = await requestFor(`O=system:nodes, CN=system:node:${MASTER}`);
  const request = signingRequest(`theft-${account}`, requestPem, CLIENT, ["digital signature", "client auth"]);
  const asked = await thief(`POST ${csrs}`, request, headers);
  const conditions = [{ type: "Approved", status: "True", reason: "Theft", message: "" }];
  const approved = await thief(`PUT ${csrs}/theft-${account}/approval`, { ...asked.body, status: { conditions } });
  return [made.status, asked.status, approved.status];
}

test("the credential of join yields a control plane node's certificate, and so the Secrets of its pods", async () => {
  expect(await becomeMaster("join")).toEqual([201, 201, 200]);
  await cluster.pass(5);
  const { body } = await cluster.admin(`GET ${csrs}/theft-join`);
  const clientCertificate = Buffer.from(body.status.certificate, "base64").toString("utf8");
  const read = await cluster.api.answer(
    { method: "GET", url: "/api/v1/namespaces/kube-system/secrets/etcd-signer", headers: {}, body: new Uint8Array() },
    { clientCertificate },
  );
  expect([read.status, JSON.parse(String(read.body)).data]).toEqual([200, { "tls.key": "c2VjcmV0" }]);
});

test.each(["look", "act"] as const)("the credential of %s does not", async (account) => {
  expect(await becomeMaster(account)).toEqual([403, 403, 403]);
  const secrets = await cluster.as(userOf(account))("GET /api/v1/namespaces/kube-system/secrets/etcd-signer");
  expect(secrets.status).toBe(403);
});

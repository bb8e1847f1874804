import { afterEach, beforeEach, expect, test } from "vitest";
import type { KubeObject } from "../../../lib/sandbox/kubernetes/model/object.ts";
import type { SigningRequest } from "../../../lib/sandbox/kubernetes/model/shapes.ts";
import { machineApprover } from "../../../lib/sandbox/neighbours/machine-approver.ts";
import { CLIENT, requestFor, SERVING, signingRequest } from "../kubernetes/certificates.ts";
import { type Ask, linuxNode, type StillCluster, stillCluster } from "../kubernetes/cluster.ts";

const NAME = "ip-10-0-0-50.us-west-2.compute.internal";
const SUBJECT = `O=system:nodes, CN=system:node:${NAME}`;
const CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const BOOTSTRAPPER = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper";

let cluster: StillCluster;
beforeEach(async () => {
  cluster = await stillCluster();
  machineApprover.start({ kubernetes: cluster.api } as Parameters<typeof machineApprover.start>[0]);
});
afterEach(() => cluster.stop());

/** A Machine whose instance has these names; it was linked to its Node or not. */
const machine = (nodeRef: object = {}): KubeObject =>
  cluster.api.create({
    apiVersion: "machine.openshift.io/v1beta1",
    kind: "Machine",
    metadata: { name: "winworker-1", namespace: "openshift-machine-api" },
    spec: {},
    status: {
      ...nodeRef,
      addresses: [
        { type: "InternalDNS", address: NAME },
        { type: "InternalIP", address: "10.0.0.50" },
      ],
    },
  } as unknown as KubeObject);

async function decided(ask: Ask, signer: string, names: Parameters<typeof requestFor>[1] = []): Promise<string[]> {
  const { requestPem } = await requestFor(SUBJECT, names);
  const usages = ["digital signature", signer === CLIENT ? "client auth" : "server auth"];
  const made = await ask(`POST ${CSRS}`, signingRequest("r", requestPem, signer, usages));
  expect(made.status).toBe(201);
  await cluster.pass(1);
  const csr = (await cluster.admin(`GET ${CSRS}/r`)).body as SigningRequest;
  return (csr.status?.conditions ?? []).map(({ type, reason }) => `${type} ${reason}`);
}

const APPROVED = ["Approved NodeCSRApprove"];
const joining = (): Ask => cluster.as(BOOTSTRAPPER);
const node = (): Ask => cluster.as(`system:node:${NAME}`, ["system:nodes"]);
const rightNames = [
  { type: "dns", value: NAME },
  { type: "ip", value: "10.0.0.50" },
] as const;

test("it approves the first certificate of a young Machine's node", async () => {
  machine();
  expect(await decided(joining(), CLIENT)).toEqual(APPROVED);
});

test("it leaves what no Machine names to others", async () => {
  expect(await decided(joining(), CLIENT)).toEqual([]);
});

test("it leaves a Machine that has its Node already", async () => {
  machine({ nodeRef: { name: NAME } });
  expect(await decided(joining(), CLIENT)).toEqual([]);
});

test("it approves no request of a Machine that is older than two hours", async () => {
  machine();
  await cluster.pass(2 * 3_600 + 60);
  expect(await decided(joining(), CLIENT)).toEqual([]);
});

test("it approves a serving certificate for addresses of the node's own Machine alone", async () => {
  machine({ nodeRef: { name: NAME } });
  cluster.api.create(linuxNode(NAME));
  expect(await decided(node(), SERVING, [...rightNames])).toEqual(APPROVED);
});

test("it approves none for a foreign address", async () => {
  machine({ nodeRef: { name: NAME } });
  cluster.api.create(linuxNode(NAME));
  expect(await decided(node(), SERVING, [...rightNames, { type: "dns", value: "api.example.com" }])).toEqual([]);
});

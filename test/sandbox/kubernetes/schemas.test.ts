import { afterEach, beforeEach, expect, test } from "vitest";
import { deployment, linuxNode, type StillCluster, stillCluster } from "./cluster.ts";

let cluster: StillCluster;

const MERGE = { "content-type": "application/merge-patch+json" };

beforeEach(async () => {
  cluster = await stillCluster();
  cluster.api.create(linuxNode("n"));
});
afterEach(() => cluster.stop());

test("drops a field that the API does not have, as the real server does", async () => {
  const { status, body } = await cluster.admin(
    "PATCH /api/v1/nodes/n",
    { metadata: { lables: { a: "b" } }, spec: { unscheduleable: true } },
    MERGE,
  );
  expect(status).toBe(200);
  expect(body.metadata).not.toHaveProperty("lables");
  expect(body.spec).not.toHaveProperty("unscheduleable");
});

test("refuses it when the client asks for strictness", async () => {
  const path = "/apis/apps/v1/namespaces/default/deployments?fieldValidation=Strict";
  const wrong = { ...deployment("web", 1), spec: { ...(deployment("web", 1).spec as object), replicsa: 3 } };
  const { status, body } = await cluster.admin(`POST ${path}`, wrong);
  expect([status, body.message]).toEqual([
    400,
    'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.replicsa"',
  ]);
  expect((await cluster.admin(`POST ${path}`, deployment("web", 1))).status).toBe(201);
});

test.each([
  [
    "a label that is no text",
    { metadata: { labels: { a: 1 } } },
    "json: cannot unmarshal number into Go struct field metadata.labels of type string",
  ],
  [
    "a switch that is text",
    { spec: { unschedulable: "true" } },
    "json: cannot unmarshal string into Go struct field spec.unschedulable of type bool",
  ],
  [
    "a list that is none",
    { spec: { taints: { key: "a" } } },
    "json: cannot unmarshal object into Go struct field spec.taints of type []",
  ],
  [
    "a time that is none",
    { status: { conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: "noon" }] } },
    "into Go struct field status.conditions[0].lastHeartbeatTime of type v1.Time",
  ],
])("refuses %s", async (_what, patch, words) => {
  const { status, body } = await cluster.admin("PATCH /api/v1/nodes/n", patch, MERGE);
  expect([status, body.reason]).toEqual([422, "Invalid"]);
  expect(body.message).toContain(words);
});

test("reads quantities written as numbers, and a custom resource without a schema as it comes", async () => {
  const limited = deployment("web", 1, { containers: [{ name: "m", image: "i", resources: { limits: { cpu: 2 } } }] });
  expect((await cluster.admin("POST /apis/apps/v1/namespaces/default/deployments", limited)).status).toBe(201);
  const machine = {
    apiVersion: "machine.openshift.io/v1beta1",
    kind: "Machine",
    metadata: { name: "m" },
    spec: { anything: [1, "two"] },
  };
  const { body } = await cluster.admin(
    "POST /apis/machine.openshift.io/v1beta1/namespaces/openshift-machine-api/machines",
    machine,
  );
  expect(body.spec).toEqual(machine.spec);
});

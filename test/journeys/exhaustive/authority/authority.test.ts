import { afterEach, expect, test } from "vitest";
import { expectSound, heldBack } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { authorityOn, nodes, replaceSignerOf, startTalking } from "../../kubelet-signer.ts";
import { batch, ec2, kubectl, otherWeb, type SeedNode, web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { privately } from "../../reading.ts";
import { confirmRemoval } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const CONFIG = "/apis/machineconfiguration.openshift.io/v1/controllerconfigs/machine-config-controller";

/** A cluster in which each of these nodes runs a pod whose log is read. */
async function start(talking: readonly SeedNode[] = nodes): Promise<void> {
  here = await startTalking(talking);
}

const replaceSigner = (): Promise<void> => replaceSignerOf(here);
const hashOn = (node: SeedNode): string | undefined => authorityOn(here, node);

const publish = (pem: string): Promise<void> =>
  kubectl(here, "PATCH", CONFIG, { spec: { kubeAPIServerServingCAData: Buffer.from(pem).toString("base64") } });

const said = (words: string): number => here.said().filter((one) => one.includes(words)).length;
const notified = (): string[] => [...new Set(here.simulator.topic.notifications().map(({ message }) => message))];
const operations = async () => (await here.operations()).filter(({ request }) => request.command === "authority");

test.for([
  ["empty", () => "", "holds no certificate"],
  ["not a certificate", () => "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", "cannot be read"],
  ["cut off", (pem: string) => pem.slice(0, -100), "is cut off inside a certificate"],
  ["short of one authority", (pem: string) => pem.split(/(?<=-----END CERTIFICATE-----\n)/)[0] ?? "", "holds fewer"],
] as const)("an authority that is %s changes no node and calls people once", async ([, damaged, why]) => {
  await start([]);
  const before = nodes.map(hashOn);
  await publish(damaged(here.simulator.kubernetes.kubeletClients()));
  await here.pass(50);
  expect(nodes.map(hashOn)).toEqual(before);
  expect(said(why)).toBe(1);
  expect(notified().filter((one) => one.includes(why))).toHaveLength(1);
  expect(await operations()).toEqual([]);
  await publish(here.simulator.kubernetes.kubeletClients());
  await here.pass(16);
  expect(said("client authority is kept up to date again")).toBe(1);
  await expectSound(here);
});

test("a first node that fails leaves the others untouched, and people are told why", async () => {
  await start();
  await replaceSigner();
  for (const node of nodes) injectFault(here, "disk-full", { instanceId: node.instanceId }, 20);
  const before = nodes.map(hashOn);
  await here.until(() => said("2 nodes not touched") === 1, 30, "the failure");
  expect(nodes.map(hashOn)).toEqual(before);
  await here.pass(1);
  expect(notified().filter((one) => one.includes("kubelet-ca.crt"))).toHaveLength(1);
  await here.pass(30);
  expect(said("2 nodes not touched")).toBe(1);
  expect((await operations())[0]?.status).toBe("failed");
});

test("a person who may cancel calls it off, and the end names the schedule and the person; nobody is paged", async () => {
  await start();
  await replaceSigner();
  const before = nodes.map(hashOn);
  await here.until(async () => (await operations()).length === 1, 20, "the operation");
  for (const { instanceId } of nodes) injectFault(here, "agent-silent", { instanceId });
  const id = (await operations())[0]?.id ?? "";
  await here.type("visitor", `/win cancel ${id}`);
  expect(privately(here, "visitor").at(-1)).toContain("do not have permission to use `cancel`");
  expect((await operations())[0]?.cancelledBy).toBeNull();
  await here.type("approver", `/win cancel ${id}`);
  await here.until(async () => (await operations())[0]?.endedAt !== null, 15, "its end");
  expect((await operations())[0]).toMatchObject({ status: "cancelled", cancelledBy: "U0APPROVER" });
  expect(nodes.map(hashOn)).toEqual(before);
  const end = here.said().find((one) => one.includes("Cancelled by <@U0APPROVER>")) ?? "";
  expect(end).toContain("started by the schedule `authority`");
  expect(end).toContain("⏹️");
  expect(notified()).toEqual([]);
  expect(await heldBack(here)).toEqual([]);
});

test("an error after the nodes were leased ends the operation and gives every lease back at once", async () => {
  await start();
  await replaceSigner();
  injectFault(here, "kubernetes-5xx", { verb: "patch", resource: "nodes" });
  await here.until(async () => (await operations()).length === 1, 20, "the operation");
  await here.until(async () => (await operations())[0]?.endedAt !== null, 15, "its end");
  expect((await operations())[0]).toMatchObject({ status: "failed", summary: "0 nodes updated, 3 nodes failed." });
  expect(await heldBack(here)).toEqual([]);
  await here.pass(1);
  expect(notified().filter((one) => one.includes("3 nodes failed"))).toHaveLength(1);
});

test("an operation that Slack cannot be told of ends as it went", async () => {
  await start();
  await replaceSigner();
  await here.until(async () => (await operations()).length === 1, 20, "the operation");
  injectFault(here, "slack-5xx", { method: "chat.postMessage" });
  await here.until(async () => (await operations())[0]?.endedAt !== null, 20, "its end");
  expect((await operations())[0]).toMatchObject({ status: "succeeded", summary: "3 nodes updated." });
});

test("a node that is off is caught up when it is back", async () => {
  await start([web, batch]);
  await ec2(here, "StopInstances", { "InstanceId.1": otherWeb.instanceId });
  await here.pass(3);
  const before = hashOn(otherWeb);
  await replaceSigner();
  await here.until(() => said("2 nodes updated") === 1, 40, "the others");
  expect(hashOn(otherWeb)).toBe(before);
  await ec2(here, "StartInstances", { "InstanceId.1": otherWeb.instanceId });
  await here.until(() => said("1 node updated") === 1, 60, "the one that was off");
  expect(hashOn(otherWeb)).toBe(hashOn(web));
});

test("a node that a removal works on is left to it", async () => {
  await start([web, otherWeb, batch]);
  injectFault(here, "kubernetes-5xx", { resource: "pods/eviction" });
  await replaceSigner();
  await here.pass(8);
  await confirmRemoval(here, web.name);
  const before = hashOn(web);
  await here.until(() => said("2 nodes updated") === 1, 16, "the other nodes");
  expect(hashOn(web)).toBe(before);
  const [operation] = await operations();
  const worked = await here.nodes(operation?.id ?? "");
  expect(worked.map(({ nodeName }) => nodeName).toSorted()).toEqual([batch.name, otherWeb.name].toSorted());
});

test("two ticks at once change each node once", async () => {
  await start();
  await replaceSigner();
  const rule = "arn:aws:events:us-west-2:111122223333:rule/casement-prod-west-authority";
  const tick = (id: string) => ({ "detail-type": "Scheduled Event", id, resources: [rule] });
  for (const id of ["tick-1", "tick-2"]) here.simulator.lambda.send("casement-prod-west-cloud-events", tick(id));
  await here.until(() => said("3 nodes updated") === 1, 40, "the change");
  await here.pass(5);
  expect((await operations()).filter(({ status }) => status === "succeeded")).toHaveLength(1);
  await expectSound(here);
});

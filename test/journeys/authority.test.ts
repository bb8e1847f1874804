import { afterEach, expect, test } from "vitest";
import { denied, expectSound, heldBack } from "./evidence.ts";
import { type Journey, startJourney } from "./journey.ts";
import { batch, ec2, kubectl, otherWeb, podOn, running, type SeedNode, web } from "./others.ts";
import { injectFault, kubectlLogs } from "./outside.ts";
import { privately } from "./reading.ts";
import { confirmRemoval } from "./removal.ts";

let here: Journey;
afterEach(() => here.close());

const SIGNER = "/api/v1/namespaces/openshift-kube-apiserver-operator/secrets/kube-apiserver-to-kubelet-signer";
const CONFIG = "/apis/machineconfiguration.openshift.io/v1/controllerconfigs/machine-config-controller";
const FILE = "C:\\k\\kubelet-ca.crt";
const nodes = [web, otherWeb, batch];

const podNameOn = ({ instanceId }: SeedNode): string => `pod-of-${instanceId.slice(-6)}`;

/** A cluster in which each of these nodes runs a pod whose log is read. */
async function start(talking: readonly SeedNode[] = nodes): Promise<void> {
  here = await startJourney({ seedNodes: true });
  for (const node of talking) here.simulator.kubernetes.create(podOn(node, podNameOn(node)));
  await here.until(() => talking.every((node) => running(here, podNameOn(node)) === 1), 5, "the pods");
}

/** The cluster replaces the signer; ten minutes later the API server shows a certificate of the new one. */
async function replaceSigner(): Promise<void> {
  await kubectl(here, "PATCH", SIGNER, {
    metadata: { annotations: { "auth.openshift.io/certificate-not-after": null } },
  });
  await here.pass(1);
}

const publish = (pem: string): Promise<void> =>
  kubectl(here, "PATCH", CONFIG, { spec: { kubeAPIServerServingCAData: Buffer.from(pem).toString("base64") } });

const hashOn = ({ instanceId }: SeedNode): string | undefined =>
  here.simulator.machines.describe(instanceId)?.files.find(({ path }) => path === FILE)?.sha256;
const logsOn = async (node: SeedNode): Promise<number> => (await kubectlLogs(here, podNameOn(node))).status;
const said = (words: string): number => here.said().filter((one) => one.includes(words)).length;
const notified = (): string[] => [...new Set(here.simulator.topic.notifications().map(({ message }) => message))];
const operations = async () => (await here.operations()).filter(({ request }) => request.command === "authority");

test("a new signer of the cluster's reaches every node, one node first, and logs are read again on all", async () => {
  await start();
  const before = hashOn(web);
  await replaceSigner();
  await here.pass(40);
  expect(nodes.map(hashOn).every((hash) => hash !== before && hash === hashOn(web))).toBe(true);
  expect(await Promise.all(nodes.map(logsOn))).toEqual([200, 200, 200]);
  const [operation] = await operations();
  expect(await operations()).toHaveLength(1);
  expect(operation).toMatchObject({
    status: "succeeded",
    origin: { by: "rule", rule: "authority" },
    summary: "3 nodes updated.",
  });
  expect(said("3 nodes updated")).toBe(1);
  expect(JSON.stringify(here.said())).not.toContain("<@");
  await here.type("operator", "/win operations");
  await here.pass(1);
  expect(privately(here, "operator").at(-1)).toMatch(/authority-[0-9a-f]{8}.*succeeded.*authority/);
  const sent = here.simulator.simulation.store
    .collection<{ comment: string; instanceIds: readonly string[] }>("ssm-commands")
    .values()
    .filter(({ comment }) => comment.startsWith(operation?.id ?? "none"));
  expect(sent.map(({ instanceIds }) => instanceIds.length)).toEqual([1, 2]);
  expect(notified()).toEqual([]);
  await expectSound(here);
});

test("nothing is said and nothing is changed while every node has what the cluster publishes", async () => {
  await start([]);
  const messages = here.said().length;
  await here.pass(50);
  expect(here.said()).toHaveLength(messages);
  expect(await operations()).toEqual([]);
  expect(denied(here)).toEqual([]);
});

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
  expect(said("can be read from the cluster again")).toBe(1);
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

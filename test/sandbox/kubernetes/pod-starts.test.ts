import { afterEach, beforeEach, expect, test } from "vitest";
import type { Pod } from "../../../lib/sandbox/kubernetes/model/shapes.ts";
import { linuxNode, type StillCluster, sandboxOnly, stillCluster } from "./cluster.ts";

let cluster: StillCluster;
beforeEach(async () => {
  cluster = await stillCluster();
  cluster.api.create(linuxNode("lin"));
});
afterEach(() => cluster.stop());

const PODS = "/api/v1/namespaces/default/pods";

/** A pod bound to the Linux node. */
const podOf = (securityContext: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "one", namespace: "default" },
  spec: { nodeName: "lin", containers: [{ name: "main", image: "busybox", securityContext }] },
});

/** Makes a pod, and shows it some seconds later. */
async function started(securityContext: object = {}, seconds = 30): Promise<Pod> {
  expect((await cluster.admin(`POST ${PODS}`, podOf(securityContext))).status).toBe(201);
  await cluster.pass(seconds);
  return (await cluster.admin(`GET ${PODS}/one`)).body as unknown as Pod;
}

const reasons = async (): Promise<unknown[]> => (await cluster.objects("events")).map(({ reason }) => reason);

/** Gives the namespace a range of user ids, as OpenShift's controllers do. */
async function giveRange(): Promise<void> {
  const body = { metadata: { annotations: { "openshift.io/sa.scc.uid-range": "1000680000/10000" } } };
  const headers = { "content-type": "application/merge-patch+json" };
  expect((await cluster.admin("PATCH /api/v1/namespaces/default", body, headers)).status).toBe(200);
}

test("a container that must not run as root needs a user, by itself or by its namespace", async () => {
  const pod = await started({ runAsNonRoot: true });
  expect(pod.status).toMatchObject({
    phase: "Pending",
    containerStatuses: [{ state: { waiting: { reason: "CreateContainerConfigError" } } }],
  });
  expect((await cluster.admin(`DELETE ${PODS}/one?gracePeriodSeconds=0`)).status).toBe(200);
  expect((await started({ runAsNonRoot: true, runAsUser: 65_534 })).status?.phase).toBe("Running");
  await cluster.admin(`DELETE ${PODS}/one?gracePeriodSeconds=0`);
  await giveRange();
  expect((await started({ runAsNonRoot: true })).status?.phase).toBe("Running");
});

test("OpenShift refuses a user outside the range of the namespace", async () => {
  sandboxOnly("another server is not OpenShift");
  await giveRange();
  const answer = await cluster.admin(`POST ${PODS}`, podOf({ runAsUser: 65_534 }));
  expect(answer).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining("must be in the ranges: [1000680000, 1000689999]") },
  });
  expect((await cluster.admin(`POST ${PODS}`, podOf({ runAsUser: 1_000_680_001 }))).status).toBe(201);
});

test("a kubelet that rejects a pod fails it without a container", async () => {
  cluster.simulation.faults.inject("pod-rejected", { node: "lin", reason: "OutOfpods" });
  const { status } = await started();
  expect(status).toMatchObject({ phase: "Failed", reason: "OutOfpods" });
  expect(status?.containerStatuses).toBeUndefined();
  expect(await reasons()).toContain("OutOfpods");
});

test("a pod whose image is being pulled waits without an address for ten minutes, and then runs", async () => {
  cluster.simulation.faults.inject("image-pull-slow", { node: "lin" });
  const { status } = await started();
  expect(status).toMatchObject({
    phase: "Pending",
    containerStatuses: [{ state: { waiting: { reason: "ContainerCreating" } } }],
  });
  expect(status?.podIP).toBeUndefined();
  expect(await reasons()).toContain("Pulling");
  await cluster.pass(600);
  expect(((await cluster.admin(`GET ${PODS}/one`)).body as unknown as Pod).status?.phase).toBe("Running");
});

test("a kubelet that cannot make the sandbox of a pod says so by Events, and tries again", async () => {
  cluster.simulation.faults.inject("pod-sandbox-fails", { node: "lin" }, 2);
  const { status } = await started({}, 10);
  expect(status?.phase).toBe("Pending");
  expect(await reasons()).toContain("FailedCreatePodSandBox");
  await cluster.pass(40);
  expect(((await cluster.admin(`GET ${PODS}/one`)).body as unknown as Pod).status?.phase).toBe("Running");
});

import type { V1Node } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startingTaint } from "../../../lambdas/cluster/node-keys.ts";
import { CLIENT_SIGNER, SERVING_SIGNER } from "../../../lambdas/cluster/signers.ts";
import { Retryable } from "../../../lambdas/errors.ts";
import { linuxNode } from "../../sandbox/kubernetes/cluster.ts";
import { type TestSimulator, testSimulator } from "../test-simulator.ts";
import {
  bootstrapper,
  client,
  commonName,
  expecting,
  nodeName,
  rightSubject,
  serving,
  signed,
} from "./signing-requests.ts";

type KubeObject = ReturnType<TestSimulator["kubernetes"]["create"]>;

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
  simulator.resume();
});
afterAll(() => simulator.close());

const verbs = () => simulator.as("provision-node");
const stored = (object: object): KubeObject => simulator.kubernetes.create(object as KubeObject);
const windowsNode = (name: string, spec: object = {}): KubeObject =>
  stored({ ...linuxNode(name), metadata: { name, labels: { "kubernetes.io/os": "windows" } }, spec });
const read = async (name: string): Promise<V1Node> => (await verbs().nodes.read(name)) ?? {};
const taints = [
  { key: "os", value: "Windows", effect: "NoSchedule" },
  { key: startingTaint.key, effect: "NoSchedule" },
];

describe("A node", () => {
  it("is read by name, and its absence is an answer", async () => {
    windowsNode("read-1");
    expect(await read("read-1")).toMatchObject({ metadata: { name: "read-1" } });
    expect(await verbs().nodes.read("read-2")).toBeUndefined();
  });

  it("gets labels beside those it has, and no write when they are there", async () => {
    windowsNode("label-1");
    await verbs().nodes.label(await read("label-1"), { "casement.dev/pool": "web" });
    const after = await read("label-1");
    expect(after.metadata?.labels).toMatchObject({ "kubernetes.io/os": "windows", "casement.dev/pool": "web" });
    await verbs().nodes.label(after, { "casement.dev/pool": "web" });
    expect((await read("label-1")).metadata?.resourceVersion).toBe(after.metadata?.resourceVersion);
  });

  it("loses one taint and keeps the others", async () => {
    windowsNode("taint-1", { taints });
    await verbs().nodes.untaint(await read("taint-1"), startingTaint.key);
    const left = (await read("taint-1")).spec?.taints?.map(({ key }) => key);
    expect(left).toContain("os");
    expect(left).not.toContain(startingTaint.key);
  });

  it("is not changed by who has read it before somebody else changed it", async () => {
    windowsNode("taint-2", { taints });
    const before = await read("taint-2");
    await verbs().nodes.label(before, { "casement.dev/changed": "since" });
    await expect(verbs().nodes.untaint(before, startingTaint.key)).rejects.toThrow(Retryable);
    expect((await read("taint-2")).spec?.taints?.map(({ key }) => key)).toContain(startingTaint.key);
  });

  it("is changed as it was read, or not at all", async () => {
    windowsNode("cordon-1");
    const before = await read("cordon-1");
    await verbs().nodes.change(before, { spec: { unschedulable: true } });
    expect((await read("cordon-1")).spec?.unschedulable).toBe(true);
    await expect(verbs().nodes.change(before, {})).rejects.toThrow(Retryable);
  });

  it("keeps others' taints to the letter when one of ours is taken off", async () => {
    const lost = { key: "node.kubernetes.io/unreachable", effect: "NoExecute", timeAdded: "2026-11-21T08:00:01Z" };
    windowsNode("taint-3", { taints: [...taints, lost] });
    await verbs().nodes.untaint(await read("taint-3"), startingTaint.key);
    expect((await read("taint-3")).spec?.taints?.map(({ key }) => key)).toEqual(["os", lost.key]);
  });

  it("is deleted only if it is the one that was judged, and never while it is Ready", async () => {
    windowsNode("delete-1");
    const uid = (await read("delete-1")).metadata?.uid ?? "";
    await verbs().nodes.remove("delete-1", "00000000-0000-4000-8000-000000000000");
    expect(await read("delete-1")).toMatchObject({ metadata: { uid } });
    expect((await read("delete-1")).spec?.unschedulable).toBeUndefined();
    expect(await verbs().nodes.remove("delete-1", uid)).toBe(false);
    expect(await read("delete-1")).toMatchObject({ metadata: { uid }, spec: { unschedulable: true } });
  });

  it("is deleted before it was in service; gone already is fine", async () => {
    windowsNode("delete-2", { taints: [startingTaint] });
    const uid = (await read("delete-2")).metadata?.uid ?? "";
    for (const _ of ["there", "gone"]) expect(await verbs().nodes.remove("delete-2", uid)).toBe(true);
    expect(await verbs().nodes.read("delete-2")).toBeUndefined();
  });

  it("carries what happens to it as Events", async () => {
    windowsNode("event-1");
    const uid = (await read("event-1")).metadata?.uid ?? "";
    await verbs().nodes.announce({ name: "event-1", uid }, "Warning", "CasementFailed", "x".repeat(3_000));
    const [event] = simulator.kubernetes.objects("events").filter((one) => one.reason === "CasementFailed");
    expect(event).toMatchObject({ type: "Warning", involvedObject: { kind: "Node", name: "event-1", uid } });
    expect(event?.message).toHaveLength(1_024);
  });
});

describe("Lists", () => {
  const host = { machine: "10.0.0.77", kind: "windows-instances", owner: "10.0.0.77" };

  it("are read to their last page", { tags: ["long"] }, async () => {
    for (let index = 0; index < 520; index += 1)
      stored({ ...pod(`page-${index}`), spec: { ...pod("x").spec, nodeName: "paged" } });
    expect(await verbs().nodes.podsOn("paged")).toHaveLength(520);
    expect((await verbs().nodes.pods()).length).toBeGreaterThanOrEqual(520);
  });

  it("of claims are empty on a cluster that knows neither Machines nor WMCO's list", async () => {
    expect(await verbs().claims.all()).toEqual([]);
  });

  it("of claims name the addresses that WMCO was given", async () => {
    const metadata = { name: "windows-instances", namespace: "openshift-windows-machine-config-operator" };
    stored({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { "10.0.0.77": "username=Administrator" } });
    expect(await verbs().claims.all()).toEqual([host]);
  });

  it("of claims name the instances of Machines, and no Machine that has none yet", async () => {
    const metadata = (name: string) => ({ name, namespace: "openshift-machine-api" });
    const machine = { apiVersion: "machine.openshift.io/v1beta1", kind: "Machine" };
    stored({ ...machine, metadata: metadata("win-1"), spec: { providerID: "aws:///us-west-2a/i-0c000000000000001" } });
    stored({ ...machine, metadata: metadata("win-2"), spec: {} });
    const [one, two] = ["i-0c000000000000001", "i-0c000000000000002"];
    const ownerReferences = [{ apiVersion: machine.apiVersion, kind: "MachineSet", name: "winworker", uid: "u" }];
    const spec = { providerID: `aws:///us-west-2a/${two}` };
    stored({ ...machine, metadata: { ...metadata("win-3"), ownerReferences }, spec });
    expect(await verbs().claims.all()).toEqual([
      { machine: one, kind: "machine", owner: "win-1" },
      { machine: two, kind: "machine-set", owner: "winworker" },
      host,
    ]);
  });
});

const pod = (name: string, labels: Record<string, string> = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", labels },
  spec: { nodeName: "evict-1", containers: [{ name: "main", image: "pause" }] },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
});

describe("A signing request", () => {
  const groups = (username: string) =>
    username === bootstrapper
      ? ["system:serviceaccounts", "system:authenticated"]
      : ["system:nodes", "system:authenticated"];
  const ask = (name: string, { signerName, username, credentials, usages, pem }: ReturnType<typeof client>): void => {
    const spec = {
      signerName,
      username,
      extra: { "authentication.kubernetes.io/credential-id": [...credentials] },
      groups: groups(username),
      usages: [...usages],
      request: Buffer.from(pem).toString("base64"),
    };
    stored({
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name },
      spec,
      status: {},
    });
  };
  const conditionsOf = (name: string): unknown =>
    (
      simulator.kubernetes
        .objects("certificatesigningrequests", "certificates.k8s.io")
        .find(({ metadata }) => metadata.name === name)?.status as { conditions?: unknown } | undefined
    )?.conditions;

  it("that is right is approved and signed; mismatches stay pending and are reported", async () => {
    const subject = [...rightSubject, { OU: ["x"] }];
    ask("csr-near", client({ pem: await signed({ subject }) }));
    ask("csr-right", client());
    const look = await verbs().csrs.approveFor(CLIENT_SIGNER, expecting(false), "i-0first");
    expect(look).toEqual({
      approved: { name: "csr-right", by: null },
      mismatches: [{ name: "csr-near", why: expect.stringMatching(/subject/) }],
      approvedWrongly: [],
      denied: [],
    });
    expect(conditionsOf("csr-right")).toMatchObject([{ type: "Approved", status: "True", reason: "CasementApprove" }]);
    expect(conditionsOf("csr-near")).toBeUndefined();
  });

  it("is looked at for its own signer; what was approved for an instance is found again for this one alone", async () => {
    windowsNode(nodeName);
    ask("csr-serving", serving());
    const look = (signer: string, instanceId: string) => verbs().csrs.approveFor(signer, expecting(true), instanceId);
    expect(await look(CLIENT_SIGNER, "i-0second")).toMatchObject({ approved: null });
    expect(await look(SERVING_SIGNER, "i-0second")).toMatchObject({ approved: { name: "csr-serving", by: null } });
    const approvals = conditionsOf("csr-serving");
    expect(await look(SERVING_SIGNER, "i-0second")).toMatchObject({
      approved: { name: "csr-serving", by: null },
      mismatches: [{ name: "csr-near" }],
    });
    expect(await look(SERVING_SIGNER, "i-0third")).toMatchObject({
      approved: null,
      mismatches: [{ name: "csr-near" }],
    });
    expect(conditionsOf("csr-serving")).toEqual(approvals);
  });

  it("is approved once for an instance: a second right one stays pending", async () => {
    ask("csr-once", client({ pem: await signed({ subject: rightSubject }) }));
    const look = () => verbs().csrs.approveFor(CLIENT_SIGNER, expecting(false), "i-0once");
    expect(await look()).toMatchObject({ approved: { name: "csr-once", by: null } });
    ask("csr-twice", client({ pem: await signed({ subject: rightSubject }) }));
    expect(await look()).toMatchObject({ approved: { name: "csr-once", by: null } });
    expect(conditionsOf("csr-twice")).toBeUndefined();
  });

  it("in a stranger's name is reported after a minute, left as it is, and nobody is asked while there is none", {
    tags: ["long"],
  }, async () => {
    let asked = 0;
    const known = async () => {
      asked += 1;
      return { instances: [nodeName], nodes: [] };
    };
    const suspicious = () => verbs().csrs.suspicious(expecting(false), known);
    ask(
      "csr-stranger",
      client({ pem: await signed({ subject: [{ O: ["system:nodes"] }, { CN: ["system:node:x"] }] }) }),
    );
    expect(await suspicious()).toEqual([]);
    expect(asked).toBe(0);
    await simulator.pass(60);
    expect(await suspicious()).toEqual([{ name: "csr-stranger", why: expect.stringContaining("no instance of this") }]);
    expect(asked).toBe(1);
    expect(conditionsOf("csr-stranger")).toBeUndefined();
  });

  it("is approved by one of two who look at the same moment; the other looks again", async () => {
    ask("csr-race", client({ pem: await signed({ subject: rightSubject }) }));
    const look = () => verbs().csrs.approveFor(CLIENT_SIGNER, expecting(false), "i-0race");
    const looks = await Promise.allSettled([look(), look()]);
    expect(looks.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(looks.find((one) => one.status === "rejected")?.reason).toBeInstanceOf(Retryable);
  });

  it("counts as pending until somebody decides", async () => {
    const before = await verbs().csrs.pendingCount();
    ask("csr-count", client({ username: commonName }));
    expect(await verbs().csrs.pendingCount()).toBe(before + 1);
  });
});

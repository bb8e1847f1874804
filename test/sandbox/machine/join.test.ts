import "reflect-metadata";
import { Pkcs10CertificateRequest } from "@peculiar/x509";
import { describe, expect, it } from "vitest";
import { startService, stopService } from "../../../lambdas/machine/actions.ts";
import type { Action } from "../../../lambdas/machine/plan.ts";
import { logOf } from "../../../lambdas/profiles/okd/services.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { sha256Of } from "../../../lib/sandbox/machine/disk.ts";
import { payloadContent } from "../../../lib/sandbox/machine/payload.ts";
import {
  allActions,
  bootstrapToken,
  clusterFixture,
  configured,
  joined,
  readyOf,
  rebooted,
} from "./cluster-fixture.ts";
import { instance, joinSecret, minutes, resultOf } from "./fixture.ts";

const facts = instance(1);
const id = facts.instanceId;
const name = facts.privateDnsName;

/** Actions that stop a service, do this, and start it again. */
const restarting = (service: string, ...changes: Action[]): Action[] => [
  stopService(service),
  ...changes,
  startService(service, logOf(service)),
];

describe("a machine that joins", () => {
  it("becomes a Ready node by its own programs, with the configured names, taints and addresses", async () => {
    const fixture = await clusterFixture();
    await joined(fixture, facts);
    const node = fixture.node(name);
    expect(node?.metadata.labels).toMatchObject({
      "kubernetes.io/os": "windows",
      "kubernetes.io/arch": "amd64",
      "kubernetes.io/hostname": name,
      "node.kubernetes.io/windows-build": "10.0.20348",
    });
    expect(node?.spec.taints?.map((taint) => taint.key)).toContain("casement.dev/starting");
    expect(node?.spec.providerID).toBe(`aws:///us-west-2a/${id}`);
    expect(node?.status.nodeInfo).toMatchObject({
      kubeletVersion: "v1.34.2",
      containerRuntimeVersion: "containerd://1.7.28",
      bootID: fixture.machines.describe(id)?.bootId,
      osImage: "Windows Server 2022 Datacenter",
    });
    expect(node?.metadata.annotations["k8s.ovn.org/hybrid-overlay-distributed-router-gateway-mac"]).toMatch(
      /^00-15-5D/,
    );
    const states = fixture.machines.describe(id)?.services.filter((service) => service.name !== "Amazon EC2Launch");
    expect(states?.filter((service) => service.state !== "Running")).toEqual([]);
  });

  it("tells the starts of its processes as they were, though its clock is set afterwards", async () => {
    const fixture = await clusterFixture();
    await joined(fixture, facts);
    const questions = { services: [{ name: "kubelet" }, { name: "hns" }] };
    const answers = async () => resultOf(await fixture.run(id, "observe", { questions })).hashes;
    const before = await answers();
    expect(before).toEqual({ services: expect.any(String) });
    fixture.simulation.faults.inject("clock-wrong", { instanceId: id, how: "ahead" });
    expect(await answers()).toEqual(before);
  });

  it("requests exactly the certificates that a kubelet requests", async () => {
    const fixture = await clusterFixture();
    await joined(fixture, facts);
    const asked = fixture.requests().map(({ spec }) => {
      const request = new Pkcs10CertificateRequest(Buffer.from(spec.request, "base64").toString("utf8"));
      return `${spec.signerName} | ${spec.username} | ${request.subject} | ${spec.usages.join(",")}`;
    });
    // Names of requests are random, and lists are ordered by name.
    expect(asked).toContain(
      `kubernetes.io/kube-apiserver-client-kubelet | system:serviceaccount:openshift-machine-config-operator:node-bootstrapper | O=system:nodes, CN=system:node:${name} | digital signature,client auth`,
    );
    expect(asked).toContain(
      `kubernetes.io/kubelet-serving | system:node:${name} | O=system:nodes, CN=system:node:${name} | digital signature,server auth`,
    );
  });

  it("stays without a Node until its request is approved, and then joins", async () => {
    const fixture = await clusterFixture();
    fixture.approving = false;
    await configured(fixture, facts);
    await fixture.clock.advance(minutes(5));
    expect(fixture.requests()).toHaveLength(1);
    expect(fixture.node(name)).toBeUndefined();
    fixture.approving = true;
    await fixture.clock.until(() => fixture.node(name) !== undefined, minutes(1));
  });

  it("backs off with an expired token and logs it", async () => {
    const fixture = await clusterFixture();
    fixture.approving = false;
    await configured(fixture, facts, 1);
    await fixture.clock.advance(minutes(3));
    expect(fixture.requests()).toEqual([]);
    expect(fixture.machines.logOf(id).join("\n")).toContain(
      "Certificate request failed: cannot create certificate signing request: 401",
    );
  });

  it("reports NotReady with the runtime's reason until its network exists", async () => {
    const fixture = await clusterFixture();
    await configured(fixture, facts);
    await fixture.clock.until(() => fixture.node(name) !== undefined, minutes(5));
    await fixture.clock.advance(minutes(1));
    expect(readyOf(fixture.node(name))).toMatchObject({
      status: "False",
      reason: "KubeletNotReady",
      message: expect.stringContaining("NetworkReady=false reason:NetworkPluginNotReady"),
    });
  });

  it("stops the kubelet with containerd, and the node becomes Unknown", async () => {
    const fixture = await clusterFixture();
    await joined(fixture, facts);
    await fixture.apply(id, [{ do: "service-state", name: "containerd", state: "Stopped" }]);
    const { services = [] } = fixture.machines.describe(id) ?? {};
    expect(services.find((service) => service.name === "kubelet")?.state).toBe("Stopped");
    await fixture.clock.advance(minutes(2));
    expect(readyOf(fixture.node(name))?.status).toBe("Unknown");
  });

  it("has no kubelet without the program that provides its credentials for images", async () => {
    const fixture = await clusterFixture();
    await configured(fixture, facts);
    const restarted = restarting("kubelet", { do: "remove-file", path: "C:\\k\\ecr-credential-provider.exe" });
    expect(resultOf(await fixture.apply(id, restarted))).toMatchObject({
      failed: { error: expect.stringContaining("C:\\k\\ecr-credential-provider.exe did not exist") },
    });
  });

  it("has no kubelet that sets a label which only the cluster may set", async () => {
    const fixture = await clusterFixture();
    await configured(fixture, facts);
    const service = allActions(fixture, facts).configure.find((one) => one.do === "service" && one.name === "kubelet");
    if (service?.do !== "service") throw new Error("the plan defines no kubelet");
    const commandLine = service.commandLine.replace("--node-labels=", "--node-labels=node-role.kubernetes.io/worker=,");
    const restarted = restarting("kubelet", { ...service, commandLine });
    expect(resultOf(await fixture.apply(id, restarted))).toMatchObject({
      failed: { error: expect.stringContaining("[node-role.kubernetes.io/worker]") },
    });
  });

  it("has a kube-proxy older than 1.33 only with the feature gate that it needs for direct server return", async () => {
    const fixture = await clusterFixture();
    await joined(fixture, facts);
    const old = payloadContent("kube-proxy", "1.32.9");
    fixture.bucket.set(`${demo.bucket}/payload/old@v1`, old);
    const task = allActions(fixture, facts).configure.filter((one) => one.do === "task");
    const gated = task.map((one) => ({ ...one, arguments: [...one.arguments, "-FeatureGates", "WinDSR,WinOverlay"] }));
    const replaced = restarting("kube-proxy", {
      do: "file",
      path: "C:\\k\\kube-proxy.exe",
      source: { from: "bucket", bucket: demo.bucket, key: "payload/old", version: "v1" },
      sha256: sha256Of(old),
      access: "inherited",
    });
    expect(resultOf(await fixture.apply(id, replaced))).toMatchObject({
      failed: { error: expect.stringContaining("WinDSR feature gate not enabled") },
    });
    expect(resultOf(await fixture.apply(id, [...gated, ...allActions(fixture, facts).network]))).toMatchObject({
      ok: true,
    });
  });

  it("requests a certificate for another name under kubelet-wrong-csr", async () => {
    const fixture = await clusterFixture();
    fixture.approving = false;
    fixture.simulation.faults.inject("kubelet-wrong-csr", { node: name, how: "extra-san" });
    await configured(fixture, facts);
    await fixture.clock.advance(minutes(1));
    const [first] = fixture.requests();
    const request = new Pkcs10CertificateRequest(Buffer.from(first?.spec.request ?? "", "base64").toString("utf8"));
    expect(request.extensions).toHaveLength(1);
  });
});

describe("a runner of logs", () => {
  it("that is older than the flags it is given ends at once, and with it the kubelet", async () => {
    const fixture = await clusterFixture();
    await joined(fixture, facts);
    const old = payloadContent("kube-log-runner", "1.33.6");
    fixture.bucket.set(`${demo.bucket}/payload/old@v1`, old);
    const replaced = {
      do: "file",
      path: "C:\\k\\kube-log-runner.exe",
      source: { from: "bucket", bucket: demo.bucket, key: "payload/old", version: "v1" },
      sha256: sha256Of(old),
      access: "inherited",
    } as const;
    const plan = [stopService("kube-proxy"), ...restarting("kubelet", replaced)];
    expect(resultOf(await fixture.apply(id, plan))).toMatchObject({
      failed: { error: expect.stringContaining("its exit code is 2") },
    });
  });
});

describe("a killed process", () => {
  it("finds the kubelet waiting for the same certificate request as before", async () => {
    const fixture = await clusterFixture();
    fixture.approving = false;
    await configured(fixture, facts);
    await fixture.clock.until(() => fixture.requests().length > 0, minutes(1));
    const again = await clusterFixture(fixture);
    again.machines.resume();
    await again.clock.until(() => again.node(name) !== undefined, minutes(2));
    const clients = again.requests().filter(({ spec }) => spec.signerName.endsWith("apiserver-client-kubelet"));
    expect(clients).toHaveLength(1);
    expect(again.machines.describe(id)?.bootId).toBe(fixture.machines.describe(id)?.bootId);
  });
});

describe("a joined machine", () => {
  it("renews its lease and survives a reboot with the guard, without bootstrap material", async () => {
    const fixture = await clusterFixture();
    await joined(fixture, facts);
    expect(resultOf(await fixture.apply(id, allActions(fixture, facts).afterJoin))).toMatchObject({ ok: true });
    const before = fixture.node(name)?.status.nodeInfo.bootID;
    expect(await rebooted(fixture, id)).toMatchObject({ ok: true });
    await fixture.clock.advance(minutes(4));
    expect(fixture.node(name)?.status.nodeInfo.bootID).not.toBe(before);
    expect(readyOf(fixture.node(name))?.status).toBe("True");
    expect(await fixture.observe(id)).toMatchObject({ metadataAnswers: true, guard: { paths: 1, lastResult: 0 } });
    const { services = [] } = fixture.machines.describe(id) ?? {};
    expect(services.find((service) => service.name === "kube-proxy")?.state).toBe("Running");
  });

  it("loses its agent at a reboot when the guard is gone, although the node comes back", async () => {
    const fixture = await clusterFixture();
    await joined(fixture, facts);
    await fixture.apply(id, [{ do: "remove-file", path: "C:\\Casement\\guard.ps1" }]);
    expect(await rebooted(fixture, id)).toMatchObject({
      ok: false,
      error: expect.stringContaining("no reboot without the guard"),
    });
    fixture.simulation.bus.announce({ kind: "instance-reboot", instanceId: id });
    const pings = fixture.pings.length;
    await fixture.clock.advance(minutes(15));
    expect(fixture.pings).toHaveLength(pings);
    expect(readyOf(fixture.node(name))?.status).toBe("True");
    const six = fixture.machines.describe(id)?.routes.filter((route) => route.prefix.startsWith("169.254."));
    expect(new Set(six?.map((route) => route.interface))).toEqual(new Set(["Ethernet"]));
  });
});

describe("a seeded machine", () => {
  it("is online at once and joins when its requests are approved", async () => {
    const fixture = await clusterFixture();
    fixture.instances.set(id, facts);
    fixture.secrets.set(`${id}/join`, joinSecret(bootstrapToken(fixture, 1_800)));
    const began = fixture.clock.now();
    const seeded = fixture.machines.seed(id, { actions: Object.values(allActions(fixture, facts)).flat() });
    await fixture.clock.until(() => readyOf(fixture.node(name))?.status === "True", minutes(2));
    expect((await seeded).failed).toBeNull();
    expect(fixture.pings[0]?.at).toBeLessThan(began + 5_000);
    expect(fixture.machines.describe(id)?.features).toEqual(["Containers"]);
  });
});

import { afterEach, beforeEach, expect, test } from "vitest";
import type { Action } from "../../../lambdas/machine/plan.ts";
import { at, type KubeObject } from "../../../lib/sandbox/kubernetes/model/object.ts";
import type { Pod } from "../../../lib/sandbox/kubernetes/model/shapes.ts";
import { type ClusterFixture, clusterFixture, joined } from "./cluster-fixture.ts";
import { instance, minutes } from "./fixture.ts";

const facts = instance(1);
const PROXY = "http://proxy.example:3128";
const ECR_IMAGE = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/app:v1";

let here: ClusterFixture;
beforeEach(async () => {
  here = await clusterFixture();
  here.api.attach(here.machines.kubelets);
  await joined(here, facts);
  here.registries.proxies.declare("proxy.example:3128");
});
afterEach(() => here.simulation.store.close());

const variable = (name: string, value: string | null, service = "containerd"): Action => ({
  do: "service-variable",
  service,
  name,
  value,
});

/** Sets variables of services, and starts the services again, so that their processes have them. */
async function inForce(...variables: readonly Action[]): Promise<void> {
  await here.apply(facts.instanceId, [
    ...variables,
    { do: "service-state", name: "containerd", state: "Stopped" },
    { do: "service-state", name: "containerd", state: "Running" },
    { do: "service-state", name: "kubelet", state: "Running" },
  ]);
}

/** Has the node pull an image by a pod. @returns the error of the pull, undefined where it worked */
async function pulled(image = "src.example/team/app:v1", name = "one"): Promise<unknown> {
  here.api.create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: {
      nodeName: facts.privateDnsName,
      tolerations: [{ operator: "Exists" }],
      containers: [{ name: "main", image }],
    },
  } as unknown as KubeObject);
  await here.clock.advance(minutes(2));
  const pod = here.api.objects("pods").find(({ metadata }) => metadata.name === name);
  const [status] = (pod as unknown as Pod | undefined)?.status?.containerStatuses ?? [];
  return at(status?.state, "waiting", "message");
}

/** Requests of the node to proxies: "CONNECT src.example:443 200". */
const asked = (): readonly string[] => [
  ...new Set(here.simulation.calls.after(0, "proxy").map(({ action, status }) => `${action} ${status}`)),
];

test("a running containerd does not use variables that were written after its start", async () => {
  await here.apply(facts.instanceId, [variable("HTTPS_PROXY", PROXY)]);
  expect(await pulled()).toBeUndefined();
  expect(asked()).toEqual([]);
});

test("containerd sends requests through the proxy from its next start, and none for what NO_PROXY names", async () => {
  here.registries.declare("src.example", { isBehindProxy: true });
  await inForce(variable("HTTPS_PROXY", PROXY), variable("NO_PROXY", "other.example"));
  expect(await pulled()).toBeUndefined();
  expect(await pulled("other.example/team/app:v1", "two")).toBeUndefined();
  expect(asked()).toEqual(["CONNECT src.example:443 200"]);
});

test("a registry behind the proxy is not reached without it", async () => {
  here.registries.declare("src.example", { isBehindProxy: true });
  expect(await pulled()).toContain("i/o timeout");
});

test("a proxy that demands another password refuses the pull in Go's words", async () => {
  here.registries.proxies.declare("proxy.example:3128", { credential: "casement:right" });
  await inForce(variable("HTTPS_PROXY", "http://casement:wrong@proxy.example:3128"));
  expect(await pulled()).toMatch(/Head "https:\/\/src\.example\/.*": Proxy Authentication Required/);
  expect(asked()).toEqual(["CONNECT src.example:443 407"]);
});

test("a proxy that does not listen is named without its password", async () => {
  here.simulation.faults.inject("proxy-down", { host: "proxy.example:3128" });
  await inForce(variable("HTTPS_PROXY", "http://casement:canary@proxy.example:3128"));
  const error = await pulled();
  expect(error).toContain("proxyconnect tcp: dial tcp 192.0.2.1:3128: connectex: No connection could be made");
  expect(error).not.toContain("canary");
});

test("the kubelet's plugin asks ECR for a password through the proxy of the kubelet", async () => {
  await inForce(variable("HTTPS_PROXY", PROXY, "kubelet"));
  expect(await pulled(ECR_IMAGE)).toBeUndefined();
  expect(asked()).toEqual(["CONNECT api.ecr.eu-west-1.amazonaws.com:443 200"]);
});

test("without a password of ECR the pull is denied", async () => {
  here.simulation.faults.inject("proxy-denies", { host: "proxy.example:3128" });
  await inForce(variable("HTTPS_PROXY", PROXY, "kubelet"));
  expect(await pulled(ECR_IMAGE)).toContain("authorization failed: no basic auth credentials");
});

import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { afterEach, expect, test } from "vitest";
import { probeNode } from "../../../../lambdas/change/node/probe.ts";
import { clients } from "../../../../lambdas/clients/clients.ts";
import type { ProbeResult } from "../../../../lambdas/health/probe.ts";
import { steps } from "../../../../lambdas/steps/steps.ts";
import { activity } from "../../../../lib/sandbox/core/activity.ts";
import { inProcess } from "../../../../lib/sandbox/in-process.ts";
import type { KubeObject } from "../../../../lib/sandbox/kubernetes/model/object.ts";
import { settingsOf } from "../../../steps/test-simulator.ts";
import { denied } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { podsOn, web } from "../../others.ts";
import { asAdministrator, injectFault } from "../../outside.ts";

let here: Journey;
afterEach(() => here.close());

const images = {
  "2022": "mcr.microsoft.com/windows/servercore:ltsc2022",
  linux: "registry.example.com/tools/busybox:1.37",
};

/** The cluster's policy admits these images. */
const seeded = { seedNodes: true, configuration: { probe: { images } } };

/** Steps and waits of an execution, without a history: what is tried here is the cluster. */
const ctx = {
  step: (_: string, work: () => Promise<unknown>) => work(),
  wait: (_: string, { seconds }: { seconds: number }) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000)),
} as unknown as DurableContext;

/** Tries the data plane of a node of pool web, as the function that drains nodes. */
async function tried(given: object = images, refused: readonly string[] = [], more = {}): Promise<ProbeResult> {
  const settings = settingsOf(here.simulator, "drain-node");
  const transport = inProcess(here.simulator, activity());
  const verbs = steps({ clients: clients(settings, transport), settings, now: Date.now });
  const target = { node: web.name, windows: "2022", images: given, id: "reboot-1-0", ...more } as const;
  const work = probeNode(ctx, verbs, "probe", target);
  const result = await here.drive(work, 10);
  await here.pass(1);
  expect(podsOn(here, web).filter((name) => name.startsWith("probe-"))).toEqual([]);
  expect(denied(here).filter((one) => !refused.some((action) => JSON.stringify(one).includes(action)))).toEqual([]);
  return result;
}

const ofWeb = { instanceId: web.instanceId };

test("a node whose pods resolve, reach the API and are reached from another node works, and both pods are removed", async () => {
  here = await startJourney(seeded);
  expect(await tried()).toEqual({ state: "works" });
});

test("a node that says Ready while its pods reach nothing is found", async () => {
  here = await startJourney(seeded);
  injectFault(here, "data-plane-dead", ofWeb);
  expect(await tried()).toEqual({ state: "fails", fault: "dns", from: null });
});

test("a node whose pods work, and are not reached from another node, is found", async () => {
  here = await startJourney(seeded);
  injectFault(here, "data-plane-dead", { ...ofWeb, how: "unreached" });
  expect(await tried()).toEqual({ state: "fails", fault: "unreached", from: linux() });
});

test("a node whose host does not reach its own pods, while another node does, is found", async () => {
  here = await startJourney(seeded);
  injectFault(here, "data-plane-dead", { ...ofWeb, how: "host" });
  expect(await tried()).toEqual({ state: "fails", fault: "host", from: null });
});

const outside = "registry.example.com:443";

test("a node whose pods do not leave the cluster, while those of another node do, is found where an address outside is named", async () => {
  here = await startJourney(seeded);
  injectFault(here, "data-plane-dead", { ...ofWeb, how: "no outside" });
  expect(await tried()).toEqual({ state: "works" });
  expect(await tried(images, [], { outside })).toEqual({
    state: "fails",
    fault: "outside",
    from: null,
    words: outside,
  });
});

test("an address outside that pods of another node do not reach either says nothing about the node", async () => {
  here = await startJourney(seeded);
  expect(await tried(images, [], { outside })).toEqual({ state: "works" });
  injectFault(here, "data-plane-dead", { how: "no outside" });
  expect(await tried(images, [], { outside })).toEqual({
    state: "not-probed",
    why: `\`${outside}\` is reached neither from the node nor from \`${linux()}\``,
  });
});

test("a node whose kubelet cannot make the network of a pod is found by the kubelet's Event", async () => {
  here = await startJourney(seeded);
  injectFault(here, "pod-sandbox-fails", { node: web.name });
  const words = expect.stringContaining("failed to setup network for sandbox");
  expect(await tried()).toEqual({ state: "fails", fault: "start", from: null, words });
});

/** The Linux node from which nodes are reached. */
const linux = (): string =>
  here.simulator.kubernetes
    .objects("nodes")
    .map(({ metadata }) => metadata)
    .find(
      ({ labels = {} }) =>
        labels["kubernetes.io/os"] === "linux" && !("node-role.kubernetes.io/control-plane" in labels),
    )?.name ?? "";

test.each([
  [
    "its image is still being pulled",
    "image-pull-slow",
    () => ({ node: web.name }),
    "its image was still being pulled",
  ],
  [
    "its kubelet rejects the pod",
    "pod-rejected",
    () => ({ node: web.name, reason: "OutOfpods" }),
    "the kubelet of the node did not run it (OutOfpods: Pod was rejected",
  ],
  [
    "the pod that reaches it is rejected",
    "pod-rejected",
    () => ({ node: linux(), reason: "OutOfcpu" }),
    "did not run it (OutOfcpu: ",
  ],
  [
    "the pod that reaches it waits for its image",
    "image-pull-slow",
    () => ({ node: linux() }),
    "had not started (ContainerCreating)",
  ],
])("a node is not probed, and not dead, when %s", async (_, kind, match, why) => {
  here = await startJourney(seeded);
  injectFault(here, kind, { ...match(), namespace: "casement" });
  expect(await tried()).toEqual({ state: "not-probed", why: expect.stringContaining(why) });
});

test("OpenShift gives the pod on Linux a user of the namespace's range, and takes no other", async () => {
  here = await startJourney(seeded);
  const annotations = { "openshift.io/sa.scc.uid-range": "1000680000/10000" };
  const space = here.simulator.kubernetes.objects("namespaces").find(({ metadata }) => metadata.name === "casement");
  const body = { ...space, metadata: { ...space?.metadata, annotations } };
  await asAdministrator(here, "PUT", "/api/v1/namespaces/casement", body);
  expect(await tried()).toEqual({ state: "works" });
});

test("without the right to read Events a pod that does not start says nothing about the node", async () => {
  here = await startJourney(seeded);
  const path = "/apis/rbac.authorization.k8s.io/v1/namespaces/casement/roles/casement-act";
  const role = here.simulator.kubernetes
    .objects("roles", "rbac.authorization.k8s.io")
    .find(({ metadata }) => metadata.name === "casement-act") as KubeObject & { rules: { resources: string[] }[] };
  const rules = role.rules.filter(({ resources }) => !resources.includes("events"));
  await asAdministrator(here, "PUT", path, { ...role, rules });
  injectFault(here, "pod-sandbox-fails", { node: web.name });
  expect(await tried(images, ["list events"])).toMatchObject({
    state: "not-probed",
    why: expect.stringContaining("may not read its Events"),
  });
});

test.each([
  [{}, "`probe.images` names no image for 2022"],
  [{ "2022": images["2022"] }, "`probe.images` names no image for Linux"],
])("without an image nothing is probed, which says nothing about the node", async (given, why) => {
  here = await startJourney(seeded);
  expect(await tried(given)).toEqual({ state: "not-probed", why });
});

test("an API server that does not answer is no dead data plane", async () => {
  here = await startJourney(seeded);
  injectFault(here, "kubernetes-5xx", { resource: "pods", verb: "create" });
  expect(await tried()).toMatchObject({ state: "not-probed" });
});

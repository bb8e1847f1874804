import { afterEach, expect, test } from "vitest";
import { calls, expectSound, newest, nodeNamed, settled, spoken, wordsOf } from "../../evidence.ts";
import { asked, expectPutAway, impatient, launchedId, launchedName } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { podsOn } from "../../others.ts";
import { injectFault, reached } from "../../outside.ts";
import { inThreads, openly, privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const linux = "docker.io/library/busybox:1.37";
const servercore = "mcr.microsoft.com/windows/servercore:ltsc2022";

/** Adds a node to pool web, beside seed nodes. @param fault of its container network, from its first boot on */
async function adding(images: object, fault?: { readonly kind: string; readonly match?: object }): Promise<void> {
  here = await startJourney({ seedNodes: true, configuration: { ...impatient, probe: { images } } });
  await here.type("operator", "/win add web");
  if (!fault) return;
  await reached(here, "verify");
  injectFault(here, fault.kind, { instanceId: launchedId(here), ...fault.match });
}

const taintsOf = (): string[] =>
  (nodeNamed(here, launchedName(here))?.spec?.taints ?? []).map(({ key }) => key).toSorted();

/** Pods that Casement created. */
const made = (): number =>
  calls(here, "kubernetes", "create pods").filter(({ status, principal }) => status === 201 && /act$/.test(principal))
    .length;

test("a new node takes pods only after Casement's own pods have worked on it", async () => {
  await adding({ "2022": servercore, linux });
  await reached(here, "probe");
  expect(taintsOf()).toEqual(["casement.dev/starting", "os"]);
  await settled(here);
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(made()).toBe(2);
  expect(taintsOf()).toEqual(["os"]);
  const node = { name: launchedName(here), instanceId: launchedId(here) };
  expect(podsOn(here, node).filter((name) => name.startsWith("probe-"))).toEqual([]);
  expect(inThreads(here).join("\n")).toContain("trying pods on the node");
  await here.type("operator", `/win why ${launchedName(here)}`);
  await settled(here, 10);
  expect(privately(here, "operator").at(-1)).toMatch(/Data plane +ok, probed/i);
  await expectSound(here);
});

test.each([
  [{}, "pod-resolves-nothing", "A pod on the node cannot resolve cluster DNS names"],
  [{ how: "unreached" }, "pod-unreached", "A pod on the node cannot be reached from another node"],
  [{ how: "host" }, "pod-unreached-by-host", "but not from its own host"],
])("a new node whose pods do not work (%j) takes none, and a person decides", async (match, code, words) => {
  await adding({ "2022": servercore, linux }, { kind: "data-plane-dead", match });
  const { failure } = await asked(here);
  expect(failure).toMatchObject({ stage: "probe", code });
  expect(taintsOf()).toContain("casement.dev/starting");
  const said = spoken(here).channel.map(wordsOf).join("\n");
  expect(said).toContain(words);
  expect(said).toContain("data plane");
  await here.press("operator", "terminate-instance");
  await settled(here);
  await expectPutAway(here, false);
});

test.each([
  [
    "cannot be pulled",
    { "2022": "999999999999.dkr.ecr.us-west-2.amazonaws.com/servercore:ltsc2022", linux },
    "the image of the pod on the node cannot be pulled",
  ],
  ["is configured for no Linux node", { "2022": servercore }, "`probe.images` names no image for Linux"],
  ["is configured for no such Windows", { "2019": servercore, linux }, "`probe.images` names no image for 2022"],
])("an image that %s is told, and says nothing about the node", async (_, images, why) => {
  await adding(images);
  await settled(here);
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(taintsOf()).toEqual(["os"]);
  expect(inThreads(here).join("\n")).toContain(`The data plane was not probed: ${why}`);
  await expectSound(here);
});

test("an image that takes ten minutes to pull leaves the node unjudged", async () => {
  await adding({ "2022": servercore, linux });
  await reached(here, "verify");
  injectFault(here, "image-pull-slow", { node: launchedName(here), namespace: "casement" });
  await settled(here);
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(inThreads(here).join("\n")).toContain("its image was still being pulled when its time was over");
});

test("a machine that is kept after its pods did not work is not posted as one that no operation works on", async () => {
  await adding({ "2022": servercore, linux }, { kind: "data-plane-dead" });
  await asked(here);
  await here.press("operator", "keep-instance");
  await settled(here);
  expect(taintsOf()).toContain("casement.dev/starting");
  await here.pass(100);
  expect(openly(here).filter((text) => text.includes("no operation works on"))).toEqual([]);
});

test("a probe that Lambda begins an hour late leaves the node unjudged, and is no failed execution", async () => {
  await adding({ "2022": servercore, linux });
  await reached(here, "network");
  injectFault(here, "event-delivered-late", { function: "casement-prod-west-probe-nodes" }, 1);
  await settled(here, 120);
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(inThreads(here).join("\n")).toContain("the probe recorded no result in time");
  await expectSound(here);
});

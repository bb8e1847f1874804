import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { afterEach, expect, test } from "vitest";
import { clients } from "../../../lambdas/clients/clients.ts";
import type { ProbeResult } from "../../../lambdas/desired/probe.ts";
import { steps } from "../../../lambdas/steps/steps.ts";
import { probe } from "../../../lambdas/workflows/node/probe.ts";
import { activity } from "../../../lib/sandbox/core/activity.ts";
import { inProcess } from "../../../lib/sandbox/in-process.ts";
import { settingsOf } from "../../steps/test-simulator.ts";
import { denied } from "../evidence.ts";
import type { Journey } from "../journey.ts";
import { podsOn, web } from "../others.ts";
import { injectFault } from "../outside.ts";
import { withSeedNodes } from "../removal.ts";

let here: Journey;
afterEach(() => here.close());

const images = {
  "2022": "mcr.microsoft.com/windows/servercore:ltsc2022",
  linux: "registry.example.com/tools/busybox:1.37",
};

/** Steps and waits of an execution, without a history: what is tried here is the cluster. */
const ctx = {
  step: (_: string, work: () => Promise<unknown>) => work(),
  wait: (_: string, { seconds }: { seconds: number }) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000)),
} as unknown as DurableContext;

/** Tries the data plane of a node of pool web, as the function that drains nodes. */
async function tried(given: object = images): Promise<ProbeResult> {
  const settings = settingsOf(here.simulator, "drain-node");
  const transport = inProcess(here.simulator, activity());
  const verbs = steps({ clients: clients(settings, transport), settings, now: Date.now });
  const work = probe(ctx, verbs, "probe", { node: web.name, windows: "2022", images: given, id: "reboot-1-0" });
  const result = await here.drive(work, 10);
  await here.pass(1);
  expect(podsOn(here, web).filter((name) => name.startsWith("probe-"))).toEqual([]);
  expect(denied(here)).toEqual([]);
  return result;
}

const ofWeb = { instanceId: web.instanceId };

test("a node whose pods resolve, reach the API and are reached from another node works, and both pods are removed", async () => {
  here = await withSeedNodes();
  expect(await tried()).toEqual({ state: "works" });
});

test("a node that says Ready while its pods reach nothing is found", async () => {
  here = await withSeedNodes();
  injectFault(here, "data-plane-dead", ofWeb);
  expect(await tried()).toEqual({ state: "fails", fault: "dns", from: null });
});

test.each([
  [{}, "`probe.images` names no image for 2022"],
  [{ "2022": images["2022"] }, "`probe.images` names no image for Linux"],
])("without an image nothing is probed, which says nothing about the node", async (given, why) => {
  here = await withSeedNodes();
  expect(await tried(given)).toEqual({ state: "not-probed", why });
});

test("an API server that does not answer is no dead data plane", async () => {
  here = await withSeedNodes();
  injectFault(here, "kubernetes-5xx", { resource: "pods", verb: "create" });
  expect(await tried()).toMatchObject({ state: "not-probed" });
});

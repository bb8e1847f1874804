import { afterEach, expect, test } from "vitest";
import { calls, expectSound, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { podsOn, web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { inThreads, openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const linux = "docker.io/library/busybox:1.37";
const outside = "registry.example.com:443";
const servercore = "mcr.microsoft.com/windows/servercore:ltsc2022";

/** A reboot of a node of pool web, without an approval, and its end. */
async function reboot(images: object, fault?: string, how: { how?: string } = {}): Promise<string> {
  here = await withSeedNodes({ configuration: { approvals: { reboot: { needs: 0 } }, probe: { images, outside } } });
  if (fault) injectFault(here, fault, { instanceId: web.instanceId, ...how });
  await here.type("operator", `/win reboot ip-10-0-3-7 --force ${web.name}`);
  await settled(here, 240);
  await here.pass(1);
  expect(podsOn(here, web).filter((name) => name.startsWith("probe-"))).toEqual([]);
  return [...openly(here), ...inThreads(here)].join("\n");
}

/** Probes that were made. */
const made = (): number =>
  calls(here, "kubernetes", "create pods").filter(({ status, principal }) => status === 201 && /act$/.test(principal))
    .length;

test("a node whose pods work after the reboot is given back", async () => {
  await reboot({ "2022": servercore, linux });
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(made()).toBe(2);
  expect(nodeNamed(here, web.name)?.spec?.unschedulable ?? false).toBe(false);
  await here.type("operator", "/win why ip-10-0-3-7");
  await settled(here, 10);
  expect(privately(here, "operator").at(-1)).toMatch(/Data plane +ok, probed/i);
  await expectSound(here);
});

test("a node that says Ready while its pods reach nothing stays cordoned, and the message says so", async () => {
  const told = await reboot({ "2022": servercore, linux }, "data-plane-dead");
  expect((await newest(here)).nodes[0]?.failure).toMatchObject({ stage: "prove" });
  expect(told).toContain("Data plane: A pod on the node cannot resolve cluster DNS names");
  expect(nodeNamed(here, web.name)?.spec?.unschedulable).toBe(true);
});

test("a node whose pods alone reach nothing outside of the cluster stays cordoned, and the message names the host", async () => {
  const told = await reboot({ "2022": servercore, linux }, "data-plane-dead", { how: "no outside" });
  expect((await newest(here)).nodes[0]?.failure).toMatchObject({ stage: "prove" });
  expect(told).toContain(outside);
  expect(nodeNamed(here, web.name)?.spec?.unschedulable).toBe(true);
});

test("an image that cannot be pulled is told, and says nothing about the node", async () => {
  const told = await reboot({ "2022": "999999999999.dkr.ecr.us-west-2.amazonaws.com/servercore:ltsc2022", linux });
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(told).toContain("The data plane was not probed: the image of the pod on the node cannot be pulled");
});

test("without an image for its Windows release no pod is made", async () => {
  await reboot({ "2019": servercore, linux });
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(made()).toBe(0);
});

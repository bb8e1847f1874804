import { afterEach, describe, expect, test } from "vitest";
import { expectSound, heldBack, launchedBy, newest, nodeNamed, settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { nodes, replaceSignerOf, startTalking } from "../../kubelet-signer.ts";
import { createSet, said, startMirroring } from "../../mirroring.ts";
import { isCordoned, SHORT, unasked } from "../../on-web.ts";
import { web } from "../../others.ts";
import { injectFault, reached } from "../../outside.ts";
import { privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const LOST = "command-result-lost";

describe("A command whose result SSM loses, though the machine ran it,", () => {
  test.each(["guard", "features", "payload", "configure"] as const)("ends no add at stage %s", async (stage) => {
    here = await startJourney();
    await here.type("operator", "/win add web");
    await reached(here, stage);
    injectFault(here, LOST, { script: "apply" }, 1);
    await settled(here, 240);
    const { operation, nodes } = await newest(here);
    expect(nodes[0]?.failure).toBeNull();
    expect(operation.status).toBe("succeeded");
    expect(launchedBy(here, operation.id)).toHaveLength(1);
    expect(here.simulator.simulation.faults.inForce()).toEqual([]);
    await expectSound(here);
  });

  test.each(["observe", "reboot"])("ends no reboot: %s", async (script) => {
    here = await unasked("reboot");
    const bootOf = () => nodeNamed(here, web.name)?.status?.nodeInfo?.bootID;
    const before = bootOf();
    injectFault(here, LOST, { script, instanceId: web.instanceId }, 1);
    await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
    await settled(here, 400);
    const { operation, nodes } = await newest(here);
    expect(nodes[0]?.failure).toBeNull();
    expect(operation.status).toBe("succeeded");
    expect([bootOf() === before, isCordoned(here)]).toEqual([false, false]);
    expect(here.simulator.simulation.faults.inForce()).toEqual([]);
    expect(await heldBack(here)).toEqual([]);
  });
});

test("The plan of a drain shows the guard, though SSM loses the first answer about it", async () => {
  here = await withSeedNodes();
  injectFault(here, LOST, { script: "observe", instanceId: web.instanceId }, 1);
  await here.type("operator", `/win drain ${SHORT} --dry-run`);
  await settled(here, 10);
  expect(privately(here, "operator").at(-1)).toContain("guard of the metadata route is in order");
  expect(here.simulator.simulation.faults.inForce()).toEqual([]);
});

test("A first node whose result SSM loses is sent its mirrors again, and the others follow", async () => {
  here = await startMirroring();
  injectFault(here, LOST, { script: "apply" }, 1);
  await createSet(here, "digest", "team", { source: "quay.io/team", mirrors: ["mirror.example.com/team"] });
  await here.until(() => said(here, "Registry mirrors") === 1, 60, "the end");
  expect(said(here, "3 nodes updated")).toBe(1);
  expect(here.simulator.simulation.faults.inForce()).toEqual([]);
});

test("A machine whose result SSM loses gets the kubelets' authority all the same", async () => {
  here = await startTalking(nodes);
  injectFault(here, LOST, { script: "apply" }, 1);
  await replaceSignerOf(here);
  await here.pass(60);
  const operations = (await here.operations()).filter(({ request }) => request.command === "authority");
  expect(operations.map(({ status }) => status)).toEqual(["succeeded"]);
  expect(here.simulator.simulation.faults.inForce()).toEqual([]);
});

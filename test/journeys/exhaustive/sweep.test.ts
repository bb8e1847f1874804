import { afterEach, expect, test } from "vitest";
import { heldBack, ledgerItems, nodeNamed } from "../evidence.ts";
import { type Journey, startJourney } from "../journey.ts";
import { guardedPod, web } from "../others.ts";
import { terminateFromOutside } from "../outside.ts";
import { confirmRemoval, withSeedNodes } from "../removal.ts";
import { stop, stopAll } from "../stopping.ts";

let here: Journey;
afterEach(() => here.close());

test("a node whose own execution was stopped holds nothing back once its add has ended", async () => {
  here = await startJourney();
  await here.type("operator", "/win add web 1");
  const id = (await here.operations())[0]?.id ?? "";
  await here.until(async () => (await here.nodes(id))[0]?.stage === "serving-csr", 60);
  await stop(here, (await here.nodes(id))[0]?.executionArn ?? "");
  await here.pass(12);

  expect((await here.operations())[0]).toMatchObject({ status: "failed" });
  expect((await here.nodes(id))[0]?.failure?.why).toContain("ended as STOPPED");
  expect(await heldBack(here)).toEqual([]);
});

test("a removal whose execution was stopped after the cordon gives the node back", async () => {
  here = await withSeedNodes();
  await guardedPod(here, web);
  await confirmRemoval(here, "ip-10-0-3-7");
  const id = (await here.operations())[0]?.id ?? "";
  await here.until(async () => (await here.nodes(id))[0]?.stage === "evict", 10);
  await stopAll(here);
  await here.pass(40);
  expect(nodeNamed(here, web.name)?.spec?.unschedulable).toBeUndefined();
  expect((await here.nodes(id))[0]?.outcome).toContain("the node is schedulable again");
  expect(await heldBack(here)).toEqual([]);
});

test("an operation that goes on is left alone by the sweep", async () => {
  here = await startJourney();
  await here.type("operator", "/win add web 1");
  here.simulator.simulation.faults.inject("agent-never-online", {});
  await here.pass(45);
  expect((await here.operations())[0]?.status).toBe("waiting");
  expect(here.said().some((text) => text.includes("stalled and needs attention"))).toBe(false);
});

test("what a machine was given expires once the machine is gone, and stays for those that live", async () => {
  here = await withSeedNodes();
  await terminateFromOutside(here, web.instanceId);
  await here.pass(40);
  const given = (await ledgerItems(here)).filter(({ pk }) => pk?.S === "machines");
  const expiring = given.filter(({ expiresAt }) => expiresAt !== undefined).map(({ sk }) => sk?.S);
  expect(given.length).toBeGreaterThan(1);
  expect(expiring).toEqual([web.instanceId]);
});

import { afterEach, expect, test } from "vitest";
import { MACHINES } from "../../../../lambdas/records/ledger-table.ts";
import { heldBack, ledgerItems, nodeNamed } from "../../evidence.ts";
import { asked, impatient } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { guardedPod, web } from "../../others.ts";
import { injectFault, terminateFromOutside } from "../../outside.ts";
import { confirmRemoval, withSeedNodes } from "../../removal.ts";
import { stop, stopAll } from "../../stopping.ts";

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

test("the record of a machine expires once the machine is gone, and stays for those that live", async () => {
  here = await withSeedNodes();
  await terminateFromOutside(here, web.instanceId);
  await here.pass(40);
  const records = (await ledgerItems(here)).filter(({ pk }) => pk?.S === MACHINES);
  const expiring = records.filter(({ expiresAt }) => expiresAt !== undefined).map(({ sk }) => sk?.S);
  expect(records.length).toBeGreaterThan(1);
  expect(expiring).toEqual([web.instanceId]);
});

test("the longest wait for a person counts from the failure that asks, and long work does not count", async () => {
  here = await startJourney({ configuration: impatient });
  const waits = (): number[] =>
    here.logged.flatMap(
      ({ line }) => (JSON.parse(line) as { OldestWaitingMinutes?: number }).OldestWaitingMinutes ?? [],
    );
  injectFault(here, "agent-never-online");
  await here.type("operator", "/win add web");
  const { failedAt = "", startedAt } = await asked(here);
  expect(Math.max(...waits(), 0)).toBe(0);
  await here.pass(16);
  const waited = waits().at(-1) ?? 0;
  expect(waited).toBeGreaterThan(0);
  expect(waited).toBeLessThanOrEqual(16);
  expect(Date.parse(failedAt) - Date.parse(startedAt)).toBeGreaterThan(7 * 60_000);
  await here.press("operator", "terminate-instance");
  await here.pass(16);
  expect(waits().at(-1)).toBe(0);
});

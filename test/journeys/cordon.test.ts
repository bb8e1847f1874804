import { afterEach, describe, expect, test } from "vitest";
import { eventsOn, heldBack, newest, settled } from "./evidence.ts";
import type { Journey } from "./journey.ts";
import { isCordoned, ownerShown, run, SHORT } from "./on-web.ts";
import { cordonByHand, edge, guardedPod, kubectl, podsOn, web } from "./others.ts";
import { injectFault } from "./outside.ts";
import { openly, privately } from "./reading.ts";
import { confirmRemoval, withSeedNodes } from "./removal.ts";
import { stopAll } from "./stopping.ts";

let here: Journey;
afterEach(() => here.close());

describe("A cordon", () => {
  test("keeps new pods away until an uncordon, and shows whose it is", async () => {
    here = await withSeedNodes();
    const pods = podsOn(here, web);
    expect(await run(here, `cordon ${SHORT} --reason "disk errors"`, 30)).toBe(
      `${web.name} is cordoned: no new pods are scheduled on it. Its pods keep running.`,
    );
    const { operation } = await newest(here);
    expect(isCordoned(here)).toBe(true);
    expect(ownerShown(here)).toBe(operation.id);
    expect(eventsOn(here, web.name)).toContain(`CasementCordoned cordoned by ${operation.id}`);
    expect(podsOn(here, web)).toEqual(pods);
    expect(openly(here).at(-1)).toMatch(/✅ Cordon ip-10-0-3-7[\s\S]*Reason: disk errors/);
    // The sweep comes every 15 minutes: what a person asked for is not a rest to clean up.
    await here.pass(31);
    expect(isCordoned(here)).toBe(true);
    expect(await run(here, `uncordon ${web.instanceId}`, 30)).toBe(`${web.name} is schedulable again.`);
    expect(openly(here).at(-1)).toContain("✅ Uncordon ip-10-0-3-7");
    expect(isCordoned(here)).toBe(false);
    expect(ownerShown(here)).toBeUndefined();
    const { id } = (await newest(here)).operation;
    expect(eventsOn(here, web.name)).toContain(`CasementUncordoned uncordoned by ${id}`);
  });

  test("outlasts a removal that fails on the same node", async () => {
    here = await withSeedNodes({ configuration: { deadlines: { remove: { evict: 3, continue: 5 } } } });
    await run(here, `cordon ${SHORT}`, 30);
    const { operation } = await newest(here);
    await guardedPod(here, web);
    await confirmRemoval(here, SHORT);
    await settled(here, 30);
    expect((await newest(here)).operation.summary).toContain("the node is cordoned, as it was before");
    expect(isCordoned(here)).toBe(true);
    expect(ownerShown(here)).toBe(operation.id);
    await run(here, `uncordon ${SHORT}`, 30);
    expect(isCordoned(here)).toBe(false);
    expect(ownerShown(here)).toBeUndefined();
  });

  test("that is there already is left as it is", async () => {
    here = await withSeedNodes();
    await cordonByHand(here, web);
    expect(await run(here, `cordon ${SHORT}`, 30)).toBe(`${web.name} was already cordoned. Nothing was changed.`);
    expect(ownerShown(here)).toBeUndefined();
    expect(await run(here, `uncordon ${SHORT}`, 30)).toBe(`${web.name} is schedulable again.`);
    expect(await run(here, `uncordon ${SHORT}`, 30)).toBe(`${web.name} was already schedulable. Nothing was changed.`);
  });

  test("is taken back by the sweep when its execution dies before it has ended", async () => {
    here = await withSeedNodes();
    const { faults } = here.simulator.simulation;
    injectFault(here, "kubernetes-5xx", { verb: "patch", resource: "nodes" });
    await here.type("operator", `/win cordon ${SHORT}`);
    await here.until(async () => (await newest(here)).nodes[0]?.stage === "cordon", 5);
    // The Event is the last thing that a cordon writes: without it the stage does not end.
    injectFault(here, "kubernetes-5xx", { verb: "create", resource: "events" });
    for (const { id } of faults.inForce().slice(0, 1)) faults.end(id);
    await here.until(() => isCordoned(here), 5);
    await stopAll(here);
    for (const { id } of faults.inForce()) faults.end(id);
    await here.until(() => !isCordoned(here), 60);
    expect(await heldBack(here)).toEqual([]);
  });

  test("shows what it would do and changes nothing with --dry-run", async () => {
    here = await withSeedNodes();
    await here.type("operator", `/win cordon ${SHORT} --dry-run`);
    await settled(here, 5);
    expect(privately(here, "operator").at(-1)).toMatch(/would be cordoned[\s\S]*To apply: `\/win cordon/);
    expect(isCordoned(here)).toBe(false);
  });

  test("of a node that belongs to a MachineSet is refused, with the command for a person", async () => {
    here = await withSeedNodes();
    await here.type("operator", "/win cordon ip-10-0-1-52");
    await settled(here, 5);
    expect((await newest(here)).operation.status).toBe("refused");
    expect(openly(here).at(-1)).toContain(`kubectl cordon ${edge.name}`);
  });

  test("is refused while another controller takes the node away, and an uncordon is not", async () => {
    here = await withSeedNodes();
    const taints = [{ key: "ToBeDeletedByClusterAutoscaler", effect: "NoSchedule" }];
    await kubectl(here, "PATCH", `/api/v1/nodes/${web.name}`, { spec: { taints } });
    await here.type("operator", `/win cordon ${SHORT}`);
    await settled(here, 5);
    expect((await newest(here)).operation.status).toBe("refused");
    expect(openly(here).at(-1)).toContain("the cluster autoscaler is deleting it");
    await kubectl(here, "PATCH", `/api/v1/nodes/${web.name}`, { spec: { unschedulable: true } });
    expect(await run(here, `uncordon ${SHORT}`, 5)).toContain("the taint of an autoscaler still keeps new pods away");
    expect(isCordoned(here)).toBe(false);
  });

  test("is refused while a removal holds the node", async () => {
    here = await withSeedNodes();
    await guardedPod(here, web);
    await confirmRemoval(here, SHORT);
    await here.until(() => isCordoned(here), 5);
    await here.type("operator", `/win uncordon ${SHORT}`);
    await here.until(
      () => openly(here).some((text) => /cannot be uncordoned: `remove-\w+` is working on it/.test(text)),
      5,
    );
    expect(isCordoned(here)).toBe(true);
  });

  test("is not for people without the role", async () => {
    here = await withSeedNodes();
    await here.type("visitor", `/win cordon ${SHORT}`);
    await here.pass(2);
    expect(isCordoned(here)).toBe(false);
  });
});

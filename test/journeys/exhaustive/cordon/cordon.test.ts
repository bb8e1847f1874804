import { afterEach, describe, expect, test } from "vitest";
import { heldBack, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, ownerShown, run, SHORT } from "../../on-web.ts";
import { guardedPod, kubectl, web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { openly } from "../../reading.ts";
import { confirmRemoval, withSeedNodes } from "../../removal.ts";
import { stopAll } from "../../stopping.ts";

let here: Journey;
afterEach(() => here.close());

describe("A cordon", () => {
  test("stays when the sweep has come twice: a person asked for it", async () => {
    here = await withSeedNodes();
    await run(here, `cordon ${SHORT}`, 30);
    // The sweep comes every 15 minutes.
    await here.pass(31);
    expect(isCordoned(here)).toBe(true);
    expect(await heldBack(here)).toEqual([]);
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
});

import { afterEach, describe, expect, test } from "vitest";
import { eventsOn, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, ownerShown, run, SHORT } from "../../on-web.ts";
import { cordonByHand, edge, podsOn, web } from "../../others.ts";
import { openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

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
    expect(await run(here, `uncordon ${web.instanceId}`, 30)).toBe(`${web.name} is schedulable again.`);
    expect(openly(here).at(-1)).toContain("✅ Uncordon ip-10-0-3-7");
    expect(isCordoned(here)).toBe(false);
    expect(ownerShown(here)).toBeUndefined();
    const { id } = (await newest(here)).operation;
    expect(eventsOn(here, web.name)).toContain(`CasementUncordoned uncordoned by ${id}`);
  });

  test("that is there already is left as it is", async () => {
    here = await withSeedNodes();
    await cordonByHand(here, web);
    expect(await run(here, `cordon ${SHORT}`, 30)).toBe(`${web.name} was already cordoned. Nothing was changed.`);
    expect(ownerShown(here)).toBeUndefined();
    expect(await run(here, `uncordon ${SHORT}`, 30)).toBe(`${web.name} is schedulable again.`);
    expect(await run(here, `uncordon ${SHORT}`, 30)).toBe(`${web.name} was already schedulable. Nothing was changed.`);
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

  test("is not for people without the role", async () => {
    here = await withSeedNodes();
    await here.type("visitor", `/win cordon ${SHORT}`);
    await here.pass(2);
    expect(isCordoned(here)).toBe(false);
  });
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { REBOOT_THROUGH_EC2 } from "../../../../lambdas/messages/slack/buttons.ts";
import { calls, expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, SHORT, unasked } from "../../on-web.ts";
import { web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { openly } from "../../reading.ts";

let here: Journey;
beforeEach(async () => {
  here = await unasked("reboot", { reboot: { reboot: 45, prove: 12 } });
});
afterEach(() => here.close());

const ofWeb = { instanceId: web.instanceId };
const ROUTE = "route add 169.254.169.254 mask 255.255.255.255 <gateway>";
const power = () => here.simulator.machines.describe(web.instanceId)?.power;
const bootIdOf = () => nodeNamed(here, web.name)?.status?.nodeInfo?.bootID;
const message = (): string => openly(here)[0] ?? "";
const type = () => here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);

describe("A machine that loses its route to the metadata service", () => {
  test("in its reboot gets it back from the guard, and is proven", async () => {
    await type();
    await here.until(() => power() !== "running", 30, "the shutdown");
    injectFault(here, "lose-metadata-route", ofWeb, 1);
    await settled(here, 120);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(isCordoned(here)).toBe(false);
    await expectSound(here);
  });

  test("in its reboot, while the guard hangs, is told with the route that a person adds, and EC2's reboot brings it back", async () => {
    await type();
    await here.until(() => power() !== "running", 30, "the shutdown");
    const lost = injectFault(here, "lose-metadata-route", ofWeb);
    const hangs = injectFault(here, "guard-hangs", ofWeb);
    await settled(here, 240);
    expect((await newest(here)).nodes[0]?.failure).toMatchObject({ stage: "reboot" });
    expect(message()).toContain("has lost its route to the metadata service");
    expect(message()).toContain(ROUTE);
    expect(message()).toContain("[Reboot through EC2…]\n[Check again]\n[Keep cordoned]");
    expect(isCordoned(here)).toBe(true);
    endFault(here, lost);
    endFault(here, hangs);
    await here.press("operator", REBOOT_THROUGH_EC2);
    await settled(here, 240);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(isCordoned(here)).toBe(false);
  });

  test("before it is told to reboot is given back, and nothing calls it rebooted or unproven", async () => {
    const before = bootIdOf();
    await type();
    await here.until(() => isCordoned(here), 30, "the cordon");
    const lost = injectFault(here, "lose-metadata-route", ofWeb);
    const hangs = injectFault(here, "guard-hangs", ofWeb);
    await settled(here, 240);
    const { nodes } = await newest(here);
    expect(nodes[0]?.failure).toMatchObject({ stage: "reboot", isNotRebooted: true });
    expect([bootIdOf(), calls(here, "ec2", "RebootInstances"), isCordoned(here)]).toEqual([before, [], false]);
    expect(message()).not.toMatch(/come back from its reboot|Keep cordoned|Check again/);
    expect(message()).toContain("was not told to reboot");
    expect(await heldBack(here)).toEqual([]);
    endFault(here, lost);
    endFault(here, hangs);
  });
});

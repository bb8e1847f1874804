import { afterEach, describe, expect, test } from "vitest";
import { guardFile } from "../../../../lambdas/machine/machine-paths.ts";
import { INSTALL_GUARD, TRY_AGAIN } from "../../../../lambdas/messages/slack/buttons.ts";
import { calls, expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { SHORT, unasked } from "../../on-web.ts";
import { otherWeb, podsOn, web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const ofWeb = { instanceId: web.instanceId };

const fileOf = (instanceId: string): string | undefined =>
  here.simulator.machines.describe(instanceId)?.files.find(({ path }) => path === guardFile)?.sha256;

const hasTask = (): boolean =>
  here.simulator.machines.describe(web.instanceId)?.tasks.some(({ name, enabled }) => enabled && /guard/.test(name)) ??
  false;

/** Takes the guard from the machine of pool web, once. */
async function lose(how: "removed" | "altered"): Promise<string | undefined> {
  const before = fileOf(web.instanceId);
  injectFault(here, "guard-lost", { ...ofWeb, how }, 1);
  await here.until(() => fileOf(web.instanceId) !== before, 3, "the loss of the guard");
  return before;
}

async function guard(targets: string): Promise<string> {
  await here.type("operator", `/win guard ${targets}`);
  await settled(here, 90);
  expect(await heldBack(here)).toEqual([]);
  return [...openly(here), ...privately(here, "operator")].join("\n");
}

describe("The guard of the metadata route", () => {
  test.for(["removed", "altered"] as const)("is put back where it was %s, and nothing else changes", async (how) => {
    here = await withSeedNodes();
    const [pods, boot] = [podsOn(here, web), nodeNamed(here, web.name)?.status?.nodeInfo?.bootID];
    const wanted = await lose(how);
    const told = await guard(SHORT);
    const { operation, nodes } = await newest(here);
    expect(operation.status).toBe("succeeded");
    expect(nodes[0]).toMatchObject({ workflow: "guarding", status: "succeeded", nodeName: web.name });
    expect(told).toContain("The guard of the metadata route works on 1 node");
    expect([fileOf(web.instanceId), hasTask()]).toEqual([wanted, true]);
    expect(podsOn(here, web)).toEqual(pods);
    expect(nodeNamed(here, web.name)?.spec?.unschedulable ?? false).toBe(false);
    expect(nodeNamed(here, web.name)?.status?.nodeInfo?.bootID).toBe(boot);
    await expectSound(here);
  });

  test("is installed on a whole pool by one command, and a machine that fails does not hold the others up", async () => {
    here = await withSeedNodes();
    injectFault(here, "look-fails", ofWeb);
    const told = await guard("web");
    const { operation, nodes } = await newest(here);
    expect(operation.status).toBe("failed");
    const ends = Object.fromEntries(nodes.map(({ nodeName, status }) => [nodeName, status]));
    expect(ends).toEqual({ [web.name]: "failed", [otherWeb.name]: "succeeded" });
    expect(told).toContain("observe.ps1 failed on the machine");
    const sent = calls(here, "ssm", "SendCommand").filter(({ principal }) => principal === "guard-node");
    expect(sent).toHaveLength(2);
  });

  test("is tried again for the nodes that failed, and for no other", async () => {
    here = await withSeedNodes();
    const fault = injectFault(here, "look-fails", ofWeb);
    await guard("web");
    endFault(here, fault);
    await here.press("operator", TRY_AGAIN);
    await settled(here, 90);
    const { operation, nodes } = await newest(here);
    expect(operation.status).toBe("succeeded");
    expect(nodes.map(({ nodeName }) => nodeName)).toEqual([web.name]);
  });

  test("is not installed where the agent is silent, and the message says so", async () => {
    here = await withSeedNodes();
    injectFault(here, "agent-silent", ofWeb);
    await here.pass(30);
    const told = await guard("web");
    const [silent, other] = (await newest(here)).nodes.toSorted((one) => (one.nodeName === web.name ? -1 : 1));
    expect([silent?.status, other?.status]).toEqual(["failed", "succeeded"]);

    expect(told).toContain("its SSM agent does not respond");
    expect(await guard(SHORT)).toContain("nothing was changed");
    expect((await newest(here)).operation.status).toBe("refused");
  });

  test("is left alone while another operation holds the machine", async () => {
    here = await unasked("reboot");
    await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
    await here.until(async () => (await newest(here)).nodes[0]?.stage === "evict", 30, "the eviction");
    await here.type("operator", `/win guard ${SHORT}`);
    await settled(here, 240);
    expect(openly(here).join("\n")).toContain("cannot be given a guard of the metadata route");
  });

  test("is only described with --dry-run", async () => {
    here = await withSeedNodes();
    await lose("removed");
    expect(await guard(`${SHORT} --dry-run`)).toContain("Dry run: nothing was changed");
    expect(hasTask()).toBe(false);
    expect(openly(here)).toEqual([]);
  });
});

describe("A reboot whose machine has no guard", () => {
  test("is refused before the cordon, and its button installs the guard", async () => {
    here = await unasked("reboot");
    await lose("removed");
    await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
    await settled(here, 60);
    const { nodes } = await newest(here);
    expect(nodes[0]?.failure?.stage).toBe("guard");
    expect(nodeNamed(here, web.name)?.spec?.unschedulable ?? false).toBe(false);
    await here.press("operator", INSTALL_GUARD);
    await settled(here, 60);
    expect((await newest(here)).operation).toMatchObject({ status: "succeeded", request: { command: "guard" } });
    expect(hasTask()).toBe(true);
  });
});

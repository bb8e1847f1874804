import { afterEach, describe, expect, test } from "vitest";
import { APPROVE_OPERATION, EC2_REBOOT, REBOOT_THROUGH_EC2 } from "../../../lambdas/messages/slack/buttons.ts";
import { calls, expectSound, heldBack, newest, nodeNamed, settled } from "../evidence.ts";
import type { Journey } from "../journey.ts";
import { isCordoned, SHORT, unasked } from "../on-web.ts";
import { web } from "../others.ts";
import { endFault, injectFault } from "../outside.ts";
import { inThreads, openly } from "../reading.ts";
import { withSeedNodes } from "../removal.ts";

let here: Journey;
afterEach(() => here.close());

const ofWeb = { instanceId: web.instanceId };
const bootIdOf = (): string | undefined => nodeNamed(here, web.name)?.status?.nodeInfo?.bootID;
const ec2Reboots = () => calls(here, "ec2", "RebootInstances");
const type = (rest = "") => here.type("operator", `/win reboot ${SHORT} --force ${web.name}${rest}`);
const told = (): string => [...openly(here), ...inThreads(here)].join("\n");

describe("A machine whose SSM agent is silent", () => {
  test("is rebooted through EC2 after an approval that says so, and proven as any other", async () => {
    here = await withSeedNodes();
    const before = bootIdOf();
    const fault = injectFault(here, "agent-silent", ofWeb);
    await here.pass(12);
    await type();
    await here.until(async () => (await newest(here)).operation.approval?.state === "open", 5, "the question");
    expect(told()).toContain("The machine is rebooted *through EC2*, because its SSM agent does not answer");
    expect((await newest(here)).operation.approval?.record.options).toMatchObject({ ec2: true });
    await here.press("approver", APPROVE_OPERATION);
    await here.until(() => ec2Reboots().length > 0, 60, "EC2's reboot");
    expect(isCordoned(here)).toBe(true);
    endFault(here, fault);
    await settled(here, 240);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(told()).toContain("The guard of the metadata route could not be checked");
    expect(ec2Reboots().map(({ status, principal }) => [status, principal])).toEqual([[200, "reboot-node"]]);
    expect(bootIdOf()).not.toBe(before);
    expect(isCordoned(here)).toBe(false);
    await expectSound(here);
  });

  test("is refused before the cordon when it falls silent after the plan, and the button plans EC2's reboot", async () => {
    here = await withSeedNodes();
    await type();
    await here.until(async () => (await newest(here)).operation.approval?.state === "open", 5, "the question");
    const fault = injectFault(here, "agent-silent", ofWeb);
    await here.pass(12);
    await here.press("approver", APPROVE_OPERATION);
    await here.pass(3);
    expect(told()).toMatch(/another action or option|SSM agent does not answer/);
    expect(isCordoned(here)).toBe(false);
    expect(ec2Reboots()).toEqual([]);
    endFault(here, fault);
  });

  test("takes no command although SSM calls it online: the refusal's button plans EC2's reboot", async () => {
    here = await unasked("reboot", { reboot: { guard: 3 } });
    const fault = injectFault(here, "agent-silent", ofWeb);
    await type();
    await settled(here, 60);
    expect((await newest(here)).nodes[0]?.failure?.stage).toBe("guard");
    expect(isCordoned(here)).toBe(false);
    await here.press("operator", REBOOT_THROUGH_EC2);
    await here.until(() => ec2Reboots().length > 0, 60, "EC2's reboot");
    endFault(here, fault);
    await settled(here, 240);
    expect((await newest(here)).operation).toMatchObject({ status: "succeeded", request: { ec2: true } });
    expect(isCordoned(here)).toBe(false);
    expect(await heldBack(here)).toEqual([]);
  });

  test("stays cordoned when EC2's reboot does not bring it back", async () => {
    here = await unasked("reboot", { reboot: { reboot: 20, prove: 12 } });
    injectFault(here, "agent-silent", ofWeb);
    injectFault(here, "boot-hangs", ofWeb);
    await here.pass(12);
    await type();
    await settled(here, 240);
    expect((await newest(here)).nodes[0]?.failure).toMatchObject({ stage: "reboot" });
    expect(told()).toContain("gave up waiting for the machine to boot");
    expect(isCordoned(here)).toBe(true);
  });
});

describe("A machine that does not come back from its reboot", () => {
  test("is offered EC2's reboot after half an hour, which brings it back", async () => {
    here = await unasked("reboot");
    injectFault(here, "boot-hangs", ofWeb, 1);
    await type();
    await here.until(() => told().includes("has not come back from its reboot"), 60, "the offer");
    expect(told()).toContain("Get instance screenshot");
    expect(ec2Reboots()).toEqual([]);
    await here.press("operator", EC2_REBOOT);
    await settled(here, 240);
    const { operation, nodes } = await newest(here);
    expect(operation.status).toBe("succeeded");
    expect(nodes[0]?.ec2Reboot?.by).toBeDefined();
    expect(ec2Reboots()).toHaveLength(1);
    expect(isCordoned(here)).toBe(false);
    await expectSound(here);
  });

  test("is left alone when a person without the right presses", async () => {
    here = await unasked("reboot", { reboot: { reboot: 45 } });
    injectFault(here, "boot-hangs", ofWeb);
    await type();
    await here.until(() => told().includes("has not come back from its reboot"), 60, "the offer");
    await here.press("visitor", EC2_REBOOT);
    await settled(here, 240);
    expect(ec2Reboots()).toEqual([]);
    expect(isCordoned(here)).toBe(true);
  });
});

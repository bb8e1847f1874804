import { afterEach, describe, expect, test } from "vitest";
import { APPROVE_OPERATION, EC2_REBOOT, REBOOT_THROUGH_EC2 } from "../../../../lambdas/messages/slack/buttons.ts";
import type { InstanceRecord } from "../../../../lib/sandbox/aws/ec2/records.ts";
import { demoConfiguration } from "../../../../lib/sandbox/demo-configuration.ts";
import { calls, expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, SHORT, unasked } from "../../on-web.ts";
import { web } from "../../others.ts";
import { endFault, injectFault, terminateFromOutside } from "../../outside.ts";
import { inThreads, openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const demo = demoConfiguration({ apiServer: "https://kubernetes.sandbox.invalid", authority: "" });
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

  test("is rebooted through SSM when it reports again before the vote, as the second card says", async () => {
    here = await withSeedNodes();
    const fault = injectFault(here, "agent-silent", ofWeb);
    await here.pass(12);
    await type();
    const asked = async () => (await newest(here)).operation.approval;
    await here.until(async () => (await asked())?.state === "open", 5, "the question");
    endFault(here, fault);
    await here.pass(6);
    await here.press("approver", APPROVE_OPERATION);
    await here.until(async () => (await asked())?.asking === 2, 10, "the second question");
    await here.pass(1);
    await here.press("approver", APPROVE_OPERATION);
    await settled(here, 240);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(ec2Reboots()).toEqual([]);
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
    expect(told()).toContain("[Screenshot]");
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

describe("A press of Reboot through EC2", () => {
  /** A machine that hangs in its boot, offered half an hour later. */
  async function offered(configuration: object = {}): Promise<void> {
    const approvals = { reboot: { needs: 0 } };
    here = await withSeedNodes({ configuration: { approvals, ...configuration } });
    injectFault(here, "boot-hangs", ofWeb, 1);
    await type();
    await here.until(() => told().includes("has not come back from its reboot"), 60, "the offer");
  }
  /** EC2 forbids the call, because the instance lacks its tags; the returned function puts them back. */
  function forbid(): () => void {
    const instances = here.simulator.simulation.store.collection<InstanceRecord>("ec2-instances");
    const before = instances.get(web.instanceId);
    if (!before) throw new Error("the instance is gone");
    instances.set(web.instanceId, { ...before, tags: {} });
    return () => instances.set(web.instanceId, before);
  }
  const answered = (): number => ec2Reboots().filter(({ error }) => error === null).length;

  test("asks once although EC2's answer is lost, says so, and the machine is proven", async () => {
    await offered();
    injectFault(here, "aws-answer-lost", { service: "ec2", action: "RebootInstances" }, 1);
    await here.press("operator", EC2_REBOOT);
    await here.until(() => told().includes("EC2's answer is unknown"), 5, "the unknown answer");
    await settled(here, 240);
    const { operation, nodes } = await newest(here);
    expect([operation.status, nodes[0]?.ec2Reboot?.answer]).toEqual(["succeeded", "unknown"]);
    expect(ec2Reboots()).toHaveLength(1);
    expect([isCordoned(here), await heldBack(here)]).toEqual([false, []]);
  });

  test("asks again by itself while EC2 throttles it, and once it is taken not again", async () => {
    await offered();
    injectFault(here, "aws-throttle", { service: "ec2", action: "RebootInstances" }, 2);
    await here.press("operator", EC2_REBOOT);
    await settled(here, 240);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect([ec2Reboots().length, answered()]).toEqual([3, 1]);
  });

  test("by two people at once asks EC2 once, and the second one is told so", async () => {
    await offered({ policy: { ...demo.policy, reboot: ["operator", "approver"] } });
    await Promise.all([here.press("operator", EC2_REBOOT), here.press("approver", EC2_REBOOT)]);
    await settled(here, 240);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(ec2Reboots()).toHaveLength(1);
    const late = (["operator", "approver"] as const).flatMap((who) => privately(here, who));
    expect(late.filter((text) => text.includes("was already made"))).toHaveLength(1);
  });

  test("of an operator of another pool asks nothing and is answered once; one who may still can", async () => {
    const { pools } = demo;
    await offered({ pools: { ...pools, web: { ...pools.web, policy: { reboot: ["on-call"] } } } });
    await here.press("approver", EC2_REBOOT);
    await here.pass(12);
    expect(ec2Reboots()).toEqual([]);
    expect(privately(here, "approver").filter((text) => text.includes("reboot"))).toHaveLength(1);
    await here.press("operator", EC2_REBOOT);
    await settled(here, 240);
    expect(ec2Reboots()).toHaveLength(1);
    expect((await newest(here)).operation.status).toBe("succeeded");
  });

  test("that EC2 refuses is told, and the machine is waited for to the end", async () => {
    await offered();
    const permit = forbid();
    await here.press("operator", EC2_REBOOT);
    await here.until(() => told().includes("EC2 refused to reboot the machine"), 5, "the refusal");
    expect((await newest(here)).nodes[0]?.status).toBe("running");
    permit();
    await here.until(() => openly(here)[0]?.includes("[Reboot through EC2…]") ?? false, 5, "the button");
    await here.press("operator", EC2_REBOOT);
    await settled(here, 240);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(answered()).toBe(1);
  });
});

describe("A plan through EC2", () => {
  async function planned(): Promise<string> {
    here = await unasked("reboot");
    const fault = injectFault(here, "agent-silent", ofWeb);
    await here.pass(12);
    await type();
    return fault;
  }

  test("whose order EC2 never got is told after half an hour, and a press brings the machine back", async () => {
    const fault = await planned();
    injectFault(here, "aws-5xx", { service: "ec2", action: "RebootInstances" }, 1);
    await here.until(() => told().includes("EC2's answer is unknown"), 60, "the button");
    expect(ec2Reboots()).toHaveLength(1);
    await here.press("operator", EC2_REBOOT);
    await here.until(() => ec2Reboots().length === 2, 10, "EC2's reboot");
    endFault(here, fault);
    await settled(here, 240);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect([ec2Reboots().length, isCordoned(here)]).toEqual([2, false]);
  });

  test("whose kubelet does not start is not waited for: the proof names the service", async () => {
    const fault = await planned();
    injectFault(here, "service-exits", { ...ofWeb, service: "kubelet" });
    await here.until(() => ec2Reboots().length > 0, 60, "EC2's reboot");
    endFault(here, fault);
    await settled(here, 240);
    expect((await newest(here)).nodes[0]?.failure).toMatchObject({ stage: "prove" });
    expect(told()).toMatch(/Windows services: The Windows service `kubelet` (is Stopped|has restarted)/);
    expect(isCordoned(here)).toBe(true);
  });

  test("whose instance is terminated by others ends at once, and says so", async () => {
    await planned();
    await here.until(() => ec2Reboots().length > 0, 60, "EC2's reboot");
    await terminateFromOutside(here, web.instanceId);
    await settled(here, 15);
    expect(told()).toContain("i-0a1b2c3d4e5f60718 is terminated: EC2 says Client.UserInitiatedShutdown");
    expect((await newest(here)).operation.summary).toContain("EC2 is terminating `i-0a1b2c3d4e5f60718`");
    expect(await heldBack(here)).toEqual([]);
  });
});

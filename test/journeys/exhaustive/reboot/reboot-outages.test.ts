import { afterEach, describe, expect, test } from "vitest";
import { calls, expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, ownerShown, SHORT, unasked } from "../../on-web.ts";
import { web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { inThreads, openly } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const bootIdOf = (): string | undefined => nodeNamed(here, web.name)?.status?.nodeInfo?.bootID;

/** Starts a reboot and waits until it is in a stage. @returns the boot before */
async function rebootUntil(stage: string): Promise<string | undefined> {
  here = await unasked("reboot");
  const before = bootIdOf();
  await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
  await here.until(async () => (await newest(here)).nodes[0]?.stage === stage, 60, `the stage ${stage}`);
  return before;
}

/** Waits for the end of a reboot that is proven, after which the node is as it was and nothing is held. */
async function expectProven(before: string | undefined): Promise<void> {
  await settled(here, 240);
  const { operation, nodes } = await newest(here);
  expect(nodes[0]?.failure).toBeNull();
  expect(operation).toMatchObject({ status: "succeeded", summary: expect.stringContaining("was rebooted and works") });
  expect(bootIdOf()).not.toBe(before);
  expect([isCordoned(here), ownerShown(here)]).toEqual([false, undefined]);
  expect(await heldBack(here)).toEqual([]);
}

describe("A reboot is proven, and its node given back,", () => {
  test.each([
    [40, "guard"],
    [40, "evict"],
    [600, "evict"],
    [40, "reboot"],
    [600, "reboot"],
    [40, "prove"],
    [600, "prove"],
  ])("though the API server answers 503 for %i s from stage %s on", async (seconds, stage) => {
    const before = await rebootUntil(stage);
    const fault = injectFault(here, "kubernetes-5xx");
    await here.pass(seconds / 60);
    endFault(here, fault);
    await expectProven(before);
    await expectSound(here);
  });

  test("though Slack is down throughout, and its message is made right afterwards", async () => {
    here = await unasked("reboot");
    const before = bootIdOf();
    await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
    await here.until(async () => (await newest(here)).nodes[0]?.stage === "guard", 10, "the guard");
    const fault = injectFault(here, "slack-down");
    await here.until(() => bootIdOf() !== before && !isCordoned(here), 60, "the node to be given back");
    endFault(here, fault);
    await expectProven(before);
    const [message, ...more] = openly(here);
    expect(more).toEqual([]);
    expect(message).toContain("✅ Reboot ip-10-0-3-7");
    const told = inThreads(here);
    expect(new Set(told).size).toBe(told.length);
  });
});

test("A reboot ends without a change when the API server answers 503 for as long as the cordon may take", async () => {
  const before = await rebootUntil("guard");
  const fault = injectFault(here, "kubernetes-5xx");
  await here.pass(10);
  endFault(here, fault);
  await settled(here, 30);
  const { operation, nodes } = await newest(here);
  expect(nodes[0]?.failure).toMatchObject({ stage: "cordon", left: "nothing was changed" });
  expect(nodes[0]?.failure?.why).toMatch(/^gave up.*the last answer was: the API server answered 503: /);
  expect(operation.status).toBe("failed");
  expect([bootIdOf(), isCordoned(here), ownerShown(here)]).toEqual([before, false, undefined]);
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
});

describe("A reboot through EC2 asks EC2 once, is proven, and its node is given back,", () => {
  const outages = [
    { outage: "the API server answers 503 for ten minutes", kind: "kubernetes-5xx", match: {}, minutes: 10 },
    { outage: "Slack is down for ten minutes", kind: "slack-down", match: {}, minutes: 10 },
    { outage: "SSM throttles for two minutes", kind: "aws-throttle", match: { service: "ssm" }, minutes: 2 },
    { outage: "EC2 throttles for two minutes", kind: "aws-throttle", match: { service: "ec2" }, minutes: 2 },
  ] as const;
  const asked = () => calls(here, "ec2", "RebootInstances").filter(({ error }) => error === null);

  test.each(outages)("though $outage from stage reboot on", async ({ kind, match, minutes }) => {
    here = await unasked("reboot");
    const before = bootIdOf();
    const silent = injectFault(here, "agent-silent", { instanceId: web.instanceId });
    await here.pass(12);
    await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
    await here.until(async () => (await newest(here)).nodes[0]?.stage === "reboot", 60, "the stage reboot");
    const fault = injectFault(here, kind, match);
    await here.pass(minutes);
    endFault(here, fault);
    await here.until(() => asked().length > 0, 30, "the order to EC2");
    // A boot mends the agent.
    endFault(here, silent);
    await expectProven(before);
    expect(asked()).toHaveLength(1);
  });
});

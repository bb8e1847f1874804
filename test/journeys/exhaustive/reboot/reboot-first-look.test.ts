import { afterEach, describe, expect, test } from "vitest";
import { newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, SHORT, unasked } from "../../on-web.ts";
import { ec2, podsOn, web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const ofWeb = { instanceId: web.instanceId };
const force = `/win reboot ${SHORT} --force ${web.name}`;

const faults = [
  {
    what: "the clock is ahead",
    kind: "clock-wrong",
    how: { how: "ahead" },
    code: "clock-wrong",
    says: /clock of the machine is wrong/,
    next: "--ec2",
  },
  {
    what: "the clock is behind",
    kind: "clock-wrong",
    how: { how: "behind" },
    code: "clock-wrong",
    says: /clock of the machine is wrong/,
    next: "--ec2",
  },
  {
    what: "the disk is full",
    kind: "disk-full",
    how: {},
    code: "disk-full",
    says: /system drive of the machine has 0 MB free/,
    next: "--ec2",
  },
  {
    what: "the guard of the metadata route is gone",
    kind: "guard-lost",
    how: { how: "removed" },
    code: "guard-task-missing",
    says: /guard of the metadata route is not installed/,
    next: `/win guard ${web.name}`,
  },
] as const;

describe.each(faults)("A machine on which $what", ({ kind, how, code, says, next }) => {
  test("is refused before a pod is evicted, where no approval is needed", async () => {
    here = await unasked("reboot");
    const before = podsOn(here, web);
    injectFault(here, kind, { ...ofWeb, ...how });
    await here.type("operator", force);
    await settled(here, 30);
    const [node] = (await newest(here)).nodes;
    expect(node?.failure).toMatchObject({ stage: "guard", code });
    expect(node?.failure?.why).toMatch(says);
    expect([isCordoned(here), podsOn(here, web)]).toEqual([false, before]);
  });

  test("is refused before people are asked for an approval, with the next step", async () => {
    here = await withSeedNodes();
    injectFault(here, kind, { ...ofWeb, ...how });
    await here.pass(3);
    await here.type("operator", force);
    await settled(here, 10);
    const { operation } = await newest(here);
    expect(operation.status).toBe("refused");
    expect(openly(here).join("\n")).toMatch(says);
    expect(openly(here).join("\n")).toContain(next);
    expect(openly(here).join("\n")).not.toContain("[Approve]");
  });
});

test("A dry run names the full disk of a machine, and offers no reboot", async () => {
  here = await withSeedNodes();
  injectFault(here, "disk-full", ofWeb);
  await here.type("operator", `/win reboot ${SHORT} --dry-run`);
  await settled(here, 10);
  const shown = privately(here, "operator").join("\n");
  expect(shown).toContain("A reboot is refused until that is corrected");
  expect(shown).not.toContain("To apply:");
});

test("A plan shows the retirement that EC2 has scheduled, and a status check that fails", async () => {
  here = await withSeedNodes();
  injectFault(here, "event-scheduled", { ...ofWeb, code: "instance-retirement" });
  injectFault(here, "instance-status-impaired", ofWeb);
  await here.type("operator", force);
  await here.until(async () => (await newest(here)).operation.approval?.state === "open", 10, "the question");
  const shown = openly(here).join("\n");
  expect(shown).toContain("EC2 has scheduled `instance-retirement` of the machine");
  expect(shown).toContain("A reboot does not prevent it");
  expect(shown).toContain("EC2's status check of the instance fails");
});

test.each(["reboot", "restart"])(
  "A %s of a machine that is stopped is refused, with the way to start it",
  async (command) => {
    here = await withSeedNodes();
    await ec2(here, "StopInstances", { "InstanceId.1": web.instanceId });
    await here.pass(3);
    await here.type("operator", `/win ${command} ${SHORT}`);
    await settled(here, 10);
    expect((await newest(here)).operation.summary).toContain("EC2 says that its instance is stopped");
  },
);

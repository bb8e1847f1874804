import { afterEach, describe, expect, test } from "vitest";
import { lambdaName } from "../../../../lib/sandbox/simulator.ts";
import { calls, expectSound, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { otherWeb, shortName, web } from "../../others.ts";
import { askEc2, endFault, injectFault } from "../../outside.ts";
import { poolOfFour } from "../../pool-of-four.ts";
import { openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

/** Hours pass, in which no other schedule matters here. */
const schedules = ["reboots"] as const;

const boots = (): string[] => openly(here).filter((text) => text.includes("Casement did not order it"));

const look = async (command: string): Promise<string> => {
  const before = privately(here, "operator").length;
  await here.type("operator", command);
  await here.until(() => privately(here, "operator").length > before, 5, "the answer");
  await settled(here, 5);
  return privately(here, "operator").at(-1) ?? "";
};

const bootOf = (name: string): string | undefined => nodeNamed(here, name)?.status?.nodeInfo?.bootID;

/** Commands that the scheduled look has sent. */
const looked = (): number =>
  calls(here, "ssm", "SendCommand").filter(({ principal }) => principal === "watch-reboots").length;

/** Lets a look pass that finds everything as it is. */
const seenOnce = (): Promise<void> => here.pass(45);

describe("Reboot due", () => {
  test("is a column of the list with its reason, and told in words with its time, until the node has rebooted", async () => {
    here = await withSeedNodes({ schedules });
    await seenOnce();
    expect(await look("/win nodes")).not.toContain("REBOOT DUE");
    injectFault(here, "reboot-pending", { instanceId: web.instanceId, reason: "windows-update" }, 1);
    injectFault(here, "reboot-pending", { instanceId: web.instanceId, reason: "file-renames" }, 1);
    await here.pass(35);
    const list = await look("/win nodes");
    expect(list).toContain("REBOOT DUE");
    expect(list).toMatch(new RegExp(`${shortName(web)}.*update,files`));
    expect(list).toMatch(new RegExp(`${shortName(otherWeb)}.*&lt;none&gt;`));
    await here.pass(60);
    const node = await look(`/win node ${shortName(web)}`);
    expect(node).toMatch(
      /Reboot due: Windows Update, files to be replaced at the next boot; since \d+m, checked \d+m\S* ago/,
    );
    const why = await look(`/win why ${shortName(web)}`);
    expect(why).toMatch(
      /Windows waits for a reboot since \d+m: Windows Update, files to be replaced at the next boot\./,
    );
    expect(boots()).toEqual([]);
    await expectSound(here);
  });

  test("is not looked at while Systems Manager is away, which is told and never called not due", async () => {
    here = await withSeedNodes({ schedules });
    await seenOnce();
    injectFault(here, "aws-5xx", { service: "ssm" });
    await here.pass(150);
    const list = await look("/win nodes");
    expect(list).toMatch(new RegExp(`${shortName(web)}.*&lt;unknown&gt;`));
    expect(await look(`/win node ${shortName(web)}`)).toMatch(/Reboot due: not checked since 1\d\dm/);
    expect(boots()).toEqual([]);
  });

  test("is not looked at in a pool that says so, and neither is its boot; its services are", async () => {
    here = await withSeedNodes({ schedules });
    const { pools } = here.configuration;
    await here.close();
    const off = Object.fromEntries(Object.entries(pools).map(([name, pool]) => [name, { ...pool, rebootDue: false }]));
    here = await withSeedNodes({ configuration: { pools: off }, schedules });
    injectFault(here, "reboot-pending", { instanceId: web.instanceId, reason: "windows-update" }, 1);
    injectFault(here, "boots-by-itself", { instanceId: otherWeb.instanceId, how: "person" }, 1);
    await here.pass(90);
    expect(looked()).toBeGreaterThan(0);
    expect(boots()).toEqual([]);
    expect(await look("/win nodes")).not.toContain("REBOOT DUE");
    injectFault(here, "service-exits", { instanceId: web.instanceId, service: "kube-proxy" });
    injectFault(here, "service-crashes", { instanceId: web.instanceId, service: "kube-proxy" }, 1);
    await here.pass(40);
    expect(openly(here).join("\n")).toMatch(
      new RegExp(`The service \`kube-proxy\` keeps exiting on \`${web.name}\`: \\d+ times within an hour`),
    );
  });
});

describe("What a look finds on machines", () => {
  const told = (): string[] =>
    openly(here).filter((text) => /^(?:⚠️|✅) (?:The (?:service|system drive)|\*\d problems)/u.test(text));

  test("is told once for all of them, repeated by the doctor, and told again when it is in order", async () => {
    here = await withSeedNodes({ schedules });
    await seenOnce();
    const faults = [web, otherWeb].flatMap(({ instanceId }) => {
      const exits = injectFault(here, "service-exits", { instanceId, service: "kube-proxy" });
      injectFault(here, "service-crashes", { instanceId, service: "kube-proxy" }, 1);
      return [exits, injectFault(here, "disk-full", { instanceId })];
    });
    await here.pass(95);
    const nodes = [web.name, otherWeb.name]
      .toSorted()
      .map((name) => `\`${name}\``)
      .join(", ");
    expect(told()).toEqual([expect.stringContaining(`⚠️ *2 problems* on 2 nodes: ${nodes}:`)]);
    expect(told()[0]).toMatch(
      /• The service `kube-proxy` keeps exiting\.\s+• The system drive has less than 10 GB free\./,
    );
    const doctor = await look("/win doctor");
    expect(doctor).toContain("The service `kube-proxy` keeps exiting on");
    expect(doctor).toContain("The system drive has less than 10 GB free on");
    expect(await look(`/win why ${shortName(web)}`)).toMatch(
      /The Windows service `kube-proxy` exited \d+ times in the last hour, last \d+s ago\. Its log ends: panic: cannot go on/,
    );
    for (const fault of faults) endFault(here, fault);
    await here.pass(95);
    expect(told().slice(1)).toEqual([
      expect.stringContaining(`✅ The system drive has more than 10 GB free again on 2 nodes: ${nodes}.`),
      expect.stringContaining(`✅ The service \`kube-proxy\` has stopped exiting on 2 nodes: ${nodes}.`),
    ]);
  });
});

describe("A boot that Casement did not order", () => {
  test.each([
    ["windows-update", "Windows Update restarted it"],
    ["person", "Administrator"],
    ["power-loss", "it was not shut down before: a crash, a reset or a loss of power"],
  ])("by %s is told once, with its cause", async (how, cause) => {
    here = await withSeedNodes({ schedules });
    await seenOnce();
    const before = bootOf(web.name);
    injectFault(here, "boots-by-itself", { instanceId: web.instanceId, how }, 1);
    await here.pass(120);
    expect(bootOf(web.name)).not.toBe(before);
    expect(boots()).toHaveLength(1);
    expect(boots()[0]).toContain(web.name);
    expect(boots()[0]).toContain(cause);
    expect(boots()[0]).toContain("[Why]");
    await expectSound(here);
  });

  test("is told of a machine that EC2 stopped and started", async () => {
    here = await withSeedNodes({ schedules });
    await seenOnce();
    await askEc2(here, "StopInstances", { "InstanceId.1": web.instanceId });
    await here.pass(5);
    await askEc2(here, "StartInstances", { "InstanceId.1": web.instanceId });
    await here.pass(90);
    expect(boots()).toEqual([expect.stringContaining("EC2 stopped the instance and started it again")]);
  });

  test("is told from the kubelet's boot id where the agent is silent", async () => {
    here = await withSeedNodes({ schedules });
    await seenOnce();
    injectFault(here, "agent-silent", { instanceId: web.instanceId });
    injectFault(here, "boots-by-itself", { instanceId: web.instanceId, how: "power-loss" }, 1);
    await here.pass(90);
    expect(boots()).toEqual([expect.stringContaining("the event log was not read: the machine did not answer")]);
  });

  test("is one message for half the fleet, which names the common cause", async () => {
    const four = await poolOfFour(1, {}, { schedules });
    here = four.here;
    await seenOnce();
    // All of them boot between two looks.
    await here.pass(10);
    for (const name of four.names.slice(0, 3))
      injectFault(here, "boots-by-itself", { node: name, how: "power-loss" }, 1);
    await here.pass(90);
    expect(boots()).toHaveLength(1);
    const [said = ""] = boots();
    expect(said).toContain("*3 of 4 nodes rebooted*");
    expect(said).toContain("one cause is likely, such as a loss of power");
    for (const name of four.names.slice(0, 3)) expect(said).toContain(name);
  });

  test("is told once though the function dies at each of its steps, and when Slack is back", async () => {
    here = await withSeedNodes({ schedules });
    await seenOnce();
    injectFault(here, "handler-crash", { function: lambdaName("watch-reboots") }, 12);
    const down = injectFault(here, "slack-down");
    injectFault(here, "boots-by-itself", { instanceId: web.instanceId, how: "windows-update" }, 1);
    await here.pass(100);
    endFault(here, down);
    await here.pass(100);
    expect(boots()).toHaveLength(1);
  });
});

test("A reboot by Casement, of a node and of a pool, is no news", { timeout: 240_000 }, async () => {
  const four = await poolOfFour(2, {}, { schedules });
  here = four.here;
  await seenOnce();
  const before = four.names.map(bootOf);
  await here.type("operator", "/win reboot web");
  await settled(here, 240);
  await here.pass(90);
  expect(four.names.map((name, at) => bootOf(name) !== before[at])).toEqual([true, true, true, true]);
  expect(boots()).toEqual([]);
  injectFault(here, "boots-by-itself", { node: four.names[0] ?? "", how: "windows-update" }, 1);
  await here.pass(90);
  expect(boots()).toHaveLength(1);
});

import { afterEach, expect, test } from "vitest";
import { demo } from "../../../../lib/sandbox/demo.ts";
import { calls, expectSound, heldBack, launchedBy, newest, settled, spoken, wordsOf } from "../../evidence.ts";
import { launchedId } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { askEc2, endFault, injectFault, reached } from "../../outside.ts";

let here: Journey;
afterEach(() => here.close());

/** It all went well in the end, with one instance per node. */
async function expectAdded(count: number): Promise<void> {
  const { operation, nodes } = await newest(here);
  expect(operation.status).toBe("succeeded");
  expect(nodes).toHaveLength(count);
  expect(launchedBy(here, operation.id)).toHaveLength(count);
  expect(spoken(here).channel).toHaveLength(1);
  const texts = spoken(here).thread.map(({ text }) => text);
  expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([]);
  expect(texts.filter((text) => text.includes(": Ready after"))).toHaveLength(count);
  expect(texts.filter((text) => text.startsWith("<@U0OPERATOR>"))).toHaveLength(1);
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
}

test("takes the next subnet, then the next type, where the first has no capacity", async () => {
  here = await startJourney();
  const [first, second, third] = demo.subnets;
  injectFault(here, "no-capacity", { type: "m6i.xlarge", subnet: first.id });
  injectFault(here, "no-capacity", {
    type: "m6i.xlarge",
    subnet: second.id,
    code: "InsufficientFreeAddressesInSubnet",
  });
  injectFault(here, "no-capacity", { type: "m6i.xlarge", subnet: third.id, code: "VcpuLimitExceeded" });
  await here.type("operator", "/win add web");
  await settled(here);
  await expectAdded(1);
  const [instance] = launchedBy(here, (await newest(here)).operation.id);
  expect(instance).toMatchObject({ InstanceType: "m5.xlarge", SubnetId: first.id });
});

test("takes the next subnet where EC2 ends the instance for want of capacity after it had accepted the launch", async () => {
  here = await startJourney();
  const [first, second] = demo.subnets;
  const code = "Server.InsufficientInstanceCapacity";
  injectFault(here, "launch-fails", { type: "m6i.xlarge", subnet: first.id, code });
  await here.type("operator", "/win add web");
  await settled(here);
  const { operation } = await newest(here);
  expect(operation.status).toBe("succeeded");
  const [ended, running, ...more] = launchedBy(here, operation.id);
  expect([ended?.State?.Name, running?.State?.Name, more]).toEqual(["terminated", "running", []]);
  expect(running?.SubnetId).toBe(second.id);
  expect(
    spoken(here)
      .thread.map(({ text }) => text)
      .join("\n"),
  ).toContain("before it ran (InsufficientInstanceCapacity); the next subnet or instance type is tried");
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
});

test("fails with EC2's codes where there is no capacity anywhere, and asks nobody", async () => {
  here = await startJourney();
  injectFault(here, "no-capacity", { type: "m6i.xlarge" });
  injectFault(here, "no-capacity", { type: "m5.xlarge", code: "VcpuLimitExceeded" });
  await here.type("operator", "/win add web");
  await settled(here);
  const { operation, nodes } = await newest(here);
  expect(operation.status).toBe("failed");
  expect(nodes[0]).toMatchObject({ status: "failed", failure: { stage: "launch", left: "no instance was launched" } });
  const words = wordsOf(spoken(here).channel[0] as never);
  for (const part of ["m6i.xlarge: InsufficientInstanceCapacity in subnet-", "m5.xlarge: VcpuLimitExceeded in subnet-"])
    expect(words).toContain(part);
  expect(launchedBy(here, operation.id)).toEqual([]);
  expect(calls(here, "ec2", "RunInstances").filter(({ error }) => error === null)).toEqual([]);
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
});

const services = { RunInstances: "ec2", DescribeInstances: "ec2", SendCommand: "ssm", GetCommandInvocation: "ssm" };

test.for(["aws-throttle", "aws-5xx"])("is patient with AWS under %s", async (kind) => {
  here = await startJourney();
  for (const [action, service] of Object.entries(services)) injectFault(here, kind, { service, action }, 5);
  await here.type("operator", "/win add web 2");
  await settled(here);
  expect(here.simulator.simulation.faults.inForce()).toEqual([]);
  await expectAdded(2);
});

test("has the time that Windows Server 2025 needs on a fresh disk: its list of features alone takes minutes", async () => {
  here = await startJourney();
  await here.type("operator", "/win add edge 2");
  await settled(here);
  await expectAdded(2);
});

test("bears a download that arrives damaged once, and services that are busy while the machine reads from them", async () => {
  here = await startJourney();
  injectFault(here, "download-corrupt", {}, 1);
  injectFault(here, "aws-5xx", { service: "s3", action: "GetObject" }, 3);
  await here.type("operator", "/win add web");
  await reached(here, "payload");
  injectFault(here, "aws-throttle", { service: "secretsmanager", action: "GetSecretValue" }, 3);
  await settled(here);
  expect(here.simulator.simulation.faults.inForce()).toEqual([]);
  await expectAdded(1);
});

test("reboots although the marker of an earlier reboot is damaged", async () => {
  here = await startJourney();
  injectFault(here, "record-damaged", { file: "reboot.json", how: "zeros" });
  await here.type("operator", "/win add web");
  await settled(here);
  await expectAdded(1);
});

test("is ready again after a boot that container networks outlived without their attachment", async () => {
  here = await startJourney({ seedNodes: true });
  injectFault(here, "endpoints-outlive-boot", {}, 1);
  const id = here.simulator.machines.all()[0]?.instanceId ?? "none";
  await askEc2(here, "RebootInstances", { "InstanceId.1": id });
  const proxy = () => here.simulator.machines.describe(id)?.services.find(({ name }) => name === "kube-proxy");
  await here.until(() => proxy()?.state === "Stopped", 5, "the machine going down");
  await here.until(() => proxy()?.state === "Running", 15, "kube-proxy with the address of a new endpoint");
  await here.pass(2);
  expect(proxy()?.state).toBe("Running");
  expect(here.simulator.machines.logOf(id).join("\n")).toContain("4002 The network is set up.");
});

test("is patient with an API server that is away for forty seconds", async () => {
  here = await startJourney();
  await here.type("operator", "/win add web");
  await reached(here, "client-csr");
  const away = injectFault(here, "kubernetes-5xx");
  await here.pass(40 / 60);
  endFault(here, away);
  await settled(here);
  await expectAdded(1);
});

test("goes on while Slack is down, and catches up when it is back", async () => {
  here = await startJourney();
  await here.type("operator", "/win add web");
  await here.until(() => spoken(here).channel.length > 0, 2);
  const before = spoken(here).channel[0]?.text;
  const down = injectFault(here, "slack-down");
  await here.pass(5);
  expect(spoken(here).channel.map(({ text }) => text)).toEqual([before]);
  expect((await newest(here)).nodes[0]?.stage).not.toBe("launch");
  endFault(here, down);
  await settled(here);
  await expectAdded(1);
});

test("says nothing twice when Slack takes a message and its answer is lost", async () => {
  here = await startJourney();
  injectFault(here, "slack-answer-lost", { method: "chat.postMessage" }, 3);
  await here.type("operator", "/win add web");
  await settled(here);
  await expectAdded(1);
});

test("reboots a machine once more where Windows Update asks for it right after the features' reboot", async () => {
  here = await startJourney();
  await here.type("operator", "/win add web");
  await reached(here, "features");
  const instanceId = launchedId(here);
  const bootNow = (): string | undefined => here.simulator.machines.describe(instanceId)?.bootId;
  const boot = bootNow();
  await here.until(() => bootNow() !== boot, 30, "the features' reboot");
  injectFault(here, "reboot-pending", { instanceId, reason: "windows-update" }, 1);
  await settled(here);
  await expectAdded(1);
  expect(bootNow()).toBe(String(Number(boot) + 2));
  expect(
    spoken(here)
      .thread.map(({ text }) => text)
      .join("\n"),
  ).toContain("Windows requires another reboot (Windows Update). No container network exists yet");
});

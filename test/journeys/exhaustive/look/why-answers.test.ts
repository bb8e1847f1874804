import { afterEach, describe, expect, test } from "vitest";
import { assist } from "../../assisting.ts";
import { expectSound, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { look } from "../../looking.ts";
import { edge, kubectl, shortName, web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

test("a healthy node passes every check, by the word of EC2, SSM, Kubernetes and the machine, in private", async () => {
  here = await withSeedNodes();
  await here.type("operator", "/win why ip-10-0-3-7");
  await settled(here, 3);
  const said = privately(here, "operator").at(-1) ?? "";
  expect(said).toContain(`✅ \`${web.name}\`: all checks passed.`);
  expect(openly(here)).toEqual([]);
  await expectSound(here);
  const taint = { key: "aws-node-termination-handler/spot-itn", effect: "NoSchedule" };
  const { taints = [] } = nodeNamed(here, web.name)?.spec ?? {};
  await kubectl(here, "PATCH", `/api/v1/nodes/${web.name}`, { spec: { taints: [...taints, taint] } });
  expect((await look(here, `/win why ${web.name}`)).said).toContain(`\`kubectl taint node ${web.name} ${taint.key}-\``);
});

describe("A machine of another owner whose agent is silent", () => {
  const GUARD_RUNS = "agent and route guard run at start-up";
  const why = async (): Promise<string> => (await look(here, `/win why ${edge.name}`)).said;

  async function silent(): Promise<string> {
    injectFault(here, "agent-silent", { instanceId: edge.instanceId });
    await here.pass(30);
    return why();
  }

  test("is not said to have a guard, nor offered a reboot, where Casement does not assist it", async () => {
    here = await withSeedNodes();
    const said = await silent();
    expect(said).toMatch(/❌ .*The SSM agent does not answer for \d+m/);
    expect(said).toContain("No route guard of Casement's is known on this machine");
    expect(said).toContain("At the console of the machine: `route add 169.254.169.254");
    expect(said).not.toContain(GUARD_RUNS);
    expect(said).not.toContain("[Reboot]");
  });

  test("is said to have the guard, and offered a reboot, once Casement assists it", async () => {
    here = await withSeedNodes();
    await assist(here);
    const said = await silent();
    expect(said).toContain(GUARD_RUNS);
    expect(said).toContain("[Reboot]");
    expect(said).not.toContain("No route guard of Casement's");
  });

  test("is not called unassisted while the cluster does not answer", async () => {
    here = await withSeedNodes();
    await assist(here);
    injectFault(here, "kubernetes-5xx");
    const said = await why();
    expect(said).toContain("the machine was not asked, because it could not be read whether Casement assists it");
    expect(said).not.toContain("neither launched nor assists it");
  });
});

test("an agent that was disabled is told with the likely causes, because the kubelet reports, and no cause is claimed", async () => {
  here = await withSeedNodes();
  injectFault(here, "agent-disabled", { instanceId: web.instanceId });
  await here.pass(30);
  const { said } = await look(here, `/win why ${web.name}`);
  expect(said).toMatch(/The SSM agent does not answer for \d+m, although its kubelet reports/);
  expect(said).toContain("Likely, in this order: the service `AmazonSSMAgent` is stopped, disabled or blocked");
  expect(said).toContain("[Open in AWS]");
});

test("an agent that is silent where the clock of its machine is wrong is told with that cause, by its kubelet's times", async () => {
  here = await withSeedNodes();
  injectFault(here, "clock-wrong", { instanceId: web.instanceId, how: "ahead" });
  await here.pass(8);
  expect((await look(here, `/win why ${web.name}`)).said).toMatch(
    /❌ .*The machine's clock is 2\dh ahead: AWS refuses/,
  );
  injectFault(here, "agent-silent", { instanceId: web.instanceId });
  await here.pass(35);
  const { said } = await look(here, `/win why ${web.name}`);
  expect(said).toMatch(
    /does not answer for \d+m, and its kubelet reports with a time 2\dh from now: the machine's clock/,
  );
  expect(said).toContain("w32tm /resync /force");
});

test("an agent whose instance lost its profile is silent within an hour, with that cause", async () => {
  here = await withSeedNodes();
  injectFault(here, "profile-lost", { instanceId: web.instanceId });
  await here.pass(110);
  const { said } = await look(here, `/win why ${web.name}`);
  expect(said).toMatch(/does not answer for \d+m: EC2 says that the instance has no instance profile/);
  expect((await look(here, `/win reboot ${web.name} --dry-run`)).said).toContain("the proof cannot pass");
  expect((await look(here, "/win reboot web --force web --dry-run")).said).toContain(
    `The instance of \`${shortName(web)}\` has no instance profile: after the reboot its SSM agent stays silent`,
  );
  expect((await look(here, "/win doctor")).said).toMatch(
    /attach the pool's instance profile to `[^`]+`, which no reboot/,
  );
});

test("a volume that does not answer is named, and the event that EC2 has scheduled stands beside it", async () => {
  here = await withSeedNodes();
  injectFault(here, "volume-impaired", { instanceId: web.instanceId });
  injectFault(here, "event-scheduled", { instanceId: web.instanceId, code: "instance-retirement" });
  const { said } = await look(here, `/win why ${web.name}`);
  expect(said).toMatch(/❌ .*one of its volumes does not answer, the root volume or a pod's\./);
  expect(said).toMatch(/EC2 has scheduled `instance-retirement` of the machine for .+ Next: .*add web.*remove/);
});

test("a machine of another owner that fails EC2's status check is not said to have a guard", async () => {
  here = await withSeedNodes();
  injectFault(here, "instance-status-impaired", { instanceId: edge.instanceId });
  await here.pass(10);
  const { said } = await look(here, `/win why ${edge.name}`);
  expect(said).toContain("EC2's instance status check fails");
  expect(said).toContain("Its owner decides about a reboot.");
  expect(said).not.toContain("the route guard runs at start-up");
});

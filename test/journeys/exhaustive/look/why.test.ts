import { afterEach, expect, test } from "vitest";
import { inHostTime } from "../../../host-time.ts";
import { expectSound, newest, nodeNamed } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { look, why } from "../../looking.ts";
import { cordonByHand, edge, web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { privately } from "../../reading.ts";
import { confirmRemoval, withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const ofWeb = { instanceId: web.instanceId };

test("a lost metadata route is named by what the agent says, because no command runs without it", async () => {
  here = await withSeedNodes();
  injectFault(here, "lose-metadata-route", ofWeb);
  await here.pass(1);
  const { said } = await why(here);
  expect(said).toContain("The SSM agent takes commands, but cannot run them");
  expect(said).toContain("route add 169.254.169.254 mask 255.255.255.255 &lt;gateway&gt;");
  await expectSound(here);
});

test("a silent agent is told within 20 s by what the others know, and named when it has not taken the command", async () => {
  here = await withSeedNodes();
  injectFault(here, "agent-silent", ofWeb);
  const soon = await why(here);
  expect(soon.first).toContain("no problem found so far. Waiting for the machine's answer.");
  expect(soon.said).toMatch(/❌ .*The SSM agent does not answer/);
  expect(soon.said).toMatch(/Node condition Ready +ok/);
  await here.pass(30);
  const late = await why(here);
  expect(late.said).toMatch(/The SSM agent does not answer for \d+m/);
  expect(late.said).toContain("the machine was not asked, because its SSM agent is not online");
});

test("while the Kubernetes API is away, EC2, SSM and the machine are told, and the API is named", async () => {
  here = await withSeedNodes();
  injectFault(here, "kubernetes-5xx");
  const { said } = await why(here);
  expect(said).toContain("no problem found, but");
  expect(said).toMatch(/Not known: The Kubernetes API \(`[^`]+`\) answered 503\./);
  expect(said).toMatch(/Windows services +ok/);
  expect(said).toMatch(/Node condition Ready +unknown/);
  expect((await look(here, "/win why ip-10-9-9-9")).said).toContain("not found");
});

test.each([
  ["ssm", /Not known: SSM answered/, /Node condition Ready +ok/],
  ["ec2", /Not known: EC2 answered RequestLimitExceeded/, /Windows services +ok/],
])("while %s is busy the others are told, and it is named", inHostTime, async (service, named, told) => {
  here = await withSeedNodes();
  injectFault(here, "aws-throttle", { service });
  const { said } = await why(here);
  expect(said).toMatch(named);
  expect(said).toMatch(told);
});

test("a node that is NotReady while its machine is fine is named by its kubelet's silence", async () => {
  here = await withSeedNodes();
  injectFault(here, "kubernetes-5xx", { principal: `system:node:${web.name}` });
  await here.pass(10);
  const { said } = await why(here);
  expect(said).toMatch(/❌ .*The kubelet's last report is \d+m old/);
  expect(said).toMatch(/Windows services +ok/);
  expect(said).toContain("• The node is not Ready (Unknown)");
});

test("a cordon is named, and a machine of another owner is judged without being asked", async () => {
  here = await withSeedNodes();
  await cordonByHand(here, edge);
  const { said } = await why(here, "ip-10-0-1-52");
  expect(said).toContain("The node is cordoned, not by Casement.");
  expect(said).toContain("the machine was not asked, because Casement neither launched nor assists it");
});

test("a node that an operation holds is looked at beside it, and the operation is named", async () => {
  here = await withSeedNodes();
  await confirmRemoval(here, "ip-10-0-3-7");
  await here.until(() => nodeNamed(here, web.name)?.spec?.unschedulable === true, 10, "the cordon");
  const { id } = (await newest(here)).operation;
  await here.type("operator", "/win why ip-10-0-3-7");
  const said = () => privately(here, "operator").findLast((one) => one.includes("EC2 instance")) ?? "";
  await here.until(() => /Windows services +(?:ok|WRONG)/.test(said()), 3, "the machine's answer");
  expect(said()).toContain(`The node is cordoned by \`${id}\`.`);
  expect(said()).toContain(`\`${id}\` is working on this node`);
  expect(said()).toMatch(/Windows services +ok/);
});

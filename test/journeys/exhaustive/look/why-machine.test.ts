import { afterEach, expect, test } from "vitest";
import { expectSound, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { why } from "../../looking.ts";
import { cordonByHand, web } from "../../others.ts";
import { askEc2, injectFault } from "../../outside.ts";
import { privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const ofWeb = { instanceId: web.instanceId };

test("a kubelet that ends again and again is named with its exit code and the end of its log", async () => {
  here = await withSeedNodes();
  injectFault(here, "service-exits", { ...ofWeb, service: "kubelet" });
  injectFault(here, "service-crashes", { ...ofWeb, service: "kubelet" }, 1);
  await here.pass(2);
  const { said } = await why(here);
  expect(said).toMatch(/The Windows service `kubelet` is Stopped, exit code 255\./);
  expect(said).toContain("`Start-Service kubelet`");
  await expectSound(here);
});

test("a stopped instance is named, and neither its agent nor its machine is asked", async () => {
  here = await withSeedNodes();
  await askEc2(here, "StopInstances", { "InstanceId.1": web.instanceId });
  await here.pass(3);
  const { said } = await why(here);
  expect(said).toContain(`The instance \`${web.instanceId}\` is stopped`);
  expect(said).toContain("Start the instance in the EC2 console.");
  expect(said).toContain("the machine was not asked, because the instance is stopped");
});

test("the buttons of the answer look again, and uncordon a node, by the right of who presses", async () => {
  here = await withSeedNodes();
  await cordonByHand(here, web);
  expect((await why(here)).said).toContain("[Check again]\n[Uncordon]");
  const press = async (actionId: string) => {
    await here.press("operator", actionId);
    await settled(here, 5);
  };
  await press("do-next");
  expect(nodeNamed(here, web.name)?.spec?.unschedulable ?? false).toBe(false);
  // What was started stands in place of the answer and its buttons.
  expect(privately(here, "operator")).toEqual([expect.stringMatching(/^Checking \*Uncordon ip-10-0-3-7\*/)]);
  await here.type("operator", "/win why ip-10-0-3-7");
  await settled(here, 4);
  await press("look-again");
  expect(privately(here, "operator").at(-1)).toContain("all checks passed.");
  expect(privately(here, "operator")).toHaveLength(2);
});

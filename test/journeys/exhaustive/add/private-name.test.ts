import { afterEach, expect, test } from "vitest";
import { calls, newest, nodeNamed, settled, spoken, wordsOf } from "../../evidence.ts";
import { asked, expectPutAway, impatient, launchedId, launchedName } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { endFault, injectFault } from "../../outside.ts";

let here: Journey;
afterEach(() => here.close());

const shown = (): string => spoken(here).channel.map(wordsOf).join("\n");

test("An instance that gets its private DNS name minutes after its start becomes a node", async () => {
  here = await startJourney();
  const late = injectFault(here, "private-name-late");
  await here.type("operator", "/win add web");
  await here.until(() => shown().includes("EC2 to give"), 10, "words for the wait");
  expect(shown()).toMatch(/EC2 to give i-\w+ its private DNS name, which takes DNS hostnames in the VPC/);
  await here.pass(3);
  expect(calls(here, "ssm", "SendCommand")).toEqual([]);
  endFault(here, late);
  await settled(here);
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(nodeNamed(here, launchedName(here))?.spec?.taints?.map(({ key }) => key)).toEqual(["os"]);
});

test("An instance that never gets its private DNS name gets no command, and a person ends it by the remedy", async () => {
  here = await startJourney({ configuration: impatient });
  injectFault(here, "private-name-late");
  await here.type("operator", "/win add web");
  const { failure, stage } = await asked(here);
  expect({ stage, code: failure?.code }).toEqual({ stage: "launch", code: "private-name-missing" });
  const words = [...spoken(here).thread.map(wordsOf), shown()].join("\n");
  expect(words).toContain("EC2 gave the instance no private DNS name, by which its Node is named");
  expect(words).toContain(
    "`/win doctor` says whether `enableDnsSupport` or `enableDnsHostnames` of the VPC is off: switch them on; then terminate the machine, and add again",
  );
  expect(calls(here, "ssm", "SendCommand")).toEqual([]);
  expect(here.simulator.ec2.describe().at(-1)?.State?.Name).toBe("running");
  await here.press("approver", "terminate-instance");
  await settled(here);
  expect((await newest(here)).nodes[0]).toMatchObject({ instanceId: launchedId(here), nodeName: null });
  await expectPutAway(here, false);
});

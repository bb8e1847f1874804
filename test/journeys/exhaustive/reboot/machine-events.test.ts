import { afterEach, beforeEach, expect, test } from "vitest";
import type { Journey } from "../../journey.ts";
import { otherWeb, web } from "../../others.ts";
import { askEc2, endFault, injectFault, terminateFromOutside } from "../../outside.ts";
import { openly } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
beforeEach(async () => {
  here = await withSeedNodes();
});
afterEach(() => here.close());

const about = (words: string): string[] => openly(here).filter((text) => text.includes(words));

const schedule = (instanceId: string, code: string): string =>
  injectFault(here, "event-scheduled", { instanceId, code });

test("what EC2 schedules for machines is posted once, in one message with the time and the next step, and its end by whether the machine runs", async () => {
  const events = [web, otherWeb].map(({ instanceId }) => schedule(instanceId, "instance-retirement"));
  await here.pass(100);
  const posted = about("EC2 has scheduled");
  expect(posted).toEqual([expect.stringContaining("`instance-retirement` of 2 machines (")]);
  expect(posted[0]).toContain("A reboot does not prevent it. Next: `/win add web`, then `/win remove ");
  await askEc2(here, "StopInstances", { "InstanceId.1": web.instanceId });
  for (const event of events) endFault(here, event);
  await here.pass(70);
  expect(about("EC2 has scheduled")).toHaveLength(1);
  expect(about("EC2 no longer lists")).toEqual([expect.stringContaining(`\`${otherWeb.name}\``)]);
  expect(about("is stopped: `instance-retirement`")).toEqual([
    expect.stringMatching(/Next: start it in EC2's console.* or `\/win add web`, then `\/win remove /),
  ]);
});

test("while Slack is down the event of a machine is not lost, and a machine that has ended takes its event along", async () => {
  const down = injectFault(here, "slack-down");
  schedule(web.instanceId, "system-reboot");
  await here.pass(70);
  endFault(here, down);
  await here.pass(70);
  expect(about("EC2 has scheduled")).toEqual([expect.stringContaining(`\`/win drain ${web.name}\` before it`)]);
  await terminateFromOutside(here, web.instanceId);
  await here.pass(70);
  expect(about("EC2 no longer lists")).toEqual([]);
});

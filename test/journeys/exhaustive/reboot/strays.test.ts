import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeNamed } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { kubectl, otherWeb, web } from "../../others.ts";
import { askEc2, endFault, injectFault, terminateFromOutside } from "../../outside.ts";
import { openly } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
beforeEach(async () => {
  here = await withSeedNodes();
});
afterEach(() => here.close());

const about = (words: string): string[] => openly(here).filter((text) => text.includes(words));

const remove = (name: string): Promise<void> => kubectl(here, "DELETE", `/api/v1/nodes/${name}`);

test("a Node that a person deletes outside any operation is told once, with what ends the machine, and so is its end", async () => {
  await remove(web.name);
  await here.pass(100);
  const told = about("no Node");
  expect(told).toEqual([expect.stringContaining(`\`${web.instanceId}\` runs and is billed`)]);
  expect(told[0]).toContain(`\`/win remove ${web.instanceId}\` terminates it, and \`/win add web\` replaces it`);
  await terminateFromOutside(here, web.instanceId);
  await here.pass(70);
  expect(about("no Node")).toHaveLength(1);
  expect(about("is a node again, or runs no longer")).toHaveLength(1);
});

test("a machine without a Node that someone stops is told as stopped, once", async () => {
  await askEc2(here, "StopInstances", { "InstanceId.1": web.instanceId });
  await here.pass(5);
  await remove(web.name);
  await here.pass(100);
  expect(about("no Node")).toEqual([expect.stringContaining(`\`${web.instanceId}\` is stopped and has no Node`)]);
});

test("a node that has registered again keeps the start-up taint, which is told once, with the command, and so is its end", async () => {
  await remove(web.name);
  injectFault(here, "boots-by-itself", { instanceId: web.instanceId, how: "person" }, 1);
  await here.until(() => nodeNamed(here, web.name) !== undefined, 30, "the new Node");
  await here.pass(100);
  const told = about("still carries the taint");
  expect(told).toEqual([expect.stringContaining(`\`kubectl taint node ${web.name} casement.dev/starting-\``)]);
  await kubectl(here, "PATCH", `/api/v1/nodes/${web.name}`, { spec: { taints: null } });
  await here.pass(70);
  expect(about("still carries the taint")).toHaveLength(1);
  expect(about("no longer carries the taint")).toHaveLength(1);
});

test("while Slack is down nothing is lost, and several machines are one message", async () => {
  const down = injectFault(here, "slack-down");
  await remove(web.name);
  await remove(otherWeb.name);
  await here.pass(100);
  endFault(here, down);
  await here.pass(70);
  expect(about("no Node")).toEqual([expect.stringContaining("2 machines (")]);
});

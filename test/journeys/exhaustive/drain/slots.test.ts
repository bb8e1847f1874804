import { afterEach, expect, test } from "vitest";
import { CANCEL_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { SHORT } from "../../on-web.ts";
import {
  allowDisruptions,
  cordonByHand,
  edge,
  kubectl,
  otherWeb,
  podOn,
  podsOn,
  shortName,
  stateOf,
  web,
} from "../../others.ts";
import { askEc2 } from "../../outside.ts";
import { inThreads, openly } from "../../reading.ts";
import { ask, confirmRemoval, expectGone, withSeedNodes } from "../../removal.ts";
import { stop } from "../../stopping.ts";
import { executionOf, firstRemoval, secondRemoval, stage, withThirdNode } from "./two-removals.ts";

let here: Journey;
afterEach(() => here.close());

test("a pool of which two nodes may be away lets two removals work at once", async () => {
  here = await withSeedNodes();
  const { pools } = here.configuration;
  await here.close();
  const web2 = { ...pools, web: { ...pools.web, maxUnavailable: "100%" } };
  here = await withThirdNode({ pools: web2, deadlines: { evict: 60 } });
  await firstRemoval(here);
  await confirmRemoval(here, shortName(otherWeb));
  await here.until(() => stateOf(here, otherWeb) === "terminated", 10);
  expect(stateOf(here, web)).toBe("running");
});

test("a node that is away already is removed though another one has the only slot", async () => {
  here = await withThirdNode({ deadlines: { evict: 60 } });
  await firstRemoval(here);
  await cordonByHand(here, otherWeb);
  await confirmRemoval(here, shortName(otherWeb));
  await here.until(() => stateOf(here, otherWeb) === "terminated", 10);
  expect(stateOf(here, web)).toBe("running");
});

test("a node that a person cordoned takes the only slot of its pool: the removal of another one waits and names it", async () => {
  here = await withThirdNode();
  await cordonByHand(here, otherWeb);
  await confirmRemoval(here, shortName(web));
  await here.pass(3);
  expect(await stage(here)).toBe("slot");
  expect(openly(here)[0]).toMatch(/1 node may be away: ip-10-0-0-31\S* is cordoned/);
  await cordonByHand(here, otherWeb, false);
  await expectGone(here, web);
});

test("people are called once to a node that takes the slot for a quarter of an hour, and the dialog names it before", async () => {
  here = await withThirdNode();
  await cordonByHand(here, otherWeb);
  const dialog = await ask(here, shortName(web));
  expect(dialog).toMatch(/⏳ Away in `web` now: `ip-10-0-0-31\S+` \(cordoned\); at most 1 at once: this waits/);
  expect(dialog).toContain("*Approval* none needed");
  await here.submit("operator");
  await here.until(async () => (await stage(here)) === "slot", 5, "the slot");
  const reminders = () => inThreads(here).filter((text) => text.includes("⏰"));
  await here.pass(12);
  expect(reminders()).toEqual([]);
  await here.pass(35);
  expect(reminders()).toEqual([
    expect.stringMatching(
      /^<!subteam\^S0\w+>.*`ip-10-0-3-7\S+` waits for a slot of its pool, for \d+m\. It waits until .* Next: bring `ip-10-0-0-31\S+` back into service \(`\/win why ip-10-0-0-31/,
    ),
  ]);
});

test("cancelled while it waits for a slot, a removal has changed nothing and holds nothing", async () => {
  here = await withThirdNode();
  await cordonByHand(here, otherWeb);
  await confirmRemoval(here, shortName(web));
  await here.until(async () => (await stage(here)) === "slot", 5);
  await here.press("approver", CANCEL_OPERATION);
  await settled(here);
  expect((await newest(here)).operation.status).toBe("cancelled");
  expect(openly(here)[0]).toContain("nothing was changed");
  expect(stateOf(here, web)).toBe("running");
  expect(await heldBack(here)).toEqual([]);
});

test("a removal whose Node was recreated while it waited for a slot does not terminate its machine", async () => {
  here = await withThirdNode();
  await cordonByHand(here, otherWeb);
  await confirmRemoval(here, shortName(web));
  await here.until(async () => (await stage(here)) === "slot", 5);
  const { metadata, spec, status } = nodeNamed(here, web.name) ?? {};
  await kubectl(here, "DELETE", `/api/v1/nodes/${web.name}`);
  await kubectl(here, "POST", "/api/v1/nodes", {
    metadata: { name: web.name, labels: metadata?.labels },
    ...{ spec, status },
  });
  await cordonByHand(here, otherWeb, false);
  await settled(here);
  expect((await newest(here)).nodes[0]?.failure?.why).toContain("was deleted and recreated while its removal waited");
  expect(stateOf(here, web)).toBe("running");
});

const bare = async (): Promise<void> => void here.simulator.kubernetes.create(podOn(web, "by-hand"));
const boots = async (): Promise<void> => {
  await askEc2(here, "RebootInstances", { "InstanceId.1": web.instanceId });
  await here.pass(12);
};

test.each([
  ["gets a pod of its own", `drain ${SHORT} --force ${SHORT}`, bare, "unmanaged pod is lost too"],
  ["is booted by others", `reboot ${SHORT} --force ${SHORT}`, boots, "has booted again"],
] as const)("a node that %s while it waits for a slot is not emptied", async (_what, command, meanwhile, why) => {
  here = await withThirdNode({ approvals: { drain: { needs: 0 }, reboot: { needs: 0 } } });
  await here.pass(6);
  await cordonByHand(here, otherWeb);
  await here.type("operator", `/win ${command}`);
  await here.until(async () => (await stage(here)) === "slot", 5, "the slot");
  await meanwhile();
  const before = podsOn(here, web);
  await cordonByHand(here, otherWeb, false);
  await settled(here);
  expect((await newest(here)).nodes[0]?.failure).toMatchObject({
    ...{ stage: "slot", code: "worse-than-approved", left: "nothing was changed" },
    why: expect.stringContaining(why),
  });
  expect(podsOn(here, web)).toEqual(before);
  expect(await heldBack(here)).toEqual([]);
});

test("a removal that gets no slot ends at the deadline and says what it waited for", async () => {
  here = await withThirdNode({ deadlines: { remove: { slot: 5 } } });
  await cordonByHand(here, otherWeb);
  await confirmRemoval(here, shortName(web));
  await settled(here);
  expect((await newest(here)).nodes[0]?.failure).toMatchObject({ stage: "slot", left: "nothing was changed" });
  expect(openly(here)[0]).toContain("gave up waiting for a slot in pool web");
});

test("the slot of a removal that was killed is given back by the sweep", async () => {
  here = await withThirdNode({ deadlines: { evict: 60 } });
  const first = await firstRemoval(here);
  await stop(here, await executionOf(here, first));
  await here.pass(40);
  expect(await heldBack(here)).toEqual([]);
});

test("the slot of a removal that was killed is taken over once it has ended, and not before", async () => {
  here = await withThirdNode({ deadlines: { evict: 60 } });
  const first = await firstRemoval(here);
  await stop(here, await executionOf(here, first));
  await cordonByHand(here, web, false);
  await secondRemoval(here);
  expect(await stage(here)).toBe("slot");
  await here.until(async () => (await stage(here)) !== "slot", 7, "the slot to be taken over");
  expect((await heldBack(here)).filter((held) => held.startsWith("slot"))).toEqual([
    expect.stringContaining(otherWeb.name),
  ]);
});

test("a node that became the last of its Windows release while its removal waited stays", async () => {
  here = await withThirdNode({ deadlines: { evict: 60 } });
  await firstRemoval(here);
  await secondRemoval(here);
  await cordonByHand(here, edge);
  await allowDisruptions(here);
  await settled(here);
  expect(stateOf(here, web)).toBe("terminated");
  expect(stateOf(here, otherWeb)).toBe("running");
  expect((await newest(here)).nodes[0]?.failure).toMatchObject({ stage: "slot", left: "nothing was changed" });
  expect(await heldBack(here)).toEqual([]);
});

import { afterEach, expect, test } from "vitest";
import { eventsOn } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { homeOf, podOn, running, shortName, web } from "../../others.ts";
import { dialogOf, inThreads, openly } from "../../reading.ts";
import { ask, confirmRemoval, expectGone, withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

test("a dialog opens at once and then names node, instance, pool, pods, their owners and their data", async () => {
  here = await withSeedNodes();
  const home = homeOf(here, "reports");
  here.simulator.kubernetes.create(podOn(home, "by-hand"));
  await here.pass(1);
  await here.type("operator", `/win remove ${shortName(home)}`);
  expect(dialogOf(here, "operator")).toContain(`pods and local data of \`${shortName(home)}\``);
  expect(dialogOf(here, "operator")).not.toContain("[Remove]");
  const facts = await ask(here, shortName(home));
  for (const fact of [home.name, home.instanceId, "`web`", "[Keep]", "[Remove]"]) expect(facts).toContain(fact);
  expect(facts).toMatch(/default\/reports-\S+` \(ReplicaSet reports-\S+\) · ⚠️ loses emptyDir scratch/);
  expect(facts).toContain("`default/by-hand` (⚠️ not recreated)");
  expect(facts).toContain("1 pod loses local data, 1 pod is not recreated.");
});

test("Remove empties the node, terminates the instance and deletes the Node; its pods run elsewhere", async () => {
  here = await withSeedNodes();
  await confirmRemoval(here, web.instanceId);
  await expectGone(here, web);
  expect(running(here, "storefront")).toBe(2);
  const [message] = openly(here);
  expect(message).toContain(`✅ Remove ip-10-0-3-7`);
  expect(message).toContain(`${web.name} was removed and its instance terminated`);
  expect(message).not.toContain("[Cancel]");
  expect(inThreads(here).map((line) => line.replace(/.*: /, "").replace(/ (\(|after ).*/, ""))).toEqual([
    "waiting for a slot",
    "cordoning the node",
    "evicting pods",
    "terminating the instance",
    "deleting the Node object",
    "removed",
    `<@U0OPERATOR> ${web.name} was removed and its instance terminated.`,
  ]);
  expect(eventsOn(here, web.name).filter((event) => event.startsWith("CasementRemoving"))).toHaveLength(5);
});

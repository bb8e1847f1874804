import { afterEach, expect, test } from "vitest";
import { CANCEL_OPERATION } from "../../../lambdas/messages/slack/buttons.ts";
import { newest } from "../evidence.ts";
import type { Journey } from "../journey.ts";
import { cordonByHand, guardedPod, letGo, podOn, podsOn, running, web } from "../others.ts";
import { openly } from "../reading.ts";
import { confirmRemoval, expectGone, expectKept, withSeedNodes } from "../removal.ts";

let here: Journey;
afterEach(() => here.close());

test("a budget holds the removal up, says so, and lets it go on when it allows", async () => {
  here = await withSeedNodes();
  await guardedPod(here, web);
  await confirmRemoval(here, "ip-10-0-3-7");
  await here.pass(3.5);
  expect(openly(here)[0]).toMatch(
    /evicting pods.*waiting for disruption budgets to allow the eviction of 1 pod \(default\/guarded: The disruption budget guard needs 1 healthy pods and has 1/,
  );
  expect(openly(here)[0]).toMatch(/· 3m(\d+s) of 3m\1/);
  await letGo(here);
  await expectGone(here, web);
});

test("a budget that never allows ends the removal half an hour after its deadline: uncordoned, with pod and budget named", async () => {
  here = await withSeedNodes();
  await guardedPod(here, web);
  await confirmRemoval(here, "ip-10-0-3-7");
  await expectKept(here, web);
  const { operation, nodes } = await newest(here);
  expect(operation.status).toBe("failed");
  const minutes = (Date.parse(operation.endedAt ?? "") - Date.parse(nodes[0]?.startedAt ?? "")) / 60_000;
  expect([minutes > 45, minutes < 46]).toEqual([true, true]);
  const [message] = openly(here);
  for (const words of ["failed at eviction", "default/guarded", "disruption budget guard", "schedulable again"])
    expect(message).toContain(words);
  expect(message).toContain("`/win remove ip-10-0-3-7` tries again.");
  expect(running(here, "guarded")).toBe(1);
});

test("a node that somebody had cordoned before stays cordoned when the removal fails", async () => {
  here = await withSeedNodes();
  await guardedPod(here, web);
  await cordonByHand(here, web);
  await confirmRemoval(here, "ip-10-0-3-7");
  await expectKept(here, web, true);
  expect(openly(here)[0]).toContain("the node is cordoned, as it was before");
});

test("an overloaded API server is no budget: the eviction is asked for again until it is heard", async () => {
  here = await withSeedNodes();
  here.simulator.simulation.faults.inject("kubernetes-throttle", { resource: "pods/eviction" }, 4);
  await confirmRemoval(here, "ip-10-0-3-7");
  await here.pass(0.3);
  expect(openly(here)[0]).not.toContain("budget");
  await expectGone(here, web);
});

test("one pod that the API server does not evict holds up no other, and is named while it does", async () => {
  here = await withSeedNodes({ configuration: { approvals: { remove: { needs: 0 } } } });
  const names = ["shop-1", "shop-2", "shop-3", "shop-4"];
  for (const name of names) here.simulator.kubernetes.create(podOn(web, name));
  await here.pass(1);
  const stuck = here.simulator.simulation.faults.inject("kubernetes-5xx", {
    resource: "pods/eviction",
    name: "shop-2",
  });
  await confirmRemoval(here, "ip-10-0-3-7");
  // Connections get half a minute first.
  await here.pass(2);
  expect(podsOn(here, web).filter((name) => names.includes(name))).toEqual(["shop-2"]);
  expect(openly(here)[0]).toContain(
    "waiting for the API server to evict 1 pod (default/shop-2: the server is currently unable to handle the request)",
  );
  here.simulator.simulation.faults.end(stuck?.id ?? "");
  await expectGone(here, web);
});

test("Cancel during an eviction that a budget blocks puts the node back", async () => {
  here = await withSeedNodes();
  await guardedPod(here, web);
  await confirmRemoval(here, "ip-10-0-3-7");
  await here.pass(2);
  const shown = await here.press("approver", CANCEL_OPERATION);
  expect(shown.error).toBeNull();
  await expectKept(here, web);
  expect((await newest(here)).operation).toMatchObject({ status: "cancelled", cancelledBy: "U0APPROVER" });
  expect(openly(here)[0]).toContain("schedulable again");
  expect(openly(here)[0]).not.toContain("[Cancel]");
});

import { afterEach, expect, test } from "vitest";
import { newest } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { cordonByHand, guardedPod, otherWeb, podOn, shortName, twoReplicas, web } from "../../others.ts";
import { openly } from "../../reading.ts";
import { ask, withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

async function cardOf(command: string): Promise<string> {
  await here.type("operator", `/win ${command}`);
  await here.until(async () => (await newest(here)).operation.approval?.state === "open", 10, "the question");
  await here.until(() => openly(here).join().includes("[Approve"), 5, "the card");
  return openly(here).join("\n");
}

/** A workload of two pods, both on one node, that no budget guards. */
async function loneWorkload(): Promise<void> {
  twoReplicas(here, "cart", podOn(otherWeb, "cart"));
  await here.pass(1);
}

test("The card of a rollout whose only slot is taken has no estimate, and names the node that takes it", async () => {
  here = await withSeedNodes();
  await cordonByHand(here, web);
  const card = await cardOf(`reboot ${shortName(otherWeb)} --reason slots`);
  expect(card).toMatch(/⏳ Away in `web` now: `ip-10-0-3-7\S+` \(cordoned\)/);
  expect(card).toContain("No estimate: it waits for a node of the pool to come back first");
  expect(card).toContain("[Approve the wait]");
});

test("The card of a rollout names a budget that never allows an eviction, without an estimate", async () => {
  here = await withSeedNodes();
  await guardedPod(here, otherWeb);
  const card = await cardOf("reboot web --force web");
  expect(card).toContain("⛔ Never allowed on `ip-10-0-0-31` by the disruption budgets `default/guard`");
  expect(card).toContain("No estimate: the rollout cannot end before that is fixed");
  expect(card).toContain("[Approve the wait]");
});

test("A workload that is wholly on one node is named by the card of a rollout and by the dialog of a removal", async () => {
  here = await withSeedNodes();
  await loneWorkload();
  expect(await cardOf("reboot web --force web")).toMatch(
    /guarded by no disruption budget: default\/ReplicaSet cart \(2 pods on `ip-10-0-0-31/,
  );
  expect(await ask(here, shortName(otherWeb))).toContain(
    "Every pod of `default/ReplicaSet cart` (2) is on this node, and no disruption budget guards them",
  );
});

import { afterEach, expect, test } from "vitest";
import type { Journey } from "../../journey.ts";
import { allowDisruptions, otherWeb, podsOn, stateOf, web } from "../../others.ts";
import { openly, privately } from "../../reading.ts";
import { expectGone } from "../../removal.ts";
import { firstRemoval, secondRemoval, withThirdNode } from "./two-removals.ts";

let here: Journey;
afterEach(() => here.close());

test("a second removal in a pool waits, names what holds the slot, and goes on when it is given back", async () => {
  here = await withThirdNode({ deadlines: { evict: 60 } });
  const first = await firstRemoval(here);
  // Its pods come to the second node first: local data that its dialog does not show would end the second removal.
  await here.until(() => podsOn(here, web).join() === "guarded", 5, "the first node to be empty");
  await secondRemoval(here);
  const told = new RegExp(
    `a slot in pool web, of which 1 node may be away: ${first} has ip-10-0-3-7.* since .*2026-11-21`,
  );
  expect(openly(here)[1]).toMatch(told);
  await here.type("approver", "/win operations");
  await here.pass(1);
  expect(privately(here, "approver").at(-1)).toMatch(told);
  expect(podsOn(here, otherWeb).length).toBeGreaterThan(0);
  await allowDisruptions(here);
  await expectGone(here, otherWeb);
  expect(stateOf(here, web)).toBe("terminated");
});

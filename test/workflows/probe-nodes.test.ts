import { afterAll, beforeAll, expect, it } from "vitest";
import { setUp, tearDown } from "./durable-engine.ts";
import { probed } from "./probed-fleet.ts";

beforeAll(setUp);
afterAll(tearDown);

it("tells each of a few dead nodes on a card of its own, after two probes of each", async () => {
  const { status, posted, called, made } = await probed(18);
  expect(status).toBe("SUCCEEDED");
  // Of 18 nodes three have their turn; one of them is held by an operation.
  expect(posted).toEqual([expect.stringContaining("`win-06` is Ready"), expect.stringContaining("`win-12` is Ready")]);
  expect(made.filter((name) => name.endsWith("windows"))).toHaveLength(4);
  expect(called).toEqual([expect.stringMatching(/^win-06, win-12: Ready, but pods do not work there/)]);
});

it("tells more than three dead nodes at once on one card about what they share", async () => {
  const { posted } = await probed(30);
  expect(posted).toEqual([expect.stringMatching(/4 nodes of 4 that were probed\* are Ready.*One cause is likely/)]);
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { setUp, tearDown } from "../../engine/durable-engine.ts";
import { largest, operationsOf } from "../fleet/fleet.ts";
import { MirrorFleet } from "./mirror-fleet.ts";

const KB = 1_024;

/** Machines of each command: one first, then the rest by 50. */
const BY_50 = [1, ...Array(19).fill(50), 49];

const here = new MirrorFleet(1_000, 200);

beforeAll(async () => {
  await setUp();
  await here.tick("tick-1");
}, 60_000);
afterAll(tearDown);

test("a tick at which 1,000 machines have what is wanted reads the records once and sends nothing", {
  tags: ["long"],
}, async () => {
  const [used, commands, reads] = [{ ...here.used }, here.fleet.changed.length, here.watch.reads];
  const ended = await here.tick("tick-2");
  expect(here.fleet.changed).toHaveLength(commands);
  expect(here.used).toEqual({ ...used, all: used.all + 1 });
  expect(here.watch.reads).toBe(reads + 1);
  expect(operationsOf(ended)).toBe(1);
});

test("1,000 machines get 200 registries in steps of at most 50 machines and 64 KB, in at most 600 operations", {
  tags: ["long"],
}, async () => {
  const before = { ...here.used, commands: here.fleet.changed.length, plans: here.plansInBucket };
  here.edit();
  const ended = await here.tick("tick-3");
  const files = here.contents.at(-1)?.files ?? [];
  expect(files).toHaveLength(200);
  expect(files.reduce((sum, { text }) => sum + text.length, 0)).toBeGreaterThan(120 * KB);
  expect(here.fleet.operation).toMatchObject({ status: "succeeded", summary: "1000 nodes updated." });
  expect(here.fleet.changed.slice(before.commands).map(({ length }) => length)).toEqual(BY_50);
  expect(here.machinesOfPlans.slice(before.plans)).toEqual(BY_50);
  expect(here.plansInBucket - before.plans).toBe(BY_50.length);
  expect(largest(ended)).toBeLessThan(64 * KB);
  expect(operationsOf(ended)).toBeLessThanOrEqual(600);
  // Each machine's record is written before its command and after it; only plans and the proof read single records.
  expect(here.used.send - before.send).toBe(1_000);
  expect(here.used.record - before.record).toBe(1_000);
  expect(here.used.of - before.of).toBeLessThanOrEqual(BY_50.length + 1);
  // Once for the tick, once for the input, once under the claim, because another operation may have ended in between, and
  // once after the proof, because the cluster may want something else by then.
  expect(here.used.all - before.all).toBe(4);
});

test("a content that the bucket has lost is put there again before machines get it", { tags: ["long"] }, async () => {
  const few = new MirrorFleet(2, 2);
  await few.tick("tick-1");
  few.contents.length = 0;
  few.given.clear();
  await few.tick("tick-2");
  expect(few.fleet.changed.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
});

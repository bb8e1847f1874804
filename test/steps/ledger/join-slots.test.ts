import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Retryable } from "../../../lambdas/errors.ts";
import { UNREGISTERED_AT_ONCE } from "../../../lambdas/steps/ledger/join-slots.ts";
import { type TestSimulator, testSimulator } from "../test-simulator.ts";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
});
afterAll(() => simulator.close());

const places = () => simulator.as("add-nodes").places;
const HOUR = 3_600;

describe("A place among the machines on their way", () => {
  beforeEach(() => simulator.pass(4 * HOUR));

  const fill = async (but = 0): Promise<void> => {
    for (let index = 0; index < UNREGISTERED_AT_ONCE - but; index += 1) await places().take(`fill:${index}`);
  };

  it("is granted until all twenty are taken", async () => {
    await fill(1);
    expect(await places().take("add-1:0")).toBe(true);
    expect(await places().take("add-1:1")).toBe(false);
  });

  it("stays with its owner who asks again, even when all are taken", async () => {
    await fill();
    expect(await places().take("fill:7")).toBe(true);
  });

  it("goes to the next one when it is given back, once however often", async () => {
    await fill();
    await places().giveBack("fill:7");
    await places().giveBack("fill:7");
    expect(await places().take("add-1:0")).toBe(true);
    expect(await places().take("add-1:1")).toBe(false);
  });

  it("is free again when a lost execution has held it for longer than any machine takes", async () => {
    await fill();
    await simulator.pass(2 * HOUR);
    expect(await places().take("add-1:0")).toBe(false);
    await simulator.pass(HOUR);
    expect(await places().take("add-1:0")).toBe(true);
  });

  it("is never granted twice to a crowd: who was too slow asks again", async () => {
    await fill(2);
    const crowd = ["a", "b", "c", "d", "e"].map((name) => `${name}:0`);
    const granted = new Set<string>();
    const ask = async (owner: string): Promise<void> => {
      const answer = await places()
        .take(owner)
        .catch((error: unknown) => error);
      expect(typeof answer === "boolean" || answer instanceof Retryable).toBe(true);
      if (answer === true) granted.add(owner);
    };
    for (let round = 0; round < crowd.length; round += 1) await Promise.all(crowd.map(ask));
    expect(granted.size).toBe(2);
  });
});

describe("A pool's promise", () => {
  const pool = (name: string) => ({ name, maximum: 5 });

  it("counts what is there and what others were promised, up to the maximum", async () => {
    const web = pool("web");
    expect(await places().reserve(web, "add-1", 2, [null, null])).toEqual({ before: 2, granted: true });
    expect(await places().reserve(web, "add-2", 2, [null, null])).toEqual({ before: 4, granted: false });
    expect(await places().reserve(web, "add-2", 1, [null, null])).toEqual({ before: 4, granted: true });
  });

  it("is the same when it is asked for again, and counts what it launched once", async () => {
    const batch = pool("batch");
    await places().reserve(batch, "add-1", 3, []);
    expect(await places().reserve(batch, "add-1", 3, ["add-1", "add-1"])).toEqual({ before: 0, granted: true });
    expect(await places().reserve(batch, "add-2", 2, ["add-1", "add-1"])).toEqual({ before: 3, granted: true });
    expect(await places().reserve(batch, "add-3", 1, ["add-1", "add-1"])).toEqual({ before: 5, granted: false });
  });

  it("ends with its operation: what was launched counts by itself from then on", async () => {
    const edge = pool("edge");
    await places().reserve(edge, "add-1", 4, []);
    await places().closeReservation("edge", "add-1");
    await places().closeReservation("edge", "add-1");
    expect(await places().reserve(edge, "add-2", 3, ["add-1"])).toEqual({ before: 1, granted: true });
  });

  it("of nothing promises nothing: a dry run only counts", async () => {
    const dry = pool("dry");
    expect(await places().reserve(dry, "add-1", 0, [null])).toEqual({ before: 1, granted: true });
    expect(await places().reserve(dry, "add-2", 4, [null])).toEqual({ before: 1, granted: true });
  });

  it("is given to one of two who ask for the last one at the same moment", async () => {
    const last = pool("last");
    await places().reserve(last, "add-0", 4, []);
    const asked = await Promise.allSettled(["add-1", "add-2"].map((id) => places().reserve(last, id, 1, [])));
    const won = asked.filter((one) => one.status === "fulfilled");
    expect(won.map((one) => one.value.granted)).toEqual([true]);
    const late = asked[0]?.status === "rejected" ? "add-1" : "add-2";
    expect(await places().reserve(last, late, 1, [])).toEqual({ before: 5, granted: false });
  });
});

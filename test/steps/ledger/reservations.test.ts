import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestSimulator, testSimulator } from "../test-simulator.ts";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
});
afterAll(() => simulator.close());

const reservations = () => simulator.as("add-nodes").reservations;

describe("A pool's promise", () => {
  const pool = (name: string) => ({ name, maximum: 5 });

  it("counts what is there and what others were promised, up to the maximum", async () => {
    const web = pool("web");
    expect(await reservations().reserve(web, "add-1", 2, [null, null])).toEqual({ before: 2, granted: true });
    expect(await reservations().reserve(web, "add-2", 2, [null, null])).toEqual({ before: 4, granted: false });
    expect(await reservations().reserve(web, "add-2", 1, [null, null])).toEqual({ before: 4, granted: true });
  });

  it("is the same when it is asked for again, and counts what it launched once", async () => {
    const batch = pool("batch");
    await reservations().reserve(batch, "add-1", 3, []);
    expect(await reservations().reserve(batch, "add-1", 3, ["add-1", "add-1"])).toEqual({ before: 0, granted: true });
    expect(await reservations().reserve(batch, "add-2", 2, ["add-1", "add-1"])).toEqual({ before: 3, granted: true });
    expect(await reservations().reserve(batch, "add-3", 1, ["add-1", "add-1"])).toEqual({ before: 5, granted: false });
  });

  it("ends with its operation: what was launched counts by itself from then on", async () => {
    const edge = pool("edge");
    await reservations().reserve(edge, "add-1", 4, []);
    await reservations().close("edge", "add-1");
    await reservations().close("edge", "add-1");
    expect(await reservations().reserve(edge, "add-2", 3, ["add-1"])).toEqual({ before: 1, granted: true });
  });

  it("of nothing promises nothing: a dry run only counts", async () => {
    const dry = pool("dry");
    expect(await reservations().reserve(dry, "add-1", 0, [null])).toEqual({ before: 1, granted: true });
    expect(await reservations().reserve(dry, "add-2", 4, [null])).toEqual({ before: 1, granted: true });
  });

  it("is given to one of two who ask for the last one at the same moment", async () => {
    const last = pool("last");
    await reservations().reserve(last, "add-0", 4, []);
    const asked = await Promise.allSettled(["add-1", "add-2"].map((id) => reservations().reserve(last, id, 1, [])));
    const won = asked.filter((one) => one.status === "fulfilled");
    expect(won.map((one) => one.value.granted)).toEqual([true]);
    const late = asked[0]?.status === "rejected" ? "add-1" : "add-2";
    expect(await reservations().reserve(last, late, 1, [])).toEqual({ before: 5, granted: false });
  });
});

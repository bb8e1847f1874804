import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { START, type TestSimulator, testSimulator } from "../test-simulator.ts";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
});
afterAll(() => simulator.close());

const breakGlass = () => simulator.as("drain-node").breakGlass;
const at = new Date(START).toISOString();
const asked = (index: number) => ({
  ...{ operation: `drain-${index}`, uid: `u-${index}`, node: `web-${index}`, pool: "web", isReady: false },
});

describe("Uses of --break-glass", () => {
  it("are none in a new installation", async () => {
    expect(await breakGlass().open()).toEqual([]);
  });

  it("are recorded once for an operation, whatever its step repeats, and beside others that do not block them", async () => {
    expect(await breakGlass().use(asked(1))).toBeNull();
    expect(await breakGlass().use(asked(2))).toBeNull();
    expect(await breakGlass().use(asked(1))).toBeNull();
    expect(await breakGlass().open()).toEqual([
      { ...asked(1), at },
      { ...asked(2), at },
    ]);
  });

  it("are refused by the name of the use that blocks them, and not recorded", async () => {
    expect(await breakGlass().use({ ...asked(3), isReady: true })).toEqual({ ...asked(1), at });
    expect(await breakGlass().open()).toHaveLength(2);
  });

  it("have the time of their last reminder, each its own", async () => {
    await breakGlass().reminded("drain-2");
    expect(await breakGlass().open()).toEqual([
      { ...asked(1), at },
      { ...asked(2), at, remindedAt: at },
    ]);
  });

  it("are open until they are reviewed, each by itself", async () => {
    await breakGlass().close("drain-1");
    expect(await breakGlass().open()).toEqual([{ ...asked(2), at, remindedAt: at }]);
    await breakGlass().close("drain-2");
    expect(await breakGlass().open()).toEqual([]);
  });
});

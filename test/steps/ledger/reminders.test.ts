import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FleetCall } from "../../../lambdas/records/fleet-call.ts";
import { START, type TestSimulator, testSimulator } from "../test-simulator.ts";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
});
afterAll(() => simulator.close());

const at = new Date(START).toISOString();
const steps = () => simulator.as("sweep");

describe("The reminders of a wait", () => {
  /** Seconds since the epoch: after 40 days. */
  const expiresAt = START / 1_000 + 40 * 86_400;
  const holder = { userId: "U1", since: at, until: at };
  const press = { wait: "approval drain-1", userId: "U1", cause: "press-1", at, channel: "C1", messageTs: "1.0" };
  const known = async (name: string) => {
    const { version: _, pk: __, ...reminder } = Object((await steps().reminders.all()).get(name));
    return reminder;
  };

  it("are none before the first", async () => {
    expect(await steps().reminders.all()).toEqual(new Map());
    expect(await steps().reminders.presses()).toEqual([]);
  });

  it("keep their time, who has it, and each person's press beside each other", async () => {
    const { reminders } = steps();
    await reminders.keep("approval drain-1");
    expect(await known("approval drain-1")).toEqual({ at, expiresAt });
    await reminders.hold("approval drain-1", holder);
    await reminders.hear(press);
    await reminders.hear({ ...press, userId: "U2", cause: "press-2" });
    await reminders.keep("approval drain-2");
    expect(await known("approval drain-1")).toEqual({ at, expiresAt, holder, heard: { U1: "press-1", U2: "press-2" } });
    expect(await known("approval drain-2")).toEqual({ at, expiresAt });
  });
});

describe("The calls to trouble of many nodes", () => {
  const call: FleetCall = { kind: "not-ready", since: at, nodes: ["win-1"], pagedAt: null, ts: null, shown: "a" };

  it("are one for each kind that has not ended", async () => {
    const { fleet: fleetCalls } = steps().announcements;
    expect(await fleetCalls.open()).toEqual([]);
    expect(await fleetCalls.begin(call)).toEqual(call);
    expect(await fleetCalls.begin({ ...call, shown: "b" })).toEqual(call);
    expect(await fleetCalls.open()).toEqual([call]);
  });

  it("change what is named alone, and nothing once they have ended", async () => {
    const { fleet: fleetCalls } = steps().announcements;
    await fleetCalls.change("not-ready", { ts: "1.0" });
    expect(await fleetCalls.open()).toEqual([{ ...call, ts: "1.0" }]);
    await fleetCalls.end("not-ready");
    await fleetCalls.change("not-ready", { ts: "2.0" });
    expect(await fleetCalls.open()).toEqual([]);
    expect(await fleetCalls.begin({ ...call, shown: "b" })).toEqual({ ...call, shown: "b" });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Retryable } from "../../../lambdas/errors.ts";
import { UNREGISTERED_AT_ONCE } from "../../../lambdas/steps/ledger/join-slots.ts";
import { type TestSimulator, testSimulator } from "../test-simulator.ts";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
});
afterAll(() => simulator.close());

const slots = () => simulator.as("provision-node").joinSlots;
const HOUR = 3_600;

describe("A join slot", () => {
  beforeEach(() => simulator.pass(4 * HOUR));

  const fill = async (but = 0): Promise<void> => {
    for (let index = 0; index < UNREGISTERED_AT_ONCE - but; index += 1) await slots().take(`fill:${index}`);
  };

  it("is granted until all twenty are taken", async () => {
    await fill(1);
    expect(await slots().take("add-1:0")).toBe(true);
    expect(await slots().take("add-1:1")).toBe(false);
  });

  it("stays with its owner who asks again, even when all are taken", async () => {
    await fill();
    expect(await slots().take("fill:7")).toBe(true);
  });

  it("goes to the next one when it is given back, once however often", async () => {
    await fill();
    await slots().giveBack("fill:7");
    await slots().giveBack("fill:7");
    expect(await slots().take("add-1:0")).toBe(true);
    expect(await slots().take("add-1:1")).toBe(false);
  });

  it("is free again when a lost execution has held it for longer than any machine takes", async () => {
    await fill();
    await simulator.pass(2 * HOUR);
    expect(await slots().take("add-1:0")).toBe(false);
    await simulator.pass(HOUR);
    expect(await slots().take("add-1:0")).toBe(true);
  });

  it("is never granted twice to a crowd: who was too slow asks again", { tags: ["long"] }, async () => {
    await fill(2);
    const crowd = ["a", "b", "c", "d", "e"].map((name) => `${name}:0`);
    const granted = new Set<string>();
    const ask = async (owner: string): Promise<void> => {
      const answer = await slots()
        .take(owner)
        .catch((error: unknown) => error);
      expect(typeof answer === "boolean" || answer instanceof Retryable).toBe(true);
      if (answer === true) granted.add(owner);
    };
    for (let round = 0; round < crowd.length; round += 1) await Promise.all(crowd.map(ask));
    expect(granted.size).toBe(2);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { change, rows } from "../../change/fleet/change.ts";
import { idOf, largest, operationsOf } from "../../change/fleet/fleet.ts";
import { setUp, tearDown } from "../../engine/durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

const MOST_BYTES = 64 * 1_024;

describe.each(rows)("the change of 1,000 machines by %s", (row) => {
  test("succeeds, with no result above 64 KB and fewer than 2,000 operations", async () => {
    const { fleet, ended, operation } = await change(row, 1_000);
    expect([ended.status, operation?.status]).toEqual(["SUCCEEDED", "succeeded"]);
    expect(new Set(fleet.changed.flat())).toEqual(new Set(fleet.numbers().map(idOf)));
    expect(fleet.changed.every(({ length }) => length <= 50)).toBe(true);
    expect(fleet.statuses()).toEqual({ succeeded: 1_000 });
    expect(fleet.held.size).toBe(0);
    expect(largest(ended)).toBeLessThan(MOST_BYTES);
    expect(operationsOf(ended)).toBeLessThan(2_000);
  });

  test("fails where half of them fail with long words, and the others are settled", async () => {
    const words = "There is not enough space on the disk. ".repeat(60);
    const fails = (machine: number) => (machine % 2 === 1 ? words : null);
    const { fleet, ended, operation } = await change(row, 1_000, { fails });
    expect(operation?.status).toBe("failed");
    expect(fleet.statuses()).toEqual({ succeeded: 500, failed: 500 });
    expect(fleet.held.size).toBe(0);
    expect(largest(ended)).toBeLessThan(MOST_BYTES);
  });

  test("gives back every lease when an error ends the work between two chunks", async () => {
    const settling = (machine: number) => (machine === 320 ? new Error("the ledger refuses") : null);
    const { fleet, ended, operation } = await change(row, 1_000, { settling });
    expect(operation?.status).toBe("failed");
    // Up to ten are settled at once, so that the error may leave nine others settled.
    const { succeeded = 0, failed = 0 } = fleet.statuses();
    expect(succeeded + failed).toBe(1_000);
    expect(succeeded).toBeGreaterThanOrEqual(320);
    expect(succeeded).toBeLessThan(330);
    expect(fleet.held.size).toBe(0);
    expect(largest(ended)).toBeLessThan(MOST_BYTES);
  });
});

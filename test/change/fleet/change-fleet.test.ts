import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setUp, tearDown } from "../../engine/durable-engine.ts";
import { change, rows } from "./change.ts";
import { idOf, nameOf, stepsOf } from "./fleet.ts";

beforeAll(setUp);
afterAll(tearDown);

describe.each(rows)("the change of many machines by %s", (row) => {
  test("takes each machine once, 50 in one command at most", async () => {
    const { fleet, operation } = await change(row, 130);
    expect(operation?.status).toBe("succeeded");
    expect(fleet.changed.flat().toSorted()).toEqual(fleet.numbers().map(idOf));
    expect(fleet.changed.every(({ length }) => length <= 50)).toBe(true);
    expect(fleet.statuses()).toEqual({ succeeded: 130 });
  });

  test("fails where half of them fail, and the others are settled", async () => {
    const { fleet, operation } = await change(row, 130, {
      fails: (machine) => (machine % 2 ? "the disk is full" : null),
    });
    expect(operation?.status).toBe("failed");
    expect(fleet.statuses()).toEqual({ succeeded: 65, failed: 65 });
    expect(fleet.held.size).toBe(0);
  });

  test("leaves machines alone whose command was not sent when it was cancelled", { tags: ["long"] }, async () => {
    const { fleet, operation } = await change(row, 800, { cancelledAfter: 2 });
    expect(operation?.status).toBe("cancelled");
    expect(fleet.changed.length).toBeLessThan(16);
    expect(fleet.statuses().succeeded).toBe(fleet.changed.flat().length);
    expect(fleet.records.size).toBe(800);
    expect(fleet.held.size).toBe(0);
  });

  test("gives back every lease when an error ends the work between two chunks", async () => {
    const settling = (machine: number) => (machine === 120 ? new Error("the ledger refuses") : null);
    const { fleet, ended, operation } = await change(row, 130, { settling });
    expect(operation?.status).toBe("failed");
    const { succeeded = 0, failed = 0 } = fleet.statuses();
    // Machines that were settled beside it have their ends.
    expect([succeeded + failed, succeeded >= 120, fleet.records.get(120)?.status]).toEqual([130, true, "failed"]);
    expect(fleet.held.size).toBe(0);
    expect(stepsOf(ended)).toContain("settle what is left 3");
  });

  test("ends in the ledger although Slack is down", async () => {
    const { fleet, operation } = await change(row, 120, { slack: "down" });
    expect(fleet.held.size).toBe(0);
    expect(operation?.endedAt).toEqual(expect.any(String));
  });

  test("succeeds on machines whose Nodes are deleted meanwhile", async () => {
    const { fleet, operation } = await change(row, 120, { deleted: [3, 70] });
    expect(operation?.status).toBe("succeeded");
    expect(fleet.statuses()).toEqual({ succeeded: 120 });
  });
});

test("a machine that another operation holds fails for a person, and is left to the next tick for a rule", {
  tags: ["long"],
}, async () => {
  const guarded = await change("guard", 60, { held: [1, 55] });
  expect(guarded.fleet.statuses()).toEqual({ succeeded: 58, failed: 2 });
  const ruled = await change("authority", 60, { held: [1, 55] });
  expect(ruled.fleet.statuses()).toEqual({ succeeded: 58 });
  expect([...guarded.fleet.held.keys(), ...ruled.fleet.held.keys()]).toEqual([1, 55, 1, 55].map(idOf));
});

test("no other machine is given a file that the first kubelet refuses, and the file is blocked", {
  tags: ["long"],
}, async () => {
  const { fleet, operation, ended } = await change("authority", 120, { logRefusal: "401" });
  expect(fleet.changed).toEqual([[idOf(0)]]);
  expect(operation?.summary).toBe(
    "0 nodes updated, 1 node failed, 119 nodes not touched, because the first one failed.",
  );
  expect(fleet.blocked).toHaveLength(1);
  expect(fleet.pages.join()).toContain(nameOf(0));
  expect(stepsOf(ended)).toEqual(expect.arrayContaining(["settle the first node", "settle the first node 3"]));
});

test("a record names the workflow of its node", async () => {
  const [guarded, ruled] = [await change("guard", 2), await change("authority", 2)];
  expect(guarded.fleet.records.get(0)).toMatchObject({ workflow: "guarding", stage: "guard" });
  expect(ruled.fleet.records.get(0)).toMatchObject({ workflow: "authority", stage: "file" });
});

/** Steps of a fleet that one command reaches, as executions that run across a deployment know them. */
const known = {
  guard: [
    ...["begin", "judge", "take the leases", "read the release", "plan: guard"],
    ...["begin install 1", "send install 1, try 1", "verdicts of install 1 1"],
    ...["begin verify 1", "send verify 1, try 1", "verdicts of verify 1 1"],
    ...["settle", "end", "publish until", "publish the end"],
  ],
  authority: [
    ...["read the configuration", "read the authority", "begin look 1", "send look 1, try 1", "verdicts of look 1 1"],
    ...["record nodes that have it", "note the look", "begin", "plan: change first", "begin change first 1"],
    ...["send change first 1, try 1", "verdicts of change first 1 1", "deadline of the proof"],
    ...[`a log is read on ${nameOf(0)}`, "settle the first node", "plan: change the rest", "begin change the rest 1"],
    ...["send change the rest 1, try 1", "verdicts of change the rest 1 1", "settle the rest"],
    ...["ask whether it was cancelled", "say what changed", "end"],
  ],
};

test.each(rows)("fifty machines are changed by %s in the steps of the last release", async (row) => {
  const { ended } = await change(row, 50);
  expect(stepsOf(ended)).toEqual(known[row]);
});

test("a node that is the only one is changed in the steps of a first one alone", async () => {
  const { ended } = await change("authority", 1);
  const rest = ["plan: change the rest", "begin change the rest 1", "send change the rest 1, try 1"];
  const left = [...rest, "verdicts of change the rest 1 1", "settle the rest"];
  expect(stepsOf(ended)).toEqual(known.authority.filter((name) => !left.includes(name)));
  expect(ended.events.filter((event) => event.includes("the rest"))).toEqual([]);
});

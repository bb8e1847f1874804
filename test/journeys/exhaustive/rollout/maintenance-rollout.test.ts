import { afterEach, expect, test } from "vitest";
import { heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { operationOf, passTo, poolsWith, saturday } from "../../maintenance.ts";
import { isCordoned, SHORT } from "../../on-web.ts";
import { web } from "../../others.ts";
import { poolOfFour } from "../../pool-of-four.ts";
import { openly } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const BERLIN = "Europe/Berlin";
const unasked = { approvals: { drain: { needs: 0 }, reboot: { needs: 0 } } };

test("a rollout works in the window, puts back what has not rebooted at its end, and goes on in the next one", {
  timeout: 300_000,
}, async () => {
  const windows = [saturday({ from: "04:00", until: "04:30" }), saturday({ from: "05:00", until: "09:00" })];
  const four = await poolOfFour(1, { pools: poolsWith({ maintenance: windows }) });
  here = four.here;
  await here.type("operator", '/win reboot web --at "04:20"');
  await settled(here, 30);
  expect(await operationOf(here, "reboot")).toMatchObject({
    status: "scheduled",
    scheduled: { from: "2026-11-21T04:20:00.000Z" },
  });
  expect((await newest(here)).nodes).toEqual([]);
  await passTo(here, "2026-11-21T04:27");
  expect(await operationOf(here, "reboot")).toMatchObject({ status: "running", rollout: { part: 2 } });
  await passTo(here, "2026-11-21T04:50");
  const between = await operationOf(here, "reboot");
  expect(between).toMatchObject({
    status: "scheduled",
    summary: expect.stringMatching(/^The maintenance is over.*[123] of 4 nodes.*goes on Sat 21 Nov 2026, 05:00/),
    scheduled: { from: "2026-11-21T05:00:00.000Z" },
  });
  expect(four.names.map((name) => nodeNamed(here, name)?.spec?.unschedulable ?? false)).toEqual(Array(4).fill(false));
  expect(await heldBack(here)).toEqual([]);
  expect(openly(here)).toContainEqual(expect.stringMatching(/🗓️ Reboot pool web[\s\S]*\[Cancel operation\]/));
  await passTo(here, "2026-11-21T05:06");
  await settled(here, 240);
  expect(await operationOf(here, "reboot")).toMatchObject({
    status: "succeeded",
    summary: "4 of 4 nodes are rebooted and proven.",
    continuedAt: expect.stringContaining("T05:0"),
    rollout: { part: 3 },
  });
  expect(openly(here).filter((text) => text.includes("Reboot pool web"))).toHaveLength(1);
});

test("a rollout that waits between two windows is cancelled at once", { timeout: 300_000 }, async () => {
  const windows = [saturday({ from: "04:00", until: "04:30" }), saturday({ from: "12:00", until: "15:00" })];
  const four = await poolOfFour(1, { pools: poolsWith({ maintenance: windows }) });
  here = four.here;
  await here.type("operator", '/win reboot web --at "04:20"');
  await passTo(here, "2026-11-21T04:50");
  const { id, status } = await operationOf(here, "reboot");
  expect(status).toBe("scheduled");
  await here.type("operator", `/win cancel ${id}`);
  await settled(here, 30);
  expect(await operationOf(here, "reboot")).toMatchObject({ status: "cancelled" });
});

const drain = `/win drain ${SHORT} --force ${web.name}`;
const onBerlin = (from: string, until: string, now: number): Promise<Journey> => {
  const maintenance = [saturday({ days: ["Sun"], from, until, timeZone: BERLIN })];
  return withSeedNodes({ now, configuration: { ...unasked, pools: poolsWith({ maintenance }) } });
};

test("in the night in which clocks are set forward, a window begins at that moment whose beginning is left out", {
  timeout: 240_000,
}, async () => {
  here = await onBerlin("02:30", "05:00", Date.parse("2027-03-28T00:20:00Z"));
  await here.type("operator", drain);
  await settled(here, 30);
  expect(await operationOf(here, "drain")).toMatchObject({
    scheduled: { from: "2027-03-28T01:00:00.000Z", until: "2027-03-28T03:00:00.000Z" },
    summary: expect.stringContaining("Sun 28 Mar 2027, 03:00 to Sun 28 Mar 2027, 05:00 Europe/Berlin"),
  });
  await passTo(here, "2027-03-28T00:59");
  expect(isCordoned(here)).toBe(false);
  await passTo(here, "2027-03-28T01:06");
  await settled(here, 30);
  expect(await operationOf(here, "drain")).toMatchObject({ status: "succeeded" });
});

test("in the night in which clocks are set back, a window ends with the first of two equal times", {
  timeout: 240_000,
}, async () => {
  here = await onBerlin("01:30", "02:30", Date.parse("2026-10-25T00:15:00Z"));
  await here.until(() => Date.now() > Date.parse("2026-10-25T00:31:00Z"), 30, "the first 02:30");
  await here.type("operator", drain);
  await settled(here, 30);
  expect(await operationOf(here, "drain")).toMatchObject({
    status: "scheduled",
    scheduled: { from: "2026-11-01T00:30:00.000Z" },
  });
});

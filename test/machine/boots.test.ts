import { describe, expect, it } from "vitest";
import { hasBooted, isSameBoot, onOurClock } from "../../lambdas/machine/boots.ts";

const at = Date.parse("2026-11-21T03:00:00.000Z");
const booted = onOurClock("2026-11-20T03:00:00.0000000Z", at / 1_000, at);

describe("a boot that is known by its time", () => {
  it("is the same after a step of the machine's clock", () => {
    const stepped = onOurClock("2026-11-21T03:00:00.0000000Z", at / 1_000 + 86_400, at);
    expect(isSameBoot(booted, stepped)).toBe(true);
    expect(isSameBoot(booted, onOurClock("2026-11-21T02:00:00.0000000Z", at / 1_000, at))).toBe(false);
  });

  it.each([
    [21, true],
    [300, true],
    [301, false],
  ])("and seems to have moved by %i seconds is the same: %s", (seconds, same) => {
    expect(isSameBoot(booted, new Date(Date.parse(booted) + seconds * 1_000).toISOString())).toBe(same);
  });
});

describe("a boot that Windows counts", () => {
  it("is another one with another number", () => {
    expect([isSameBoot("7", "7"), isSameBoot("7", "8")]).toEqual([true, false]);
    expect(onOurClock("7", at / 1_000 + 86_400, at)).toBe("7");
  });

  it("is treated as the same as a time, which cannot be compared with it", () => {
    expect(isSameBoot("7", booted)).toBe(true);
  });
});

describe("a machine that was looked at before and after a reboot", () => {
  const seconds = (text: string): number => Date.parse(text) / 1_000;
  const before = { bootId: "2026-11-20T03:00:00.0000000Z", clock: seconds("2026-11-20T03:03:20.000Z") };

  it.each([
    ["four minutes later, and is up for a minute", "2026-11-20T03:04:10.000Z", "2026-11-20T03:05:10.000Z", true],
    ["in the same minute, by a clock that was set", "2026-11-20T03:00:21.000Z", "2026-11-20T03:06:00.000Z", false],
    ["a day later, and is up for longer", "2026-11-21T03:00:00.000Z", "2026-11-21T05:00:00.000Z", true],
  ])("has booted %s: judged by its uptime where no boots are counted", (_, bootId, at, is) => {
    expect(hasBooted(before, { bootId, clock: seconds(at) })).toBe(is);
  });

  it("has booted if its number is another one, whatever its clock says", () => {
    expect(hasBooted({ bootId: "7", clock: 9 }, { bootId: "8", clock: 1 })).toBe(true);
    expect(hasBooted({ bootId: "7", clock: 9 }, { bootId: "7", clock: 1 })).toBe(false);
  });
});

import { describe, expect, it } from "vitest";
import { isSameBoot, onOurClock } from "../../lambdas/machine/boots.ts";

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

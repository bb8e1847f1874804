import { describe, expect, test } from "vitest";
import { isReportOverdue } from "../../lambdas/health/agent-silence.ts";
import { clockAhead } from "../../lambdas/health/clock.ts";
import { keepsExiting } from "../../lambdas/health/exits.ts";
import { type Assistance, type AssistanceVerdict, assistanceOf } from "../../lambdas/machine/assistance.ts";
import { chronicOf } from "../../lambdas/machine/chronic-reasons.ts";
import { buildOf, hostsOf, releaseOfBuild } from "../../lambdas/machine/windows-builds.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const ago = (ms: number): string => new Date(NOW - ms).toISOString();
const MINUTE = 60_000;

describe("A machine of another owner", () => {
  const owner = { kind: "machine-set", owner: "win-a" } as const;
  const record: Assistance = {
    ...{ instanceId: "i-1", launchedAt: ago(0), owner, state: "assisted", operation: "assist-1" },
    ...{ askedBy: "U1", approvedBy: [], at: ago(0) },
  };
  const tagged = { "casement:managed": "prod" };

  test.for<[string, Partial<Assistance> | null, Readonly<Record<string, string>>, AssistanceVerdict]>([
    ["both agree", {}, tagged, "assisted"],
    ["there is neither", null, {}, "none"],
    ["there is a tag alone", null, tagged, "tag-of-others"],
    ["there is a record alone", {}, {}, "tag-gone"],
    ["the tag names another cluster", {}, { "casement:managed": "stage" }, "tag-gone"],
    ["the record is of another machine", { instanceId: "i-2" }, tagged, "tag-of-others"],
    ["it was started anew", { launchedAt: ago(1) }, tagged, "started-anew"],
    ["it has another owner", { owner: { ...owner, owner: "win-b" } }, tagged, "another-owner"],
    ["its owner is of another kind", { owner: { ...owner, kind: "machine" } }, tagged, "another-owner"],
    ["the operation goes on", { state: "beginning" }, tagged, "unfinished"],
  ])("where %s", ([, change, tags, verdict]) => {
    const machine = { instanceId: "i-1", launchedAt: ago(0), tags };
    expect(assistanceOf(machine, "prod", owner, change === null ? [] : [{ ...record, ...change }])).toBe(verdict);
  });
});

describe("A reason for a reboot is chronic", () => {
  const DAY = 24 * 60 * MINUTE;
  const rebooted = (reasons: readonly string[], at = ago(DAY)) => ({ reboot: { reasons, at } });

  test.for<[string, object, readonly string[], readonly string[]]>([
    ["as it was before", { chronic: ["updates"] }, ["updates", "features"], ["updates"]],
    ["as long as it is there", { chronic: ["updates"] }, [], []],
    ["when files wait again within a day", rebooted(["file-renames"]), ["file-renames"], ["file-renames"]],
    ["no more than a day later", rebooted(["file-renames"], ago(DAY + 1)), ["file-renames"], []],
    [
      "when a reboot for it did not end it",
      { ...rebooted(["updates"]), reasons: ["updates"] },
      ["updates"],
      ["updates"],
    ],
    ["not when it was gone between", rebooted(["updates"]), ["updates"], []],
    ["not after a reboot for another", { ...rebooted(["features"]), reasons: ["updates"] }, ["updates"], []],
    ["never as the proxy", { chronic: ["proxy"], ...rebooted(["proxy"]), reasons: ["proxy"] }, ["proxy"], []],
    ["not without a reboot", { reasons: ["updates"] }, ["updates"], []],
  ])("%s", ([, known, reasons, chronic]) => {
    expect(chronicOf(known as never, reasons as never, NOW)).toEqual(chronic);
  });
});

test("Each release of Windows has its build, and its containers run on the next release from 2022 on", () => {
  const releases = ["2019", "2022", "2025"] as const;
  expect(releases.map(buildOf)).toEqual(["10.0.17763", "10.0.20348", "10.0.26100"]);
  expect(releases.map(buildOf).map(releaseOfBuild)).toEqual(releases);
  expect(releaseOfBuild("10.0.14393")).toBeUndefined();
  expect(releases.map(buildOf).map(hostsOf)).toEqual([["10.0.17763"], ["10.0.20348", "10.0.26100"], ["10.0.26100"]]);
});

test.for<[object | undefined, boolean]>([
  [undefined, true],
  [{ online: true, lastPingAt: null }, true],
  [{ online: false, lastPingAt: ago(0) }, true],
  [{ online: true, lastPingAt: ago(11 * MINUTE) }, false],
  [{ online: true, lastPingAt: ago(11 * MINUTE + 1) }, true],
])("An agent with the report %j has missed one: %s", ([report, isOverdue]) => {
  expect(isReportOverdue(report as never, NOW)).toBe(isOverdue);
});

test.for<[number, number, boolean]>([
  [2, 0, false],
  [3, 30 * MINUTE - 1, true],
  [3, 30 * MINUTE, false],
  [9, 0, true],
])("A service with %i exits, the last %i ms ago, keeps exiting: %s", ([times, last, keeps]) => {
  expect(keepsExiting({ times, last: ago(last) }, NOW)).toBe(keeps);
});

test("A machine's clock is ahead by what it said beyond the time at which it was asked", () => {
  const asked = (seconds: number) => clockAhead({ verdict: { clock: NOW / 1_000 + seconds }, at: ago(0) } as never);
  expect([asked(0), asked(90), asked(-90)]).toEqual([0, 90_000, -90_000]);
});

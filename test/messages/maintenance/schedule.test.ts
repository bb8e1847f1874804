import { describe, expect, test } from "vitest";
import {
  movedWhy,
  neverBegan,
  noMaintenance,
  noWindowSummary,
  outsideMaintenance,
  type ShownTiming,
  scheduledSummary,
  timingBlocks,
  type WaitingState,
  withTime,
} from "../../../lambdas/messages/maintenance/schedule.ts";
import { say } from "../../../lambdas/messages/slack/blocks.ts";

const timeZone = "Europe/Berlin";
const from = Date.parse("2026-11-28T21:00:00.000Z");
const until = Date.parse("2026-11-29T03:00:00.000Z");
const WINDOW = "Sat 28 Nov 2026, 22:00 to Sun 29 Nov 2026, 04:00 Europe/Berlin";
const ON = "from Sat 28 Nov 2026, 22:00 Europe/Berlin on";

const shown = (fields: Partial<ShownTiming> = {}): ShownTiming => ({
  timing: { kind: "now", until: null },
  timeZone,
  pool: "web",
  isDate: false,
  now: null,
  ...fields,
});
const linesOf = (fields: Partial<ShownTiming>): (string | undefined)[] =>
  timingBlocks(shown(fields)).map((block) => (block as { text?: { text: string } }).text?.text);

describe("When a plan begins", () => {
  test.each<readonly [Partial<ShownTiming>, readonly string[]]>([
    [{}, []],
    [{ timing: { kind: "never" } }, []],
    [
      { timing: { kind: "now", until } },
      [
        "🗓️ The maintenance of pool `web` ends at Sun 29 Nov 2026, 04:00 Europe/Berlin. What was not rebooted or terminated by then is put back, and waits for the next one.",
      ],
    ],
    [
      { timing: { kind: "now", until: null }, now: "the site is down" },
      ["⚠️ *Outside of the maintenance of pool `web`*, because: the site is down."],
    ],
    [
      { timing: { kind: "later", from, until } },
      [
        `🗓️ *Waits for the next maintenance of pool \`web\`*: ${WINDOW}. Approve it in advance or then. Who may use break-glass does not wait with \`--now "reason"\`.`,
      ],
    ],
    [
      { timing: { kind: "later", from, until: null }, pool: null },
      [
        `🗓️ *Waits for the next maintenance*: ${ON}. Approve it in advance or then. Who may use break-glass does not wait with \`--now "reason"\`.`,
      ],
    ],
    [
      { timing: { kind: "later", from, until }, isDate: true },
      ["🗓️ *Begins at Sat 28 Nov 2026, 22:00 Europe/Berlin*, as requested. Approve it in advance or then."],
    ],
  ])("is said on its card: %#", (fields, lines) => {
    expect(linesOf(fields)).toEqual(lines);
  });

  test("is said in a dry run below its first block", () => {
    const message = { text: "Dry run", blocks: [...say("first").blocks, ...say("second").blocks] };
    const { text, blocks } = withTime(message, shown({ timing: { kind: "later", from, until }, isDate: true }));
    expect(text).toBe("Dry run");
    expect(blocks.map((block) => (block as { text?: { text: string } }).text?.text)).toEqual([
      "first",
      expect.stringContaining("*Begins at"),
      "second",
    ]);
    expect(withTime({ text: "", blocks: [] }, shown()).blocks).toEqual([]);
  });
});

describe("What waits for its time", () => {
  const wait = { from, until, timeZone, pool: "web", isDate: false };
  const WITHDRAW = "To withdraw it: `{win} cancel drain-3f9c2a71`.";
  const JUDGED = "The plan is judged again then, and needs another approval only if it got worse.";

  test.each<readonly [WaitingState, string]>([
    [{ kind: "approved" }, `Waits for the maintenance of pool \`web\`: ${WINDOW}. ${JUDGED} ${WITHDRAW}`],
    [{ kind: "not needed" }, `Waits for the maintenance of pool \`web\`: ${WINDOW}. ${JUDGED} ${WITHDRAW}`],
    [{ kind: "undecided" }, `Waits for its approval, and for the maintenance of pool \`web\`: ${WINDOW}. ${WITHDRAW}`],
    [
      { kind: "moved", why: movedWhy.late },
      `It could not begin before its time was over. Waits for the maintenance of pool \`web\`: ${WINDOW}. ${JUDGED} ${WITHDRAW}`,
    ],
    [
      { kind: "stopped", why: "the cluster is frozen" },
      `Held up: the cluster is frozen. It is tried again every 15 minutes until its time is over. ${WITHDRAW}`,
    ],
  ])("says for what, and how it is withdrawn: $kind", (state, words) => {
    expect(scheduledSummary(state, wait, "drain-3f9c2a71")).toBe(words);
  });

  test("names the date that was asked for", () => {
    expect(scheduledSummary({ kind: "approved" }, { ...wait, isDate: true }, "drain-3f9c2a71")).toBe(
      `Waits for Sat 28 Nov 2026, 22:00 Europe/Berlin. ${JUDGED} ${WITHDRAW}`,
    );
  });

  test("ends without a change when its time never comes", () => {
    expect(noWindowSummary(movedWhy.unapproved, "drain-3f9c2a71")).toBe(
      `No approval came before its time was over. There is no maintenance in the next 35 days: freeze dates of the configuration leave none. It is looked for again every day. ${WITHDRAW}`,
    );
    expect(movedWhy.closed("win-1 is schedulable")).toBe(
      "The maintenance was over before the work was done: win-1 is schedulable.",
    );
    expect(neverBegan.cancelled("U0FIRST00")).toBe("Cancelled by <@U0FIRST00> while it waited. Nothing was changed.");
    expect(neverBegan.missed("AGAIN")).toMatch(/^Its time passed before it could begin.*Ask again: AGAIN$/);
    expect(neverBegan.tooLong("AGAIN")).toBe(
      "It waited for 35 days and did not begin. Nothing was changed. Ask again: AGAIN",
    );
  });

  test("is refused outside of the maintenance, with the next one", () => {
    const slot = { from, until, isOpen: false };
    expect(outsideMaintenance(from - 3_600_000, "web", slot, timeZone)).toBe(
      `Sat 28 Nov 2026, 21:00 Europe/Berlin is outside of the maintenance of pool \`web\`. The next one is ${WINDOW}. Name a time in it, or leave --at out`,
    );
    expect(outsideMaintenance(from, null, null, timeZone)).toBe(
      "Sat 28 Nov 2026, 22:00 Europe/Berlin is outside of the maintenance. There is none in the next 35 days. Name a time in it, or leave --at out",
    );
    expect(noMaintenance("web")).toMatch(/^there is no maintenance of pool `web` in the next 35 days/);
  });
});

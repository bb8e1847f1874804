import { describe, expect, test } from "vitest";
import { pausedWords } from "../../../lambdas/messages/rollout/rollout.ts";
import { say } from "../../../lambdas/messages/slack/blocks.ts";
import { prose } from "../../../lambdas/messages/slack/text.ts";
import { endOfStop } from "../../../lambdas/messages/stops/end.ts";
import {
  endedSummary,
  type HeldUp,
  staysPaused,
  stopNeedsReason,
  stopperText,
  stopSummary,
  undoRow,
  withStops,
} from "../../../lambdas/messages/stops/stop.ts";
import type { Stop, StopTarget } from "../../../lambdas/time/stops.ts";

const cluster: StopTarget = { kind: "cluster" };
const pool: StopTarget = { kind: "pool", pool: "web" };
const node: StopTarget = { kind: "node", uid: "u-1", name: "win-1" };
const UNTIL = "2026-11-21T16:00:00.000Z";

const stop = (fields: Partial<Stop> = {}): Stop => ({
  kind: "freeze",
  target: cluster,
  reason: "release night",
  by: "olivia",
  at: "2026-11-21T14:00:00.000Z",
  until: null,
  ...fields,
});

const lines = (stops: readonly Stop[], held: readonly HeldUp[] = [], isWhole = true): string[] =>
  withStops(say("the list"), { stops, isWhole }, held)
    .blocks.map((block) => (block as { text?: { text?: string } }).text?.text ?? "")
    .flatMap((text) => text.split("\n"));

describe("Stops above a list", () => {
  test.each<readonly [Stop, string]>([
    [stop(), "🧊 The cluster is frozen by olivia: release night. To end it: `{win} thaw`."],
    [stop({ target: pool }), "🧊 Pool `web` is frozen by olivia: release night. To end it: `{win} thaw web`."],
    [
      stop({ kind: "hold", target: node }),
      "🧊 `win-1` is held by olivia: release night. To end it: `{win} unhold win-1`.",
    ],
    [
      stop({ until: UNTIL }),
      "🧊 The cluster is frozen until <!date^1795276800^{date_short_pretty} at {time}|2026-11-21 16:00 UTC> by olivia: release night. To end it: `{win} thaw`.",
    ],
    [
      stop({ at: null }),
      "🧊 The cluster is frozen by olivia: release night. To end it: remove the annotation with kubectl.",
    ],
    [
      stop({ isConfigured: true }),
      "🧊 The cluster is frozen by olivia: release night. To end it: it ends with its date, or by a deployment of another configuration.",
    ],
  ])("says what, by whom, why and how it ends: %#", (one, line) => {
    expect(lines([one])).toEqual([line, "the list"]);
  });

  const held: readonly HeldUp[] = [
    { operation: "drain-1", pool: "web", nodes: ["win-1"] },
    { operation: "drain-2", pool: "db", nodes: ["win-2"] },
  ];
  test.each<readonly [StopTarget, string | null]>([
    [cluster, "It holds up `drain-1`, `drain-2`."],
    [pool, "It holds up `drain-1`."],
    [{ kind: "node", uid: "u-2", name: "win-2" }, "It holds up `drain-2`."],
    [{ kind: "pool", pool: "ci" }, null],
    [{ kind: "node", uid: "u-3", name: "win-3" }, null],
  ])("names the operations that it holds up: %#", (target, words) => {
    const [line = ""] = lines([stop({ target })], held);
    if (words === null) expect(line).not.toContain("holds up");
    else expect(line.endsWith(` ${words}`)).toBe(true);
  });

  test("shows ten at most, and says when not all could be read", () => {
    const shown = lines(
      Array.from({ length: 12 }, () => stop()),
      [],
      false,
    );
    expect(shown.filter((line) => line.startsWith("🧊"))).toHaveLength(10);
    expect(shown).toContain("⚪ Not all freezes and holds could be read: there may be more of them.");
    expect(lines([])).toEqual(["the list"]);
  });
});

test.each<readonly [Stop, string]>([
  [stop({ kind: "hold", target: node }), "`win-1` is held by olivia (release night). To end it: `{win} unhold win-1`"],
  [
    stop({ target: pool, until: UNTIL }),
    "`win-1` stays as it is: pool `web` is frozen until 2026-11-21 16:00 UTC by olivia (release night). To end it: `{win} thaw web`",
  ],
  [stop(), "`win-1` stays as it is: the cluster is frozen by olivia (release night). To end it: `{win} thaw`"],
])("A stop that keeps a node is told with its end: %#", (one, words) => {
  expect(stopperText(one, "win-1")).toBe(words);
});

describe("What a person typed as the reason of a stop", () => {
  const typed = stop({ target: pool, reason: "disk < 5 % & `C:` full, ask <@U12345678> or <!channel> about ```{win}" });
  const shown = "disk &lt; 5 % &amp; `C:` full, ask &lt;\u034f@U12345678&gt; or &lt;!channel&gt; about '{\u034fwin}";

  test("is escaped once, and mentions nobody, where the sentence is shown", () => {
    expect(prose(stopperText(typed, "win-1"))).toContain(`(${shown})`);
    const { text, blocks } = staysPaused("reboot-1", typed);
    expect(text).toContain(`(${shown})`);
    expect(blocks[0]).toMatchObject({ text: { text } });
    const paused = { why: "<@U87654321> paused it", stop: typed };
    expect(pausedWords(paused)).toContain(`<@U87654321> paused it. Pool \`web\` is frozen by olivia (${shown})`);
  });

  test("is cut where it is long", () => {
    const long = stopperText(stop({ reason: "x".repeat(500) }), "win-1");
    expect(long).toContain(`(${"x".repeat(199)}…)`);
  });
});

describe("The summary of a stop", () => {
  const REST = "Casement drains, reboots and removes nothing there; work in progress stops before its next change.";

  test("says what it covers, until when, and what ends it", () => {
    expect(stopSummary({ kind: "freeze", until: null }, [pool])).toBe(
      `Pool \`web\` is frozen until \`{win} thaw web\`. ${REST}`,
    );
    expect(stopSummary({ kind: "hold", until: UNTIL }, [node, { ...node, name: "win-2" }])).toBe(
      `\`win-1\`, \`win-2\` are held until 2026-11-21 16:00 UTC; \`{win} unhold win-1 win-2\` ends it earlier. ${REST}`,
    );
  });

  test("says of its end that the cluster is still frozen", () => {
    const left = [stop({ target: pool, kind: "hold" }), stop()];
    const goesOn = "But the cluster is frozen by olivia (release night). To end it: `{win} thaw`";
    expect(endedSummary("freeze", { targets: [pool], ended: [pool], left })).toBe(
      `Pool \`web\` is no longer frozen. ${goesOn}`,
    );
    expect(endedSummary("freeze", { targets: [pool], ended: [], left })).toBe(
      `Pool \`web\` was not frozen. Nothing was changed. ${goesOn}`,
    );
  });

  test("says of its end which of them were in force", () => {
    expect(endedSummary("freeze", { targets: [pool], ended: [], left: [] })).toBe(
      "Pool `web` was not frozen. Nothing was changed.",
    );
    expect(endedSummary("hold", { targets: [node, pool], ended: [], left: [] })).toBe(
      "`win-1`, pool `web` were not held. Nothing was changed.",
    );
    expect(endedSummary("freeze", { targets: [pool, cluster], ended: [cluster], left: [] })).toBe(
      "The cluster is no longer frozen.",
    );
    expect(endedSummary("hold", { targets: [node, pool], ended: [node, pool], left: [] })).toBe(
      "`win-1`, pool `web` are no longer held.",
    );
  });

  test("asks for a reason", () => {
    expect(stopNeedsReason("freeze")).toBe(
      'A freeze requires a reason, which is shown to everyone it stops: `{win} freeze … --reason "release night"`',
    );
  });
});

describe("The end of a stop as it is typed", () => {
  const now = Date.parse("2026-11-21T14:00:00.000Z");
  const read = (typed: { for?: string; until?: string }) => endOfStop(typed, now, "Europe/Berlin");

  test("is a duration, a time in the cluster's zone, or none", () => {
    expect(read({})).toEqual({ until: null });
    expect(read({ for: "4h" })).toEqual({ until: now + 4 * 3_600_000 });
    expect(read({ until: "2026-11-28 02:00" })).toEqual({ until: Date.parse("2026-11-28T01:00:00.000Z") });
  });

  test.each([
    [{ for: "4h", until: "Sat 02:00" }, "--for and --until both say when it ends: use one of them."],
    [
      { for: "soon" },
      "`soon` is not a valid duration: use minutes, hours or days, at most 30 days, such as `--for 4h`",
    ],
    [
      { until: "soon" },
      '`soon` is no time: type a day and a time such as `--until "Sat 02:00"`, or a date such as `--until "2026-11-28 02:00"`.',
    ],
    [{ until: "2026-11-20 02:00" }, "Fri 20 Nov 2026, 02:00 Europe/Berlin has passed. Name a time that is to come."],
    [{ until: "2027-01-20 02:00" }, "Wed 20 Jan 2027, 02:00 Europe/Berlin is too far ahead: at most 30 days."],
  ])("is refused with how it is typed: %#", (typed, wrong) => {
    expect(read(typed)).toEqual({ wrong });
  });
});

test("A sentence that names a freeze or a hold has the button that ends it, and typed words make none", () => {
  const buttonsOf = (one: Stop): string => JSON.stringify(undoRow("undo:stop", stopperText(one, "win-1")));
  expect(buttonsOf(stop({ target: pool }))).toMatch(/"do-next","value":"thaw web".*"Thaw web"/);
  expect(buttonsOf(stop())).toMatch(/"value":"thaw".*"Thaw the cluster"/);
  expect(buttonsOf(stop({ kind: "hold", target: node }))).toMatch(/"value":"unhold win-1".*"Unhold win-1"/);
  expect(buttonsOf(stop({ at: null, reason: "`{win} thaw web`" }))).toBe("[]");
});

import { describe, expect, test } from "vitest";
import type { BootCause } from "../../../lambdas/machine/boot-cause.ts";
import { bootCauseWords, type ForeignBootNews, foreignBootsMessage } from "../../../lambdas/messages/node/boots.ts";
import { chronicWords, dueCell, dueFact, isShown, reasonWords } from "../../../lambdas/messages/node/reboot-due.ts";

const boot = (node: string, cause: BootCause = { kind: "untold" }, fields: Partial<ForeignBootNews> = {}) => ({
  ...{ node, cause, mark: "look-1", bootedAt: null, of: 40 },
  ...fields,
});
const linesOf = (boots: readonly ForeignBootNews[]): string[] =>
  (foreignBootsMessage(boots).blocks[0] as { text: { text: string } } | undefined)?.text.text.split("\n") ?? [];

describe("Boots that Casement did not order", () => {
  test.each<readonly [BootCause, string]>([
    [{ kind: "ec2-start" }, "EC2 stopped the instance and started it again"],
    [{ kind: "unclean" }, "it was not shut down before: a crash, a reset or a loss of power"],
    [{ kind: "windows-update" }, "Windows Update restarted it"],
    [{ kind: "untold" }, "the event log does not say why"],
    [{ kind: "asked", text: "shutdown.exe by <CORP\\ops>" }, "shutdown.exe by &lt;CORP\\ops&gt;"],
    [{ kind: "unread", why: "no answer" }, "the event log was not read: no answer"],
  ])("have a cause in words: $kind", (cause, words) => {
    expect(bootCauseWords(cause)).toBe(words);
  });

  test("are told of one node with its time and a button", () => {
    const { text, blocks } = foreignBootsMessage([
      boot("win-1", { kind: "unclean" }, { bootedAt: "2026-11-21T16:00:00.000Z" }),
    ]);
    expect(text).toContain(
      "`win-1` rebooted at <!date^1795276800^{date_short_pretty} at {time}|2026-11-21 16:00 UTC>,",
    );
    expect(JSON.stringify(blocks[0])).toContain(
      "🔄 `win-1` rebooted at <!date^1795276800^{date_short_pretty} at {time}|2026-11-21 16:00 UTC>, and Casement did not order it. Cause: it was not shut down before: a crash, a reset or a loss of power. Next: `{win} why win-1` checks that the node works.",
    );
    expect(blocks[1]).toMatchObject({
      block_id: "boot:win-1",
      elements: [{ value: "why win-1", text: { text: "Why" } }],
    });
    expect(JSON.stringify(foreignBootsMessage([boot("win-1")]).blocks)).toContain("`win-1` rebooted, and Casement");
  });

  test("are grouped by their cause, the most frequent first", () => {
    const update = { kind: "windows-update" } as const;
    expect(linesOf([boot("win-1"), boot("win-2", update), boot("win-3", update)])).toEqual([
      "🔄 *3 of 40 nodes rebooted*, and Casement did not order it.",
      "• `win-2`, `win-3`: Windows Update restarted it",
      "• `win-1`: the event log does not say why",
      "Next: `{win} nodes` shows which of them are Ready.",
    ]);
  });

  test("are one event of the power or the host when three were not shut down", () => {
    const unclean = (count: number) => Array.from({ length: count }, (_, at) => boot(`win-${at}`, { kind: "unclean" }));
    expect(linesOf(unclean(3)).at(-1)).toBe(
      "3 of them were not shut down before, so one cause is likely, such as a loss of power: look at the AWS Health Dashboard. Next: `{win} nodes` shows which of them are Ready.",
    );
    expect(linesOf(unclean(2)).at(-1)).toBe("Next: `{win} nodes` shows which of them are Ready.");
  });

  test("are counted beyond ten causes and eight nodes", () => {
    const causes = Array.from({ length: 12 }, (_, at) => boot(`win-${at}`, { kind: "asked", text: `cause ${at}` }));
    expect(linesOf(causes)).toContain("• 2 more causes");
    expect(linesOf(causes)).toHaveLength(1 + 10 + 1 + 1);
    expect(linesOf(causes.slice(0, 10)).join()).not.toContain("more causes");
    const nodes = Array.from({ length: 10 }, (_, at) => boot(`win-${at}`));
    expect(linesOf(nodes)[1]).toMatch(/`win-7` and 2 more: the event log does not say why$/);
  });
});

describe("A reboot that Windows waits for", () => {
  const now = "2026-11-21T14:30:00.000Z";
  const due = {
    state: "due",
    reasons: ["servicing", "file-renames"],
    since: "2026-11-21T12:30:00.000Z",
    seenAt: "2026-11-21T14:25:00.000Z",
  } as const;
  const chronic = {
    reasons: ["file-renames"],
    rebootedAt: "2026-11-21T11:30:00.000Z",
    file: "C:\\Vendor\\agent.new",
  } as const;
  const notDue = { state: "not-due", seenAt: "2026-11-21T14:25:00.000Z" } as const;
  const unknown = (seenAt: string | null) => ({ state: "unknown", seenAt }) as const;

  test("has its reasons in words, and short ones in the list", () => {
    expect(reasonWords(["servicing", "windows-update", "file-renames", "computer-name"])).toBe(
      "a Windows feature or update, Windows Update, files to be replaced at the next boot, a new computer name",
    );
    expect(dueCell(due)).toBe("servicing,files");
    expect(dueCell({ ...due, chronic })).toBe("servicing,files (again)");
    expect(dueCell(notDue)).toBe("");
    expect(dueCell(unknown(null))).toBe("<unknown>");
    expect(dueCell(undefined)).toBe("<unknown>");
  });

  test("is shown where it is due, or was known once", () => {
    expect([due, notDue, unknown(null), unknown(now), undefined].map(isShown)).toEqual([
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  test("and that the last reboot did not end names the file and what to do", () => {
    expect(chronicWords(chronic, now)).toBe(
      "The reboot 3h ago did not end this (files to be replaced at the next boot): a program asks for it again, and another reboot is no cure. The first file is `C:\\Vendor\\agent.new`. Next: find that program and update or remove it.",
    );
  });

  test("is a fact with its age", () => {
    expect(dueFact(due, now)).toBe(
      "a Windows feature or update, files to be replaced at the next boot; since 120m, checked 5m ago",
    );
    expect(dueFact({ ...due, chronic }, now)).toMatch(
      /checked 5m ago; not ended by the last reboot: files to be replaced at the next boot$/,
    );
    expect(dueFact(notDue, now)).toBe("no, checked 5m ago");
    expect(dueFact(unknown("2026-11-21T12:30:00.000Z"), now)).toBe("not checked since 120m");
    expect(dueFact(unknown(null), now)).toBe("not checked");
    expect(dueFact(undefined, now)).toBe("not checked");
  });
});

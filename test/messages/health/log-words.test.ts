import { expect, test } from "vitest";
import { logWords, withFoldedLog } from "../../../lambdas/messages/health/log-words.ts";

const exits = (minute: number) => `2026-11-21T03:${minute}:00.230Z no endpoint has the source VIP 10.132.8.2`;
const klog = (time: string, text: string) => `E1121 ${time}.123456    4321 ${text}`;

test.each([
  [
    "a text that is repeated once, with its number and last time",
    [exits(30), exits(31), exits(36)].join(" "),
    "no endpoint has the source VIP 10.132.8.2 (3 times, last at 03:36 by the machine's clock)",
  ],
  [
    "klog's lines without their times",
    [klog("14:32:05", "server.go:1] a"), klog("14:33:05", "server.go:1] a")].join(" "),
    "server.go:1] a (2 times, last at 14:33 by the machine's clock)",
  ],
  [
    "different texts one after another",
    `...arting ${exits(30)}`,
    "...arting; no endpoint has the source VIP 10.132.8.2",
  ],
  ["a text without times as it is", "panic: <x>", "panic: &lt;x&gt;"],
  ["nothing of an empty log", " ", ""],
])("shows %s", (_, log, said) => {
  expect(logWords(log, 400)).toBe(said);
});

test("is as long as told", () => {
  expect(logWords("x".repeat(900), 400)).toHaveLength(400);
});

test("the log in a machine's reason is folded, and the lines around it stay", () => {
  const why = `not applied:\nkube-proxy is Stopped; its log ends: ${exits(30)} ${exits(31)}\ncontainerd is Stopped`;
  expect(withFoldedLog(why)).toBe(
    "not applied:\nkube-proxy is Stopped; its log ends: no endpoint has the source VIP 10.132.8.2 (2 times, last at 03:31 by the machine's clock)\ncontainerd is Stopped",
  );
  expect(withFoldedLog("the order of 2026-11-21T03:30 failed")).toBe("the order of 2026-11-21T03:30 failed");
});

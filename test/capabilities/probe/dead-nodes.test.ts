import { expect, test } from "vitest";
import { deadNodeMessage, deadNotice } from "../../../lambdas/capabilities/probe/messages.ts";

const dead = (node: string) => ({ node, result: { state: "fails", fault: "dns", from: null, words: "" } }) as never;
const told = { node: "win-1", now: "2026-11-21T14:00:00.000Z" };
const buttons = (message: { blocks: readonly object[] }): string[] =>
  JSON.stringify(message.blocks).match(/"value":"[^"]*"/g) ?? [];

test("a node that fails alone offers the checks and what helps it", () => {
  const message = deadNodeMessage(dead("win-1"), told);
  expect(message.text).toMatch(
    /^⚠️ `win-1` is Ready, but pods on it do not work\. .* Next: press Why for the other checks, or reboot it/,
  );
  expect(buttons(message)).toEqual(['"value":"why win-1"', '"value":"reboot win-1"']);
});

test("a node that fails with others offers no reboot, because one cause is likely", () => {
  const message = deadNodeMessage(dead("win-1"), told, 4);
  expect(message.text).toContain("It is one of 4 nodes that fail at once, so one cause is likely.");
  expect(buttons(message)).toEqual(['"value":"why win-1"']);
});

test("people are called past Slack to each node, or to a common cause", () => {
  const nodes = [dead("win-1"), dead("win-2")];
  expect(deadNotice(nodes, false)).toMatchObject({
    kind: "data-plane",
    operation: null,
    message: expect.stringMatching(/^win-1, win-2: Ready, but pods do not work there\./),
  });
  expect(deadNotice(nodes, true).message).toMatch(/^2 nodes at once, one cause is likely: win-1, win-2: Ready/);
});

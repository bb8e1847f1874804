import { expect, test } from "vitest";
import { actions, section, withOnePrimary } from "../../../lambdas/messages/slack/blocks.ts";

const button = (text: string, style?: "primary" | "danger") => ({
  actionId: text,
  value: "v",
  text,
  ...(style ? { style } : {}),
});

const labelled = (text: string, value: string, subject?: string) =>
  (actions("row", [{ ...button(text), value }], subject) as unknown as { elements: { accessibility_label?: string }[] })
    .elements[0]?.accessibility_label;

test.each([
  ["Why", "why ip-10-0-3-7", undefined, "Why (ip-10-0-3-7)"],
  ["Recover them…", "reboot win-1 win-2 --max 2", undefined, "Recover them… (win-1 win-2)"],
  ["Check again", "doctor", undefined, "Check again (doctor)"],
  ["Try again", "add-3f9c2a71", undefined, "Try again (add-3f9c2a71)"],
  ["Terminate now", "add-3f9c2a71:4", "i-0ab12cd3", "Terminate now (i-0ab12cd3)"],
  ["Thaw web", "thaw web", undefined, undefined],
])("a screen reader reads the button %s of %s with its subject", (text, value, subject, label) => {
  expect(labelled(text, value, subject)).toBe(label);
});

test("a label for screen readers keeps within Slack's 75 characters", () => {
  expect(labelled("Why", `why ${"n".repeat(253)}`)).toBe(`Why (${"n".repeat(69)})`);
});

test("a message recommends its first recommended button alone", () => {
  const blocks = [
    section("a"),
    actions("one", [button("deny", "danger"), button("check", "primary")]),
    actions("two", [button("resume", "primary"), button("cancel")]),
  ];
  const styles = JSON.stringify(withOnePrimary(blocks)).match(/"style":"[a-z]+"/g);
  expect(styles).toEqual(['"style":"danger"', '"style":"primary"']);
  expect(withOnePrimary(blocks.slice(0, 2))).toEqual(blocks.slice(0, 2));
});

import { expect, test } from "vitest";
import { actions, section, withOnePrimary } from "../../../lambdas/messages/slack/blocks.ts";

const button = (text: string, style?: "primary" | "danger") => ({
  actionId: text,
  value: "v",
  text,
  ...(style ? { style } : {}),
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

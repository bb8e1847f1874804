import { expect, test } from "vitest";
import { commands } from "../../../lambdas/commands/list.ts";
import { completed, completion } from "../../../lib/sandbox/page/browser/slack/completion.ts";

const vocabulary = { commandWord: "/win", commands, pools: ["web", "batch"] };
const node = (word: string) => ({ word, means: "web, Ready" });
const names = {
  nodes: [node("ip-10-0-0-21"), node("ip-10-0-0-22")],
  operations: [{ word: "add-3f9c2a71", means: "add, running" }],
};

const words = (typed: string): string[] =>
  completion(typed, vocabulary, names).suggestions.map((suggestion) => suggestion.word);

test.each([
  ["", []],
  ["hello /w", []],
  ["/", ["/win"]],
  ["/win", []],
  ["/lose ", []],
  ["/win ", commands.map(({ name }) => name)],
  ["/win no", ["nodes", "node"]],
  ["/win add ", ["web", "batch", "--dry-run", "--reason"]],
  ["/win add b", ["batch"]],
  ["/win add web ", ["--dry-run", "--reason"]],
  ["/win add web --dry-run ", ["--reason"]],
  ["/win add --dry-run ", ["web", "batch", "--reason"]],
  ["/win add web --reason ", []],
  ['/win add web --reason "Patch Tue', []],
  ['/win add web --reason "Patch Tuesday" ', ["--dry-run"]],
  ['/win add web --reason="Patch Tuesday" --d', ["--dry-run"]],
  ["/win remove ip-10-0-0-22", []],
  ["/win remove ip", ["ip-10-0-0-21", "ip-10-0-0-22"]],
  ["/win cancel ", ["add-3f9c2a71"]],
  ["/win help re", ["reboot", "restart", "remove", "resume", "reconcile"]],
  ["/win juggle ", []],
])("after %j offers %j", (typed, offered) => {
  expect(words(typed)).toEqual(offered);
});

test("shows the form of the command that is being typed, and only then", () => {
  expect(completion("/win add ", vocabulary, names).form).toBe(
    '/win add <pool> [count] [--dry-run] [--reason "<reason>"]',
  );
  expect(completion("/win ad", vocabulary, names).form).toBeNull();
});

test("offers at most eight names", () => {
  const nodes = Array.from({ length: 20 }, (_, n) => node(`ip-10-0-0-${n}`));
  expect(completion("/win node ", vocabulary, { nodes, operations: [] }).suggestions).toHaveLength(8);
});

test("replaces the last word and goes on to the next", () => {
  expect(completed("/win ad", "add")).toBe("/win add ");
  expect(completed("/win add ", "web")).toBe("/win add web ");
});

test("offers operations and nodes where an audit is asked for", () => {
  expect(words("/win audit ")).toEqual(expect.arrayContaining(["add-3f9c2a71", "--days"]));
});

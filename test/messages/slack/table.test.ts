import { expect, test } from "vitest";
import {
  andMore,
  PHONE_WIDTH,
  phoneNames,
  phoneTable,
  table,
  tableOfEntries,
} from "../../../lambdas/messages/slack/table.ts";
import type { Block } from "../../../lambdas/records/records.ts";

const linesOf = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) => (block as unknown as { text: { text: string } }).text.text.split("\n"));
const rowsOf = (blocks: readonly Block[]): string[] => linesOf(blocks).filter((line) => line !== "```");

test("A table is aligned as kubectl aligns it, with cells of one line and at most 100 characters", () => {
  const { blocks, rest } = table(
    ["A", "LONG"],
    [
      ["one\n two", ""],
      ["x".repeat(100), "b"],
      ["x".repeat(101), "c"],
    ],
  );
  expect(rest).toBe(0);
  expect(rowsOf(blocks)).toEqual([
    `A${" ".repeat(102)}LONG`,
    `one two${" ".repeat(96)}&lt;none&gt;`,
    `${"x".repeat(100)}   b`,
    `${"x".repeat(99)}…   c`,
  ]);
});

test("A table that is larger than a message is cut, and counts the rows that did not fit", () => {
  const rows = Array.from({ length: 400 }, (_, at) => [`row-${at}`, "y".repeat(90)]);
  const { blocks, rest } = table(["A", "B"], rows);
  expect(rest).toBeGreaterThan(0);
  expect(rowsOf(blocks)).toHaveLength(1 + 400 - rest);
  expect(JSON.stringify(blocks).length).toBeLessThan(13_200);
});

test("A row of 60 characters stays whole on a phone, a longer one is cut, and texts below are wrapped between words", () => {
  const word = "w".repeat(29);
  const { blocks } = tableOfEntries(
    ["A"],
    [
      { cells: ["x".repeat(PHONE_WIDTH)], below: [`${word} ${"w".repeat(28)}`, ""] },
      { cells: ["x".repeat(PHONE_WIDTH + 1)], below: [`${word} ${word}`, "z".repeat(70)] },
    ],
  );
  expect(rowsOf(blocks)).toEqual([
    "A",
    "x".repeat(60),
    `  ${word} ${"w".repeat(28)}`,
    `${"x".repeat(59)}…`,
    `  ${word}`,
    `  ${word}`,
    `  ${"z".repeat(70)}`,
  ]);
});

test("Names lose the domain that all have, and their middle where they are longer than 36 characters", () => {
  const long = (end: string) => `${"a".repeat(20)}-${"b".repeat(20)}${end}`;
  expect(phoneNames(["a.example.com", "b.example.com"])).toEqual({
    cells: ["a", "b"],
    domain: "Names end in `.example.com`.",
  });
  expect(phoneNames(["a.example.com", "b"])).toEqual({ cells: ["a.example.com", "b"], domain: null });
  expect(phoneNames([])).toEqual({ cells: [], domain: null });
  expect(phoneNames(["c".repeat(36), "c".repeat(37)]).cells).toEqual([
    "c".repeat(36),
    `${"c".repeat(17)}…${"c".repeat(18)}`,
  ]);
  expect(phoneNames([long("1"), long("2")]).cells).toEqual([
    `${"a".repeat(17)}…${"b".repeat(17)}1`,
    `${"a".repeat(17)}…${"b".repeat(17)}2`,
  ]);
  const alike = [`${"a".repeat(20)}1${"b".repeat(20)}`, `${"a".repeat(20)}2${"b".repeat(20)}`];
  expect(phoneNames(alike).cells).toEqual(alike);
});

test("A phone shows the first columns that fit, says once what all rows share, and names the others", () => {
  const column = (heading: string, ...cells: string[]) => ({ heading, cells });
  const { blocks, same, hidden, rest } = phoneTable([
    column("NAME", "x".repeat(30), "b"),
    column("FITS", "y".repeat(27), "b"),
    column("ZONE", "c", "d"),
    { ...column("POOL", "web", "web"), isSaidOnce: true },
    { ...column("KEY", "", ""), isSaidOnce: true },
  ]);
  expect({ same, hidden, rest }).toEqual({ same: "All: POOL `web`.", hidden: ["ZONE"], rest: 0 });
  expect(rowsOf(blocks)[1]).toBe(`${"x".repeat(30)}   ${"y".repeat(27)}`);
  const wide = phoneTable([column("NAME", "x".repeat(30)), column("WIDE", "y".repeat(28)), column("Z", "z")]);
  expect(wide).toMatchObject({ same: null, hidden: ["WIDE"] });
  const alone = phoneTable([column("NAME", "x".repeat(70)), { ...column("POOL", "web"), isSaidOnce: true }]);
  expect(alone).toMatchObject({ same: null, hidden: ["POOL"] });
});

test("What does not fit is counted", () => {
  expect([andMore(1, "node"), andMore(2, "node")]).toEqual(["and 1 more node", "and 2 more nodes"]);
});

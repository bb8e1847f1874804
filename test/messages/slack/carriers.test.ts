import { describe, expect, test } from "vitest";
import { LONGEST_COMMAND } from "../../../lambdas/commands/normalize.ts";
import { cardPartition, cardPartitions, hasOffers, operationOf } from "../../../lambdas/messages/slack/carriers.ts";
import { offerPartition, operationPartition } from "../../../lambdas/records/ledger-table.ts";
import type { Block } from "../../../lambdas/records/records.ts";

const ADD = "add-3f9c2a71";
const longest = "w".repeat(LONGEST_COMMAND);

test.each([
  [ADD, ADD],
  [`${ADD}:0`, ADD],
  [`${ADD}:0,1`, ADD],
  ["why win-1", null],
  ["", null],
  ["win:1", null],
])("the value %j names the operation %s", (value, operation) => {
  expect(operationOf(value)).toBe(operation);
});

test.each([
  ["cancel-operation", ADD, operationPartition(ADD)],
  ["keep-instance", `${ADD}:1`, operationPartition(ADD)],
  ["cancel-operation", "why win-1", null],
  ["look-again", "why win-1", offerPartition("why win-1")],
  ["look-again", ADD, offerPartition(ADD)],
  ["look-again", longest, offerPartition(longest)],
  ["look-again", `${longest}y`, null],
  ["look-again", "", null],
  ["take-wait", "unproven reboot-1 0", offerPartition("unproven reboot-1 0")],
  ["open-runbook", "why win-1", null],
  ["another", "why win-1", null],
])("a button %s with the value %j is listed in %s", (action, value, partition) => {
  expect(cardPartition(action, value)).toBe(partition);
});

describe("The buttons of a message", () => {
  const row = (...buttons: readonly (readonly [action_id: string, value: string])[]): Block => ({
    type: "actions",
    elements: buttons.map(([action_id, value]) => ({ type: "button", action_id, value })),
  });
  const message = (...blocks: Block[]) => ({ text: "", blocks });

  test("are in the partitions of its rows, each once", () => {
    const listed = message(
      { type: "section", elements: [{ action_id: "look-again", value: "nodes" }] },
      row(["cancel-operation", ADD], ["keep-instance", `${ADD}:0`], ["open-runbook", "nodes"]),
      { type: "actions" },
      row(["look-again", "why win-1"]),
    );
    expect(cardPartitions(listed)).toEqual([operationPartition(ADD), offerPartition("why win-1")]);
    expect(cardPartitions(message())).toEqual([]);
  });

  test("offer a command only where one of them runs it", () => {
    expect(hasOffers(message(row(["cancel-operation", ADD], ["look-again", "why win-1"])))).toBe(true);
    expect(hasOffers(message(row(["cancel-operation", ADD])))).toBe(false);
    expect(hasOffers(message())).toBe(false);
  });
});

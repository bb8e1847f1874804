import { expect, test } from "vitest";
import { operationsMessage } from "../../../lambdas/capabilities/look/operations-table.ts";
import { operationMessage } from "../../../lambdas/messages/operation/operation.ts";
import { threadLines } from "../../../lambdas/messages/operation/thread.ts";
import { originId } from "../../../lambdas/records/origin.ts";
import { decidingRecord, NOW, nodeRecord, operationRecord, settings } from "../records.ts";

const { asker: _nobody, ...unasked } = operationRecord();
const ofRule = { ...unasked, origin: { by: "rule", rule: "authority" } } as const;

test("the message of an operation says which schedule started it", () => {
  const { blocks } = operationMessage({ operation: ofRule, nodes: [nodeRecord()], pool: null, now: NOW }, settings);
  expect(JSON.stringify(blocks)).toContain("started by the schedule `authority`");
});

test("the thread of an operation that a schedule started mentions no person", () => {
  const lines = threadLines(
    { operation: ofRule, nodes: [decidingRecord()], now: NOW },
    null,
    decidingRecord(),
    settings,
  );
  expect(lines).not.toEqual([]);
  expect(JSON.stringify(lines)).not.toContain("<@");
});

test("the list of operations names the schedule", () => {
  expect(JSON.stringify(operationsMessage([ofRule], {}, NOW).blocks)).toMatch(/BY.*authority/);
  expect(originId(ofRule)).toBe("authority");
  expect(originId(operationRecord())).toBe("U0OPERATOR");
});

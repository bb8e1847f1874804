import { expect, it } from "vitest";
import { beginOperation } from "../../lambdas/workflows/operation.ts";
import { configurationWith } from "../desired/okd-facts.ts";
import { operationRecord } from "../messages/records.ts";
import { verbs } from "./engine.ts";

const NOW = Date.parse("2026-11-21T14:05:00Z");
const operator = { people: { operator: ["U0OPERATOR"] }, policy: { add: ["operator"] } };

/** Begins an operation that the ledger holds so; what was written into it is kept. */
async function begun(fields: Parameters<typeof operationRecord>[0], rules: object, notAfter = NOW / 1000) {
  const written: object[] = [];
  const steps = verbs({
    now: () => NOW,
    runtime: { read: async () => ({ version: "7", configuration: { ...configurationWith(), ...rules } }) },
    ledger: {
      operation: async () => operationRecord(fields),
      changeOperation: async (_id: string, change: object) => void written.push(change),
    },
    people: { standing: async () => "member", groupsOf: async () => [] },
  });
  const { id, request, asker } = operationRecord();
  const answer = await beginOperation(steps, { operation: id, request, asker, notAfter }, "arn:1").catch(
    (error: Error) => error.name,
  );
  return { answer, written };
}

it("an operation begins with the runtime document of today, and says which execution it is", async () => {
  expect(await begun({}, operator)).toEqual({
    answer: { runtimeVersion: "7", commandWord: "/win" },
    written: [{ status: "running", executionArn: "arn:1" }],
  });
});

it("an operation that was delivered too late does not begin", async () => {
  expect(await begun({}, operator, NOW / 1000 - 1)).toEqual({ answer: "UserError", written: [] });
});

it("an operation that the front door gave up does not begin", async () => {
  const ended = { status: "not-started", endedAt: "2026-11-21T14:00:03.000Z" } as const;
  expect(await begun(ended, operator)).toEqual({ answer: null, written: [] });
});

it("an operation of somebody whom today's policy does not allow ends as forbidden", async () => {
  expect((await begun({}, { people: {}, policy: {} })).answer).toBe("Forbidden");
});

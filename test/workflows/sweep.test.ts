import { afterAll, beforeAll, expect, it } from "vitest";
import type { OperationRecord } from "../../lambdas/records.ts";
import { sweep } from "../../lambdas/workflows/sweep.ts";
import { operationRecord } from "../messages/records.ts";
import { inMinutes, run, setUp, tearDown, verbs } from "./engine.ts";

beforeAll(setUp);
afterAll(tearDown);

/** Sweeps over one look that was asked for some minutes ago; what was written about it is kept. */
async function swept(minutesAgo: number, fields: Partial<OperationRecord>, execution: string | undefined) {
  const requestedAt = new Date(inMinutes(-minutesAgo)).toISOString();
  const operation = operationRecord({ request: { command: "nodes" }, requestedAt, ...fields });
  const written: string[] = [];
  const steps = verbs({
    ledger: {
      operations: async () => [operation],
      operation: async () => operation,
      nodes: async () => [],
      changeOperation: async (_id: string, { status, summary }: Partial<OperationRecord>) =>
        void written.push(`${status}: ${summary}`),
    },
    executions: { status: async () => execution },
  });
  await run((ctx) => sweep(steps)({ tick: "event-1" }, ctx));
  return written;
}

it("leaves what may still begin, and closes what never began", async () => {
  expect(await swept(19, {}, undefined)).toEqual([]);
  expect(await swept(21, {}, undefined)).toEqual(["failed: it was asked for, but never began"]);
});

it("leaves what runs or has ended, and closes what was stopped without a word", async () => {
  const executionArn = "arn:1";
  expect(await swept(21, { executionArn }, "RUNNING")).toEqual([]);
  expect(await swept(21, { executionArn, endedAt: "2026-11-21T14:00:00.000Z" }, "STOPPED")).toEqual([]);
  expect(await swept(21, { executionArn }, "STOPPED")).toEqual(["failed: its execution ended as STOPPED"]);
});

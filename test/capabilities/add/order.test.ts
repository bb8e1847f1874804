import { afterAll, beforeAll, expect, it } from "vitest";
import { newProvisionTask } from "../../../lambdas/capabilities/add/task.ts";
import type { Steps } from "../../../lambdas/steps/steps.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

const start = {
  ...{
    operation: "add-1",
    index: 1,
    pool: "web",
    image: { parameter: "/aws/image", imageId: "ami-1" },
    runtimeVersion: "7",
  },
};
const request = { command: "add", pool: "web", count: 2, dryRun: false };
const asked = { request, endedAt: null, executionArn: "arn:1" };

/** Begins one node for an operation that the ledger has so. @returns why it was refused, and what was written */
async function begun(operation: object | null) {
  const written: unknown[] = [];
  const ledger = {
    operation: async () => operation,
    changeNode: async (...change: unknown[]) => void written.push(change),
  };
  const runtime = { read: async () => ({ configuration: { pools: {} } }) };
  const ended = await run((ctx) => newProvisionTask(ctx, { ledger, runtime } as unknown as Steps, start));
  return { why: ended.error?.message, written };
}

it.each([
  ["there is no such operation", null],
  ["it is no add", { ...asked, request: { command: "reboot", pool: "web", count: 2 } }],
  ["it adds to another pool", { ...asked, request: { ...request, pool: "edge" } }],
  ["it adds fewer nodes", { ...asked, request: { ...request, count: 1 } }],
  ["it is a dry run", { ...asked, request: { ...request, dryRun: true } }],
  ["it has ended", { ...asked, endedAt: "2026-12-01T03:00:00Z" }],
  ["no execution of it has begun", { ...asked, executionArn: null }],
])("A node is not begun when %s, and nothing is written", async (_, operation) => {
  expect(await begun(operation)).toEqual({
    why: "no running operation requests node 2 of add-1",
    written: [],
  });
});

it("A node that a running operation requests is begun, by an execution that the ledger names", async () => {
  const { why, written } = await begun(asked);
  expect(why).toBe("the release document 7 has no pool web");
  expect(written).toEqual([["add-1", 1, { executionArn: expect.stringContaining("arn:") }]]);
});

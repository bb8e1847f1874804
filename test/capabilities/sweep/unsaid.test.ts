import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { redrawMessages } from "../../../lambdas/capabilities/sweep/unsaid.ts";
import { Retryable } from "../../../lambdas/errors.ts";
import type { StepContext } from "../../../lambdas/steps/context.ts";
import { unsaid } from "../../../lambdas/steps/ledger/unsaid.ts";
import { run, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";
import { heldTable } from "../../steps/ledger/held-table.ts";

beforeAll(setUp);
afterAll(tearDown);

/** Operations whose messages Slack refuses for good; it shows those of any other. */
const refused = new Set<string>();
let noted: ReturnType<typeof unsaid>;
let tried: string[];
let calls: string[];

beforeEach(() => {
  const settings = { ledgerTable: "t" };
  const clients = { dynamodb: heldTable(async () => undefined) };
  noted = unsaid({ clients, settings, now: Date.now } as unknown as StepContext);
  [tried, calls] = [[], []];
  refused.clear();
});

/** A tick of the sweep, so many minutes after the last. */
async function tick(after = 5): Promise<void> {
  vi.setSystemTime(Date.now() + after * 60_000);
  const steps = verbs({
    unsaid: noted,
    ledger: {
      operation: async (id: string) => {
        tried.push(id);
        if (refused.has(id)) throw new Retryable("Slack refused: msg_too_long");
      },
      nodes: async () => [],
    },
    notices: { send: async ({ message }: { message: object }) => void calls.push(JSON.stringify(message)) },
  });
  await run((ctx) => redrawMessages(ctx, steps));
}

const waiting = async (): Promise<string[]> => (await noted.read()).map(({ operation }) => operation);

test("messages that Slack refuses for good keep no other message from its turn", async () => {
  for (let at = 0; at < 20; at += 1) refused.add(`add-${at}`);
  for (const id of [...refused, "drain-1"]) await noted.note(id);
  await tick();
  expect(tried).not.toContain("drain-1");
  await tick();
  expect(tried).toContain("drain-1");
  expect((await waiting()).toSorted()).toEqual([...refused].toSorted());
});

test("people are called once for each message, at most once an hour, also while an earlier one is refused for good", async () => {
  refused.add("add-1").add("drain-1");
  await noted.note("add-1");
  await tick(11);
  expect(calls).toEqual([expect.stringContaining("add-1")]);
  await noted.note("drain-1");
  await tick(5);
  expect(calls).toHaveLength(1);
  await tick(45);
  expect(calls).toHaveLength(1);
  await tick(10);
  expect(calls.slice(1)).toEqual([expect.stringContaining("drain-1")]);
  expect(calls[1]).not.toContain("add-1");
  await tick(60);
  expect(calls).toHaveLength(2);
});

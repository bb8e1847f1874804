import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { ChosenMachine } from "../../../lambdas/capabilities/remove/choose.ts";
import { confirm } from "../../../lambdas/capabilities/remove/confirm.ts";
import type { OperationRecord } from "../../../lambdas/records/records.ts";
import { startOf } from "../../change/operation/starts.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";
import { answers, recorded } from "../../engine/recorded.ts";
import { operationRecord } from "../../messages/records.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);
beforeEach(() => void vi.spyOn(console, "log").mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

const ID = "i-0ab12cd34ef567890";
const request = { command: "remove", node: "web-1", dryRun: false } as const;
const pod = { namespace: "shop", name: "cart-0", owner: "ReplicaSet cart", localData: ["emptyDir scratch"] };
const chosen = {
  ...{ name: "web-1", uid: "uid-1", bootId: null, launchedBy: null, isReady: true, refusal: null },
  facts: { node: "web-1", instanceId: ID, pool: "web", poolNodes: 3, pods: [pod] },
} as unknown as ChosenMachine;

interface Scene {
  /** Answer in the ledger, once the question is shown. */
  readonly answer?: "submitted" | "closed";
  readonly cancelledBy?: string;
  /** The person may not cancel, as it turns out when the cancellation is judged. */
  readonly isWithdrawn?: boolean;
  readonly continues?: number;
  readonly decisions?: readonly object[];
}

/** Asks for the dialog's answer. @returns what came of it, and what was written, in order */
async function confirmed({ answer, cancelledBy, isWithdrawn = false, continues, decisions = [] }: Scene) {
  let operation: OperationRecord = operationRecord({ id: "remove-1", request, requestedAt: new Date().toISOString() });
  let reads = 0;
  let withdrawn = false;
  const configuration = {
    ...configurationWith(),
    people: { operator: ["U0OLIVIA"] },
    policy: { remove: ["operator"] },
  };
  const { steps, calls } = recorded(
    {
      runtime: { read: answers({ version: "7", configuration }), rules: answers(configuration) },
      people: { membership: answers("member"), groupsOf: answers([]) },
      ledger: {
        unfinished: answers([]),
        operation: async () => {
          reads += 1;
          // A cancellation comes after the question was shown.
          if (cancelledBy === undefined || reads < 2 || withdrawn) return operation;
          return { ...operation, cancelledBy, ...(isWithdrawn ? { cancelCause: "press" } : {}) };
        },
        answerOf: async () => (answer === undefined ? null : { decision: answer }),
        decisions: answers(decisions),
      },
    },
    {
      ledger: {
        changeOperation: async (_id: string, change: Partial<OperationRecord>) => {
          operation = { ...operation, ...change };
        },
        withdrawCancel: async () => {
          withdrawn = true;
        },
      },
      audit: { append: answers() },
      thread: { fillDialog: answers(true), sendEphemeral: answers() },
      notices: { send: answers() },
    },
  );
  const began = Date.now();
  const ended = await run(
    (ctx) => {
      const start = startOf(operation, continues);
      const now = () => Date.now();
      const op = { ctx, steps: { ...steps, now }, start, request, settings: { runtimeVersion: "7" } };
      return confirm(op as never, chosen);
    },
    async ({ callback }) => {
      if (continues === undefined && (answer || cancelledBy)) {
        const asked = callback("the dialog's answer 1", "bare");
        await asked.begun();
        await asked.succeed();
      }
    },
  );
  const minutes = Math.round((Date.now() - began) / 60_000);
  const written = calls.flatMap(([verb, , change]) => (verb === "ledger.changeOperation" ? [change] : []));
  return { result: ended.result, error: ended.error.message, events: ended.events, minutes, calls, written };
}

const acts = ({ calls }: Awaited<ReturnType<typeof confirmed>>): readonly unknown[][] =>
  calls.flatMap(([verb, , mark, act]) => (verb === "audit.append" ? [[mark, (act as { what: string }).what]] : []));

describe("The dialog of a removal", () => {
  test("shows what would go, and its yes confirms the removal", async () => {
    const given = await confirmed({ answer: "submitted" });
    expect(given.result).toBe(true);
    expect(given.written).toEqual([
      {
        ...{ status: "waiting", dialogOn: ID, dialogLosses: ["emptyDir"] },
        callbacks: { dialog: expect.any(String), cancel: expect.any(String) },
      },
    ]);
    expect(acts(given)).toEqual([["asked 1", "asked"]]);
    const shown = given.calls.filter(([verb]) => verb === "thread.fillDialog");
    expect(shown).toEqual([["thread.fillDialog", "dialog-remove-1", expect.any(Object)]]);
    expect(JSON.stringify(shown[0])).toContain(ID);
    expect(given.events).toContain("StepSucceeded log the answer");
  });

  test("ends the removal when it was closed, and shows that", async () => {
    const given = await confirmed({ answer: "closed" });
    const summary = "The dialog was closed. Nothing was changed.";
    expect(given.result).toBe(false);
    expect(given.written.at(-1)).toEqual({
      ...{ status: "cancelled", summary, callbacks: {} },
      endedAt: expect.any(String),
    });
    expect(acts(given)).toEqual([
      ["asked 1", "asked"],
      ["answer", "decided"],
    ]);
    expect(JSON.stringify(given.calls.at(-1))).toContain(summary);
  });

  test("ends the removal without an answer in its time", async () => {
    const given = await confirmed({});
    expect([given.result, given.minutes]).toEqual([false, configurationWith().deadlines.remove.dialog]);
    expect(given.written.at(-1)).toMatchObject({ summary: "The dialog timed out. Nothing was changed." });
    expect(acts(given).at(-1)).toEqual(["answer", "lapsed"]);
  });

  test("ends with a cancellation, which the ledger has logged", async () => {
    const given = await confirmed({ cancelledBy: "U0OLIVIA" });
    expect([given.result, acts(given).at(-1)]).toEqual([false, ["answer", "cancelled"]]);
    expect(given.written.at(-1)).toMatchObject({ summary: "Cancelled. Nothing was changed." });
    expect(given.events).not.toContain("StepSucceeded log the answer");
  });

  test("stays as it is after a cancellation by a person who may not cancel", async () => {
    const given = await confirmed({ cancelledBy: "U0GUEST", isWithdrawn: true });
    expect(given.calls.map(([verb]) => verb)).toContain("ledger.withdrawCancel");
    expect(acts(given)).toEqual([
      ["asked 1", "asked"],
      ["asked 2", "asked"],
      ["answer", "lapsed"],
    ]);
  });

  test.each<[string, readonly object[], boolean]>([
    ["was confirmed", [{ decision: "closed" }, { decision: "submitted" }], true],
    ["nobody confirmed", [{ decision: "closed" }], false],
  ])("is not shown again to one that goes on and that %s", async (_which, decisions, isConfirmed) => {
    const { result, error, calls } = await confirmed({ continues: 2, decisions });
    expect(calls).toEqual([]);
    if (isConfirmed) expect(result).toBe(true);
    else expect(error).toContain("remove-1");
  });
});

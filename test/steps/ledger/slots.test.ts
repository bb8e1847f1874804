import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AwsError } from "../../../lambdas/clients/aws-call.ts";
import { Retryable } from "../../../lambdas/errors.ts";
import type { StepContext } from "../../../lambdas/steps/context.ts";
import { slots } from "../../../lambdas/steps/ledger/slots.ts";
import { heldTable } from "./held-table.ts";

const OWNERS = 50;
const HOUR = 3_600_000;

/** A pool of nodes, and an operation on each of them. */
function setting(turn: () => Promise<void>, most: number) {
  const away = new Set<string>();
  const ended = new Set<string>();
  const refused = new Set<string>();
  const overruns: number[] = [];
  const clients = {
    dynamodb: heldTable(turn),
    functions: {
      execution: async (arn: string) => {
        await turn();
        if (refused.has(arn)) throw new AwsError("AccessDeniedException", "lambda:GetDurableExecution", 403);
        return ended.has(arn) ? { status: "STOPPED", endedAt: 0 } : { status: "RUNNING" };
      },
    },
  };
  const context = { clients, settings: { ledgerTable: "t" }, now: () => HOUR } as unknown as StepContext;
  const verbs = slots(context);
  const look = async () => {
    await turn();
    const nodes = Array.from({ length: OWNERS }, (_, at) => ({
      uid: `n${at}`,
      name: `n${at}`,
      isAway: away.has(`n${at}`),
    }));
    return { nodes, maxUnavailable: most };
  };
  const leave = (uid: string): void => {
    away.add(uid);
    if (away.size > most) overruns.push(away.size);
  };
  return { verbs, look, away, ended, refused, leave, overruns };
}

type Setting = ReturnType<typeof setting>;

/** Asks until there is a slot. @returns how often; null after so many rounds that it would never come */
async function ask({ verbs, look }: Setting, at: number): Promise<number | null> {
  const asking = { owner: `remove-${at}:0`, execution: `arn:${at}`, uid: `n${at}`, node: `n${at}` };
  for (let round = 1; round <= 40 * OWNERS; round += 1) {
    try {
      if ((await verbs.take("web", asking, look)).granted) return round;
    } catch (error) {
      if (!(error instanceof Retryable)) throw error;
    }
  }
  return null;
}

/** Fate of an operation that has its slot: what becomes of it and of its node. */
type Fate = "ends" | "dies before its cordon" | "dies after its cordon";

async function operate(here: Setting, at: number, fate: Fate, turn: () => Promise<void>): Promise<boolean> {
  if ((await ask(here, at)) === null) return false;
  await turn();
  if (fate !== "dies before its cordon") here.leave(`n${at}`);
  await turn();
  if (fate === "ends") {
    here.away.delete(`n${at}`);
    await again(() => here.verbs.release(`remove-${at}:0`));
    return true;
  }
  here.ended.add(`arn:${at}`);
  // The sweep makes the node schedulable some time after the end; the slot is left to those who wait.
  for (let pause = 0; pause < 5; pause += 1) await turn();
  here.away.delete(`n${at}`);
  return true;
}

async function again(work: () => Promise<unknown>): Promise<void> {
  for (;;)
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof Retryable)) throw error;
    }
}

describe("Slots of a pool", () => {
  it("are never held by more than may be away, and every one of 50 operations gets one though others die", {
    tags: ["long"],
  }, async () => {
    const fate = fc.constantFrom<Fate>("ends", "ends", "dies before its cordon", "dies after its cordon");
    const fates = fc.array(fate, { minLength: OWNERS, maxLength: OWNERS });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fates, fc.infiniteStream(fc.nat()), async (most, all, order) => {
        const { turn, run } = interleaved(order);
        const here = setting(turn, most);
        const outcome = await run(all.map((one, at) => operate(here, at, one, turn)));
        expect(outcome.every(Boolean)).toBe(true);
        expect(here.overruns).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  it("stay with a holder whose execution Lambda refuses to show, as with one that runs", async () => {
    const here = setting(async () => undefined, 1);
    expect(await ask(here, 0)).toBe(1);
    here.refused.add("arn:0");
    const asking = { owner: "remove-1:0", execution: "arn:1", uid: "n1", node: "n1" };
    expect(await here.verbs.take("web", asking, here.look)).toMatchObject({ granted: false });
    expect(await here.verbs.held("web")).toHaveLength(1);
    expect(await here.verbs.left()).toEqual([]);
  });
});

/** Lets those who wait for their turn go on one at a time, in an order that the stream decides. */
function interleaved(order: Iterator<number>) {
  const waiting: (() => void)[] = [];
  const turn = (): Promise<void> => new Promise((resolve) => void waiting.push(resolve));
  const run = async <T>(all: readonly Promise<T>[]): Promise<T[]> => {
    let isOver = false;
    const end = Promise.all(all).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const [next] = waiting.splice(order.next().value % (waiting.length || 1), 1);
      next?.();
      await new Promise(setImmediate);
    }
    return end;
  };
  return { turn, run };
}

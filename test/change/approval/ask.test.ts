import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askUntilDecided, type Question } from "../../../lambdas/change/approval/ask.ts";
import { inMinutes, run, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";
import type { Outside } from "../../sandbox/durable/backends.ts";

beforeAll(setUp);
afterAll(tearDown);

/** Words that the ledger holds and no execution has read. */
const words: string[] = [];

/** Asks for a word for ten minutes; "no" does not count. Every showing and every page is kept. */
async function asked(meanwhile: (outside: Outside) => Promise<void>, changes: Partial<Question<string, string>> = {}) {
  const shown: number[] = [];
  words.length = 0;
  const paged: object[] = [];
  const steps = verbs({ notices: { send: async (notice: object) => void paged.push(notice) } });
  const question: Question<string, string> = {
    name: "the word",
    until: inMinutes(10),
    show: async (_callback, round) => {
      shown.push(round);
      return null;
    },
    written: async () => words.shift() ?? null,
    notice: { subject: "a word is missing" } as never,
    judge: async (answer) => (answer === "no" ? null : answer),
    ...changes,
  };
  const began = Date.now();
  const ended = await run((ctx) => askUntilDecided(ctx, steps, question), meanwhile);
  return { result: ended.result, shown, pages: paged.length, minutes: Math.round((Date.now() - began) / 60_000) };
}

const wake = async ({ callback }: Outside, round: number, payload = "yes"): Promise<void> => {
  const waiting = callback(`the word ${round}`);
  await waiting.begun();
  await waiting.succeed(JSON.stringify(payload));
};

const answer = async (outside: Outside, round: number, word: string): Promise<void> => {
  words.push(word);
  await wake(outside, round);
};

describe("A question", () => {
  it("is decided by the first answer that counts, and asked again after one that does not", async () => {
    const { result, shown, pages } = await asked(async (outside) => {
      await answer(outside, 1, "no");
      await answer(outside, 2, "yes");
    });
    expect({ result, shown, pages }).toEqual({ result: "yes", shown: [1, 2], pages: 1 });
  });

  it("is not decided by what wakes it: the ledger has the answer", async () => {
    const { result, shown } = await asked((outside) => wake(outside, 1, "yes"));
    expect({ result, shown }).toEqual({ result: "time is up", shown: [1, 2] });
  });

  it("may take a wake-up without an answer as one, such as the end of a machine", async () => {
    expect(await asked((outside) => wake(outside, 1), { woken: "gone" })).toMatchObject({ result: "gone", shown: [1] });
  });

  it("has one deadline, however often it is asked", async () => {
    const ended = await asked((outside) => answer(outside, 1, "no"));
    expect(ended).toMatchObject({ result: "time is up", shown: [1, 2], minutes: 10 });
  });

  it("is decided by an answer whose wake-up was lost, when the time is up", async () => {
    const ended = await asked(async () => undefined, { written: async () => "yes" });
    expect(ended).toMatchObject({ result: "yes", shown: [1], minutes: 10 });
  });

  it("is over when the answer that was found last does not count", async () => {
    const ended = await asked(async () => undefined, { written: async () => "no" });
    expect(ended).toMatchObject({ result: "time is up", shown: [1], minutes: 10 });
  });

  it("that was answered before it could be shown pages nobody", async () => {
    const ended = await asked(async () => undefined, { show: async () => "cancel" });
    expect(ended).toMatchObject({ result: "cancel", pages: 0, minutes: 0 });
  });
});

import { afterAll, beforeAll, expect, it } from "vitest";
import { addNotes } from "../../../lambdas/change/node/notes.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";
import { callLog, taskOn } from "../a-task.ts";

beforeAll(setUp);
afterAll(tearDown);

it("adds a note once, and none beyond the most: otherwise people would be called at each poll", async () => {
  const said: string[] = [];
  const ledger = {
    nodes: async () => [{ index: 0, notes: said }],
    changeNode: async (_id: string, _index: number, { notes }: { notes: string[] }) => {
      said.splice(0, said.length, ...notes);
    },
  };
  const requests = Array.from({ length: 25 }, (_, at) => `csr-${at} was left pending`);
  const fresh: (readonly string[])[] = [];
  await run(async (ctx) => {
    const task = taskOn(ctx, callLog(), { ledger });
    for (const notes of [requests.slice(0, 15), requests, requests]) fresh.push(await addNotes(task, notes));
  });
  expect(fresh).toEqual([requests.slice(0, 15), requests.slice(15, 20), []]);
  expect(said).toEqual(requests.slice(0, 20));
});

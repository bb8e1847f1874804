import { expect, it } from "vitest";
import { publish, saidAll } from "../../../lambdas/change/operation/publisher.ts";
import type { PublishedMessage } from "../../../lambdas/records/records.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { nodeRecord, operationRecord, settings } from "../../messages/records.ts";

const before: PublishedMessage = { messageTs: "1.0", view: "", at: 0, told: [], trouble: null };

/** Remarks that the thread is told at each look, as long as there is something to tell. */
async function lookByLook(notes: readonly (readonly string[])[]) {
  const nodes = notes.map((each, index) => nodeRecord({ index, notes: each }));
  const looks: string[][] = [];
  let published = before;
  for (let look = 0; look < 5 && !saidAll(published, nodes); look += 1) {
    const marks: string[] = [];
    const thread = {
      update: async () => "1.0",
      post: async (_channel: string, _message: unknown, mark: string) => void marks.push(mark),
    };
    const view = { operation: operationRecord(), nodes, pool: null, now: new Date().toISOString() };
    published = await publish(verbs({ thread }), view, published, settings);
    looks.push(marks.filter((mark) => mark.includes("note")));
  }
  return { looks, isSaid: saidAll(published, nodes) };
}

const many = Array.from({ length: 9 }, (_, at) => `csr-${at} was left pending`);

it("a node with more remarks than the thread takes at once is told all the same, and holds up no other for good", async () => {
  const { looks, isSaid } = await lookByLook([["one"], many, ["two"]]);
  expect(isSaid).toBe(true);
  expect(looks.map((marks) => marks.length)).toEqual([1, 9, 1]);
});

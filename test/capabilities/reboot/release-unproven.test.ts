import { afterAll, beforeAll, expect, test } from "vitest";
import { closeIfGone, releaseUnproven } from "../../../lambdas/capabilities/reboot/unproven.ts";
import type { NodeTask } from "../../../lambdas/change/node/task.ts";
import { cordonedNode, cordonRecord, node, nodeTask } from "../../change/node/a-node.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";
import { decidingRecord, NOW, operationRecord } from "../../messages/records.ts";

beforeAll(setUp);
afterAll(tearDown);

const unproven = { before: { bootId: "boot-1" }, isQuarantined: false };
const left = { ...cordonRecord, operation: "reboot-1", keptAt: NOW, unproven };

/** Asks about a node that an earlier reboot may have left. @returns the answer, and what was done */
async function asked(
  work: (task: NodeTask) => Promise<unknown>,
  record: object | undefined = left,
  { found }: { readonly found?: object | null } = {},
) {
  const done: string[] = [];
  let answer: unknown;
  const base = cordonedNode(async () => record);
  const given = {
    ...base,
    cordons: {
      ...base.cordons,
      close: async (uid: string, operation: string) => void done.push(`close ${uid} ${operation}`),
      forget: async (uid: string) => void done.push(`forget ${uid}`),
    },
    nodes: { ...base.nodes, read: async () => (found === undefined ? base.nodes.read() : (found ?? undefined)) },
    ledger: {
      operation: async (id: string) => operationRecord({ id, endedAt: null }),
      nodes: async (id: string) => [decidingRecord({ operation: id, index: 0 })],
      noteOnNode: async (id: string, index: number, { settled }: { settled: string }) =>
        void done.push(`${id}:${index} ${settled}`),
    },
  };
  const ended = await run(async (ctx) => {
    answer = await work(nodeTask(ctx, given));
    return null;
  });
  expect(ended.status).toBe("SUCCEEDED");
  return { answer, done };
}

test("A proof gives back what an unproven reboot left, and says so in that operation", async () => {
  const { answer, done } = await asked(releaseUnproven, { ...left, outcome: "uncordoned" });
  expect(answer).toBe("uncordoned");
  expect(done).toEqual([`close ${node.uid} reboot-1`, "reboot-1:0 proven since by remove-1, which gave the node back"]);
});

test("A proof gives nothing back of a cordon that no reboot left, nor of a quarantined node", async () => {
  expect(await asked(releaseUnproven, { ...left, unproven: undefined })).toEqual({ answer: null, done: [] });
  const quarantined = { ...left, unproven: { ...unproven, isQuarantined: true } };
  expect(await asked(releaseUnproven, quarantined)).toEqual({ answer: null, done: [] });
});

test("The record of a cordon is closed once its Node was deleted or replaced", async () => {
  const ended = { ...left, outcome: "deleted" };
  const closed = [`forget ${node.uid}`, "reboot-1:0 its Node was deleted since, and the cordon with it"];
  expect(await asked(closeIfGone, ended, { found: null })).toEqual({ answer: "deleted", done: closed });
  const other = { metadata: { ...node, uid: "uid-2" } };
  expect(await asked(closeIfGone, ended, { found: other })).toEqual({ answer: "replaced", done: closed });
  expect(await asked(closeIfGone, ended)).toEqual({ answer: null, done: [] });
  expect(await asked(closeIfGone, { ...ended, unproven: undefined }, { found: null })).toEqual({
    answer: "deleted",
    done: [],
  });
});

import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { expect, test } from "vitest";
import { onMachine, uncancellable } from "../../../lambdas/change/node/task.ts";
import { lease, nodeTask } from "./a-node.ts";

const published = { messageTs: "1.0", view: "", at: 0, told: [], trouble: null };

/** Lets a wait report its reason. @returns what was written and read for that */
async function reported(isNew: boolean, isPublisher: boolean) {
  const done: string[] = [];
  const ledger = {
    changeNode: async (_id: string, _index: number, change: { waitsFor?: string }) =>
      done.push(`waits for ${change.waitsFor}`),
    operation: async () => void done.push("read the operation"),
  };
  const task = { ...nodeTask({} as DurableContext, { ledger }), published: isPublisher ? published : null };
  await uncancellable(task, Date.now()).onPending?.("the kubelet", isNew);
  return done;
}

test("a wait records each reason once, and its own message is brought up to date meanwhile", async () => {
  expect(await reported(true, true)).toEqual(["waits for the kubelet", "read the operation"]);
  expect(await reported(true, false)).toContain("waits for the kubelet");
  expect(await reported(false, true)).toEqual(["read the operation"]);
  expect(await reported(false, false)).toEqual([]);
});

test.each<[string, () => Promise<object | undefined>, boolean, RegExp | null]>([
  ["runs", async () => ({ ...lease, state: "running" }), true, null],
  ["is terminated", async () => ({ ...lease, state: "terminated" }), true, /terminated/],
  ["is not known of, because EC2 does not answer,", () => Promise.reject(new Error("Unavailable")), true, null],
  ["is terminated, and is not the task's", async () => ({ ...lease, state: "terminated" }), false, null],
])("a wait on a machine that %s ends: %s", async (_which, describe, isHeld, end) => {
  const task = nodeTask({} as DurableContext, { instances: { describe } });
  const wait = onMachine({ ...task, lease: isHeld ? lease : null }, task.wait);
  const found = await wait.endOfMachine();
  if (end === null) expect(found).toBeNull();
  else expect(found).toMatch(end);
});

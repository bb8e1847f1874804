import { afterAll, beforeAll, expect, test } from "vitest";
import type { EmptyingTask } from "../../lambdas/change/emptying/emptying-task.ts";
import { leaveNode } from "../../lambdas/change/node/leave.ts";
import { Cancelled, StageFailed } from "../../lambdas/engine/durable.ts";
import type { DrainOptions } from "../../lambdas/steps/drain/filters.ts";
import { node, nodeTask } from "../change/node/a-node.ts";
import { run, setUp, tearDown } from "../engine/durable-engine.ts";
import { configurationWith } from "../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);

/** Leaves a node of a pool that says hold, or else. @returns the state left, and whether the cordon was kept or given back */
async function left(
  cause: Error,
  {
    stage = "evict",
    unschedulable = true,
    pool = "web",
    isTouched = true,
    afterFailedDrain = "hold",
    options = {} as Partial<DrainOptions>,
  } = {},
) {
  const done: string[] = [];
  const given = {
    nodes: { read: async () => ({ metadata: node, spec: { unschedulable } }) },
    cordons: {
      keep: async () => void done.push("kept"),
      find: async () => undefined,
      close: async () => void done.push("given back"),
    },
    instances: { describe: async () => undefined },
    audit: { append: async () => undefined },
  };
  const configuration = configurationWith({}, { afterFailedDrain });
  const { result } = await run(async (ctx) => {
    const task = { ...nodeTask(ctx, given), pool, stage, isTouched, options };
    return leaveNode({ ...task, runtime: { ...task.runtime, configuration } } as unknown as EmptyingTask, cause);
  });
  return { result, done };
}

const late = new StageFailed("deadline-passed", "gave up waiting for 1 pod");

test("DR-24 a node whose eviction has failed is held where its pool says so", async () => {
  expect(await left(late)).toEqual({ result: expect.stringContaining("the node stays cordoned"), done: ["kept"] });
});

test("DR-24 a node whose eviction has failed is held where its pool asks, and a cancellation gives it back", async () => {
  const ask = { afterFailedDrain: "ask" };
  expect(await left(late, ask)).toEqual({
    result: expect.stringContaining("press Uncordon or Keep cordoned"),
    done: ["kept"],
  });
  expect((await left(new Cancelled("U0OPERATOR"), ask)).done).toEqual(["given back"]);
  expect((await left(late, { afterFailedDrain: "uncordon" })).done).toEqual(["given back"]);
});

test.each([
  ["a cancellation", new Cancelled("U0OPERATOR"), {}],
  ["a stage before the eviction", late, { stage: "cordon" }],
  ["a node that others have uncordoned", late, { unschedulable: false }],
  ["a node of no pool", late, { pool: "" }],
])("DR-24 %s is never held", async (_what, cause, more) => {
  expect((await left(cause, more)).done).toEqual(["given back"]);
});

test("DR-24 a node that was not changed yet is neither held nor given back", async () => {
  expect(await left(late, { isTouched: false })).toEqual({ result: "nothing was changed", done: [] });
});

test.each([
  ["whose pods do not end", new StageFailed("pod-stuck", "gave up waiting for 1 pod"), {}],
  ["whose reboot was to end its pods, which another pod held up", late, { options: { skips: ["shop/stuck"] } }],
])("a node %s is held in each pool, and a cancellation gives it back", async (_what, cause, more) => {
  const given = { ...more, afterFailedDrain: "uncordon" };
  expect((await left(cause, given)).done).toEqual(["kept"]);
  expect((await left(new Cancelled("U0OPERATOR"), given)).done).toEqual(["given back"]);
});

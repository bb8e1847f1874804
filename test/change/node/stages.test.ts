import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runStages, type Stage, stageTable } from "../../../lambdas/change/node/stages.ts";
import { type NodeTask, newNodeTask, once, waitFor } from "../../../lambdas/change/node/task.ts";
import { done, pending } from "../../../lambdas/engine/durable.ts";
import { nodeWorkflows, stagesOf } from "../../../lambdas/stages.ts";
import { run, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";
import { configurationWith, manifest } from "../../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);

const node = { name: "ip-10-0-0-20", uid: "uid-1" };

/** A task of a removal whose acts are kept in `acts`; it is cancelled as soon as one of them is `cancelAfter`. */
function taskOn(ctx: DurableContext, acts: string[], cancelAfter: string): NodeTask {
  const steps = verbs({
    ledger: {
      operation: async () => ({ cancelledBy: acts.includes(cancelAfter) ? "U0OPERATOR" : null, callbacks: {} }),
      nodes: async () => [],
      changeNode: async (_id: string, _index: number, { stage }: { stage?: string }) =>
        void (stage && acts.push(`record ${stage}`)),
    },
    nodes: { announce: async (_node: object, _type: string, reason: string) => void acts.push(reason) },
  });
  const runtime = { version: "7", configuration: configurationWith(), payload: manifest() };
  const work = { workflow: "remove", operation: "remove-1", index: 0, eventReason: "CasementRemoving" } as const;
  return { ...newNodeTask({ ctx, steps, runtime, ...work, needsMachine: false }, "slot"), node };
}

/** Runs the stages of a removal, each of which says its name; `evict` waits for two polls. */
async function ran(cancelAfter = "") {
  const acts: string[] = [];
  const says = (name: string) => (task: NodeTask) => once(task, name, async () => void acts.push(name));
  let polls = 0;
  const stages: readonly Stage<NodeTask>[] = stageTable<"remove", NodeTask>("remove", {
    slot: says("slot"),
    cordon: says("cordon"),
    evict: (task) =>
      waitFor(task, "the pods have left", async () => {
        acts.push(`poll ${++polls}`);
        return polls === 2 ? done(true) : pending("pods");
      }),
    terminate: (task) =>
      waitFor(task, "the instance is terminated", async () => {
        acts.push("terminate");
        return done(true);
      }),
    delete: says("delete"),
  });
  const ended = await run((ctx) => runStages(taskOn(ctx, acts, cancelAfter), stages));
  return { error: ended.error.type, acts: acts.filter((act) => act !== "CasementRemoving") };
}

describe("The stages of a workflow", () => {
  it("run in the order of their table, each recorded before it is run", async () => {
    expect((await ran()).acts).toEqual([
      "record slot",
      "slot",
      "record cordon",
      "cordon",
      "record evict",
      "poll 1",
      "poll 2",
      "record terminate",
      "terminate",
      "record delete",
      "delete",
    ]);
  });

  it("end with a cancellation between two stages", async () => {
    expect(await ran("cordon")).toEqual({
      error: "Cancelled",
      acts: ["record slot", "slot", "record cordon", "cordon"],
    });
  });

  it("end with a cancellation during a wait, before the next poll", async () => {
    expect(await ran("poll 1")).toEqual({
      error: "Cancelled",
      acts: ["record slot", "slot", "record cordon", "cordon", "record evict", "poll 1"],
    });
  });

  it("run to their end once a stage was entered that cannot be cancelled", async () => {
    const { error, acts } = await ran("record terminate");
    expect(error).toBeUndefined();
    expect(acts.slice(-3)).toEqual(["terminate", "record delete", "delete"]);
  });
});

it("a table without the work of a stage, or with work that is no stage, does not compile", () => {
  const none = async () => undefined;
  const known = { slot: none, cordon: none, evict: none, terminate: none, delete: none };
  // @ts-expect-error The stage `delete` has no work.
  stageTable("remove", { slot: none, cordon: none, evict: none, terminate: none });
  // @ts-expect-error There is no stage `reboot`.
  const stages = stageTable("remove", { ...known, reboot: none });
  expect(stages.map(({ name }) => name)).toEqual(["slot", "cordon", "evict", "terminate", "delete"]);
});

it("a stage that several workflows have is called the same in all of them", () => {
  const words = nodeWorkflows.flatMap(stagesOf).map((stage) => ({ name: stage.name, words: stage.words }));
  for (const { name, words: own } of words)
    for (const other of words.filter((one) => one.name === name)) expect(other.words).toEqual(own);
});

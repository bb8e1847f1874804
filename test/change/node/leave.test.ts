import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EmptyingTask } from "../../../lambdas/change/emptying/emptying-task.ts";
import { holdNode, leaveNode } from "../../../lambdas/change/node/leave.ts";
import { QUARANTINED } from "../../../lambdas/cluster/node-keys.ts";
import { Cancelled, StageFailed } from "../../../lambdas/engine/durable.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";
import { configurationWith, manifest } from "../../profiles/okd/facts.ts";
import { cordonedNode, cordonRecord, node, nodeTask } from "./a-node.ts";

beforeAll(setUp);
afterAll(tearDown);

interface Scene {
  readonly task?: Partial<EmptyingTask>;
  readonly cause?: Error;
  readonly afterFailedDrain?: "hold" | "ask" | "uncordon";
  /** The Node that is read instead of a cordoned one. */
  readonly found?: object | undefined;
  readonly unread?: string;
  readonly keeps?: () => Promise<object | undefined>;
}

const gaveUp = new StageFailed("deadline-passed", "gave up");

/** Leaves a node whose work has failed. @returns what is said, and what was done */
async function left(scene: Scene) {
  const { task: fields = {}, cause = gaveUp, afterFailedDrain, unread, keeps = async () => ({}) } = scene;
  const done: string[] = [];
  let said = "";
  let asked: unknown = null;
  const base = cordonedNode(async () => cordonRecord);
  const given = {
    ...base,
    cordons: {
      ...base.cordons,
      keep: async (uid: string, operation: string, unproven?: object) => {
        done.push(`keep ${uid} ${operation}${unproven ? ` ${JSON.stringify(unproven)}` : ""}`);
        return keeps();
      },
    },
    nodes: {
      ...base.nodes,
      read: async () => {
        if (unread) throw new StageFailed("aws-denied", unread);
        return "found" in scene ? scene.found : base.nodes.read();
      },
      change: async (_node: object, change: { metadata?: { labels?: object } }) =>
        void done.push(QUARANTINED in (change.metadata?.labels ?? {}) ? "quarantine" : "uncordon"),
    },
  };
  const ended = await run(async (ctx) => {
    const configuration = configurationWith({}, afterFailedDrain ? { afterFailedDrain } : {});
    const runtime = { version: "7", configuration, payload: manifest() };
    const task = {
      ...{ ...nodeTask(ctx, given), runtime, pool: "web", workflow: "drain", options: {}, isTouched: true },
      ...fields,
    } as unknown as EmptyingTask;
    said = await leaveNode(task, cause);
    asked = task.asked ?? null;
    return null;
  });
  expect(ended.status).toBe("SUCCEEDED");
  return { said, done, asked };
}

const kept = `keep ${node.uid} remove-1`;
const stuck = new StageFailed("pod-stuck", "a pod is stuck");
const off = new StageFailed("machine-ended", "the instance is stopped");

describe("A node whose work has failed", () => {
  test("is left as it is where nothing was changed", async () => {
    expect(await left({ task: { isTouched: false } })).toEqual({ said: "nothing was changed", done: [], asked: null });
  });

  test.each<readonly [string, Scene, words: RegExp, done: readonly string[]]>([
    ["is uncordoned", {}, /^the node is schedulable again/, ["uncordon"]],
    [
      "is uncordoned by its pool's wish",
      { afterFailedDrain: "uncordon" },
      /^the node is schedulable again/,
      ["uncordon"],
    ],
    ["stays cordoned with pods that do not end", { cause: stuck }, /because pods on it do not end/, [kept]],
    ["stays cordoned after a drain of a stopped machine", { cause: off }, /because pods on it do not end/, [kept]],
    [
      "is uncordoned after a reboot of a stopped machine",
      { cause: off, task: { workflow: "reboot" } },
      /^the node is schedulable again/,
      ["uncordon"],
    ],
    ["stays cordoned as its pool says", { afterFailedDrain: "hold" }, /as its pool's afterFailedDrain says/, [kept]],
    [
      "waits for a person as its pool says",
      { afterFailedDrain: "ask" },
      /until a person decides: press Uncordon/,
      [kept],
    ],
    [
      "is uncordoned after a cancellation",
      { afterFailedDrain: "hold", cause: new Cancelled("U1") },
      /^the node is schedulable again/,
      ["uncordon"],
    ],
    [
      "is uncordoned when another stage failed",
      { afterFailedDrain: "ask", task: { stage: "cordon" } },
      /^the node is schedulable again/,
      ["uncordon"],
    ],
  ])("%s", async (_which, scene, words, done) => {
    const end = await left(scene);
    expect(end.said).toMatch(words);
    expect(end.done).toEqual(done);
    expect(end.asked).toEqual(scene.afterFailedDrain === "ask" && done[0] === kept ? { asksPerson: true } : null);
  });

  test("is not held once another actor has uncordoned or replaced it", async () => {
    const hold = { afterFailedDrain: "hold" } as const;
    const schedulable = await left({ ...hold, found: { metadata: { ...node }, spec: {} } });
    expect(schedulable.done).not.toContain(kept);
    const other = await left({
      ...hold,
      found: { metadata: { ...node, uid: "uid-2" }, spec: { unschedulable: true } },
    });
    expect(other).toEqual({
      said: `a new Node \`${node.name}\` has taken its place and was not changed`,
      done: [],
      asked: null,
    });
    const gone = await left({ ...hold, found: undefined });
    expect(gone).toEqual({ said: "its Node no longer exists", done: [], asked: null });
  });

  test("is quarantined by a label after its second unproven reboot", async () => {
    const keeps = async () => ({ unproven: { isQuarantined: true } });
    const end = await left({ afterFailedDrain: "hold", keeps });
    expect(end.done).toEqual([kept, "quarantine"]);
    expect(end.said).toMatch(/^the node is quarantined, because two of its reboots/);
    const once = await left({ afterFailedDrain: "hold", keeps: async () => ({ unproven: { isQuarantined: false } }) });
    expect(once.done).toEqual([kept]);
  });

  test("is held by the ledger alone when the Node cannot be read, and says when that fails too", async () => {
    const end = await left({ afterFailedDrain: "hold", unread: "403" });
    expect(end.done).toEqual([kept]);
    expect(end.said).toMatch(/makes it schedulable \(the Node could not be read: 403\)$/);
    const keeps = async () => {
      throw new StageFailed("aws-denied", "denied");
    };
    expect((await left({ afterFailedDrain: "hold", unread: "403", keeps })).said).toBe(
      "the node may still be cordoned",
    );
  });

  test("is kept for a later proof with the boot before it", async () => {
    const done: unknown[] = [];
    const base = cordonedNode(async () => cordonRecord);
    const keep = async (_uid: string, _operation: string, unproven: object) => void done.push(unproven);
    await run(async (ctx) => {
      const task = nodeTask(ctx, { ...base, cordons: { ...base.cordons, keep } }) as unknown as EmptyingTask;
      done.push(await holdNode(task, (name) => `${name} waits`, { before: "boot-1" } as never));
      return null;
    });
    expect(done).toEqual([{ before: "boot-1" }, `${node.name} waits`]);
  });
});

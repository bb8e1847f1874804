import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CordonTask, cordonByRequest, uncordonByRequest } from "../../../lambdas/capabilities/cordon/stages.ts";
import { cordonSummary } from "../../../lambdas/messages/node/cordon.ts";
import type { CordonRecord, NodePatch } from "../../../lambdas/steps/cluster/cordon-rules.ts";
import { node, nodeTask } from "../../change/node/a-node.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

interface Scene {
  readonly uid?: string;
  readonly isCordoned?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Fields of the record that the cordon gets; null where the Node is deleted meanwhile. */
  readonly recorded?: Partial<CordonRecord> | null;
  /** An unproven reboot has left the node cordoned. */
  readonly isLeft?: boolean;
}

/** Runs a stage of `remove-1`. @returns its summary, whether its node is gone, and what was done in order */
async function staged(stage: (task: CordonTask) => Promise<void>, scene: Scene) {
  const { uid = node.uid, recorded = {}, isLeft = false, annotations = {} } = scene;
  let unschedulable: boolean | null = scene.isCordoned ?? false;
  let marks: object = annotations;
  let record: object | undefined;
  const done: string[] = [];
  const steps = {
    nodes: {
      read: async () => ({ metadata: { ...node, uid, annotations: marks }, spec: { unschedulable } }),
      change: async (_node: object, { metadata, spec }: NodePatch) => {
        marks = { ...marks, ...(metadata as { annotations?: object }).annotations };
        unschedulable = (spec as { unschedulable: boolean | null }).unschedulable;
        done.push(unschedulable ? "cordon" : "uncordon");
      },
      announce: async () => undefined,
    },
    cordons: {
      find: async () => record,
      accept: async () => isLeft,
      own: async (own: object) => {
        const made = { at: new Date().toISOString(), ...own, ...recorded };
        record = recorded === null ? undefined : made;
        return made;
      },
      close: async (_uid: string, operation: string) => void done.push(`close ${operation}`),
      keep: async (_uid: string, operation: string) => void done.push(`keep ${operation}`),
      forget: async () => void done.push("forget"),
    },
    audit: {
      append: async (_chain: object, _mark: string, { detail }: { detail: { change: string } }) =>
        void done.push(`audit ${detail.change}`),
    },
  };
  const end = { summary: "", isGone: false };
  await run(async (ctx) => {
    const task = { ...nodeTask(ctx, steps), ...end } as unknown as CordonTask;
    await stage(task);
    Object.assign(end, { summary: task.summary, isGone: task.isGone });
  });
  return { ...end, done };
}

describe("A cordon by request", () => {
  test.each<[string, Scene, Parameters<typeof cordonSummary>[0], readonly string[]]>([
    ["of a node in service is kept", {}, "cordoned", ["cordon", "keep remove-1", "audit cordon"]],
    ["leaves that of others to them", { isCordoned: true }, "cordoned-before", ["close remove-1"]],
    [
      "leaves that of another operation to it",
      { recorded: { operation: "drain-1" } },
      "cordoned-before",
      ["cordon", "close remove-1"],
    ],
    ["makes one that a reboot has left its own", { isLeft: true }, "kept", ["audit keep the cordon"]],
    ["does nothing to a namesake", { uid: "uid-2" }, "gone", []],
    ["ends where the Node is deleted meanwhile", { recorded: null }, "gone", ["cordon"]],
  ])("%s", async (_what, scene, result, done) => {
    const end = await staged(cordonByRequest, scene);
    expect(end).toEqual({ summary: cordonSummary(result, node.name), isGone: result === "gone", done });
  });
});

describe("An uncordon by request", () => {
  test.each<[string, Scene, Parameters<typeof cordonSummary>[0], readonly string[]]>([
    ["of a cordoned node takes it back", { isCordoned: true }, "uncordoned", ["uncordon", "forget", "audit uncordon"]],
    ["of a node in service does nothing", {}, "schedulable-before", []],
    ["does nothing to a namesake", { uid: "uid-2", isCordoned: true }, "gone", []],
  ])("%s", async (_what, scene, result, done) => {
    const end = await staged(uncordonByRequest, scene);
    expect(end).toEqual({ summary: cordonSummary(result, node.name), isGone: result === "gone", done });
  });
});

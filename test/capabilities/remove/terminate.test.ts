import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACCEPTED } from "../../../lambdas/capabilities/remove/facts.ts";
import { type RemovalTask, terminate } from "../../../lambdas/capabilities/remove/stages.ts";
import { lease, node, nodeTask } from "../../change/node/a-node.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

interface Scene {
  /** Finding of the drain's look at the node: pods, no cordon, or no Node. */
  readonly found?: "uncordoned" | readonly string[] | null;
  readonly state?: string;
  /** The task is of a machine that is no node. */
  readonly isNoNode?: boolean;
}

/** Terminates the instance of a drained node. @returns the failure, and whether EC2 was ordered to terminate */
async function terminated({ found = [], state = "running", isNoNode = false }: Scene) {
  let isOrdered = false;
  const machine = { ...lease, state, privateDnsName: node.name, tags: {} };
  const given = {
    nodes: { read: async () => ({ metadata: node }), all: async () => [] },
    stops: { over: async () => null },
    drain: { check: async () => found },
    cordons: { close: async () => undefined },
    instances: {
      describe: async () => ({ ...machine, state: isOrdered ? "terminated" : state }),
      terminate: async () => {
        isOrdered = true;
      },
    },
  };
  const ended = await run((ctx) => {
    const task = { ...nodeTask(ctx, given), pool: null, options: ACCEPTED, ...(isNoNode ? { node: null } : {}) };
    return terminate(task as unknown as RemovalTask);
  });
  return { failure: ended.error?.message ?? null, isOrdered };
}

describe("The instance of a node", () => {
  test.each<readonly [string, Scene]>([
    ["that is still cordoned and empty", {}],
    ["whose Node was deleted", { found: null }],
    ["that is ending already, whatever pods its Node still lists", { found: ["shop/web-0"], state: "shutting-down" }],
  ])("%s is terminated", async (_which, scene) => {
    expect(await terminated(scene)).toEqual({ failure: null, isOrdered: true });
  });

  test("that never registered is terminated without a look at pods", async () => {
    expect(await terminated({ isNoNode: true, found: ["shop/web-0"] })).toEqual({ failure: null, isOrdered: true });
  });

  test.each<readonly [string, Scene, string]>([
    ["that was uncordoned after its eviction", { found: "uncordoned" }, "is no longer cordoned"],
    ["on which a pod started after its eviction", { found: ["shop/web-0"] }, "1 pod started on the node"],
  ])("%s is not terminated", async (_which, scene, why) => {
    expect(await terminated(scene)).toEqual({ failure: expect.stringContaining(why), isOrdered: false });
  });
});

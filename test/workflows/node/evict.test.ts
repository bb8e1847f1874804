import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { evictPods } from "../../../lambdas/workflows/node/evict.ts";
import { run, setUp, tearDown, tenMinutes } from "../durable-engine.ts";
import { nodeTask } from "./a-node.ts";

beforeAll(setUp);
afterAll(tearDown);

const pod = (name: string) => ({ metadata: { namespace: "shop", name, uid: name } });
const why = "The disruption budget guard needs 1 healthy pods and has 1 currently";

/** Evicts pods that the node shows so at each listing, the last one again and again. */
async function evicted(listings: readonly (readonly string[])[], answer: object, state = "running") {
  let listed = 0;
  let asked = 0;
  const given = {
    nodes: { podsOn: async () => (listings[Math.min(listed++, listings.length - 1)] ?? []).map(pod) },
    instances: { describe: async () => ({ state }) },
    evictions: {
      evictAll: async (_held: object, pods: readonly object[]) => {
        asked += 1;
        return pods.map((one) => ({ pod: one, answer }));
      },
    },
  };
  const wait = tenMinutes();
  const { error } = await run((ctx) => evictPods(nodeTask(ctx, given, wait)));
  return { error, asked };
}

describe("Evicting a node's pods", () => {
  it("asks at each poll for those that are still there, and ends when none is left", async () => {
    const { error, asked } = await evicted([["web", "api"], ["api"], []], { state: "leaving" });
    expect(error.type).toBeUndefined();
    expect(asked).toBe(2);
  });

  it("names at its deadline the pods and the budget that holds them up", async () => {
    const { error } = await evicted([["web"]], { state: "blocked", why });
    expect(error).toEqual({ type: "DeadlineExceeded", message: expect.stringContaining(`shop/web: ${why}`) });
  });

  it("fails when a pod comes to the node after it was emptied", async () => {
    const { error } = await evicted([["web"], [], ["late"]], { state: "leaving" });
    expect(error.message).toContain("shop/late");
  });

  it("waits for no pod of an instance that has ended", async () => {
    expect(await evicted([["web"]], { state: "leaving" }, "terminated")).toMatchObject({ asked: 0 });
  });
});

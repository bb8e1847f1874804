import { ApiException } from "@kubernetes/client-node";
import { describe, expect, it } from "vitest";
import { giveBackCordon } from "../../../lambdas/change/node/cordon.ts";
import { verbs } from "../../engine/durable-engine.ts";

const record = {
  node: "ip-10-0-3-7",
  uid: "uid-1",
  instanceId: "i-0ab12cd34ef567890",
  operation: "remove-1",
  index: 0,
  wasUnschedulable: false,
  adds: { taints: [], annotations: { "casement.dev/cordoned-by": "remove-1" }, labels: {} },
  outcome: null,
  planned: null,
};

/** Gives a cordon back while the API server answers every Event so. */
async function givenBack(status: number) {
  const patched: unknown[] = [];
  const node = {
    metadata: { name: record.node, uid: "uid-1", annotations: record.adds.annotations },
    spec: { unschedulable: true },
  };
  const steps = verbs({
    cordons: {
      find: async () => record,
      plan: async () => true,
      settle: async (_open: unknown, outcome: string) => ({ outcome }),
    },
    nodes: {
      read: async () => node,
      change: async (_node: unknown, patch: unknown) => void patched.push(patch),
      announce: async () => {
        throw new ApiException(status, "refused", {}, {});
      },
    },
  });
  const outcome = await giveBackCordon(steps, "uid-1", "remove-1", false).catch((error: unknown) => error);
  return { outcome, patched };
}

describe("A cordon that is given back", () => {
  it("is settled although its Event is refused for good", async () => {
    const { outcome, patched } = await givenBack(403);
    expect(outcome).toBe("uncordoned");
    expect(patched).toHaveLength(1);
  });

  it("is tried again while the API server is unavailable", async () => {
    expect((await givenBack(503)).outcome).toBeInstanceOf(ApiException);
  });
});

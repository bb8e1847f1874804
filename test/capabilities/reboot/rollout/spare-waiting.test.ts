import { expect, test } from "vitest";
import { spareWaiting } from "../../../../lambdas/capabilities/reboot/rollout/settle.ts";
import type { RolloutSeen } from "../../../../lambdas/change/operation/rollout-view.ts";
import { verbs } from "../../../engine/durable-engine.ts";
import { nodeRecord, operationRecord } from "../../../messages/records.ts";

/** Looks once at a rollout of this command with one node that waits. @returns what was asked of the cluster */
async function askedFor(command: "reboot" | "restart"): Promise<readonly string[]> {
  const asked: string[] = [];
  const nodes = {
    all: async () => {
      asked.push("list");
      return [{ metadata: { name: "win-1", uid: "uid-1" } }];
    },
    prefersNoPods: async (node: { metadata: { name: string } }) => void asked.push(`mark ${node.metadata.name}`),
  };
  const seen = {
    operation: operationRecord({ request: { command, targets: { kind: "pool", pool: "web" } } } as never),
    rollout: { pool: "web", nodes: [{ name: "win-1", uid: "uid-1", isAway: false }] },
    nodes: [nodeRecord({ status: "queued" as never })],
  } as unknown as RolloutSeen;
  await spareWaiting(verbs({ nodes }), seen);
  return asked;
}

test("a rollout of reboots marks the nodes that wait, and one of restarts asks the cluster for none", async () => {
  expect(await askedFor("reboot")).toEqual(["list", "mark win-1"]);
  expect(await askedFor("restart")).toEqual([]);
});

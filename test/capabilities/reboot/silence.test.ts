import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { staysSilent } from "../../../lambdas/capabilities/reboot/silence.ts";
import type { RebootTask } from "../../../lambdas/capabilities/reboot/task.ts";
import { Retryable } from "../../../lambdas/errors.ts";
import { lease, node as named, nodeTask } from "../../change/node/a-node.ts";
import { inMinutes, run, setUp, tearDown, tenMinutes } from "../../engine/durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

const ago = (minutes: number): string => new Date(inMinutes(-minutes)).toISOString();
const seen = (status: string, minutes: number) => ({
  metadata: named,
  status: { conditions: [{ type: "Ready", status, lastTransitionTime: new Date(ago(minutes)) }] },
});

/** Asks whether the agent stays silent; it reports again after some minutes, or never. */
async function asked(readNode: () => Promise<object | undefined>, reports: number | null, wait = tenMinutes()) {
  const begin = Date.now();
  const machines: string[] = [];
  const agent = async (instanceId: string) => {
    machines.push(instanceId);
    const isSilent = reports === null || Date.now() < begin + reports * 60_000;
    return { registered: true, online: true, lastPingAt: isSilent ? ago(12) : ago(0) };
  };
  const { result, error } = await run((ctx) =>
    staysSilent(nodeTask(ctx, { nodes: { read: readNode }, health: { agent } }, wait) as RebootTask),
  );
  expect(new Set(machines)).toEqual(new Set([lease.instanceId]));
  return { result, error: error?.message, minutes: Math.round((Date.now() - begin) / 60_000) };
}

describe("An agent", () => {
  test("that reports is not silent, whatever the node says", async () => {
    expect(await asked(async () => seen("True", 60), 0)).toMatchObject({ result: false, minutes: 0 });
  });

  test("that is silent on a node that is Ready for ten minutes stays silent", async () => {
    expect(await asked(async () => seen("True", 11), 1)).toMatchObject({ result: true, minutes: 0 });
  });

  test.for<[string, () => Promise<object | undefined>]>([
    ["is Ready for less than ten minutes", async () => seen("True", 9)],
    ["is not Ready", async () => seen("False", 60)],
    ["is none", async () => undefined],
    [
      "cannot be read",
      async () => {
        throw new Retryable("the API server is busy");
      },
    ],
  ])("has six minutes to report where the node %s", async ([, readNode]) => {
    expect(await asked(readNode, 3)).toMatchObject({ result: false, minutes: 3 });
    expect(await asked(readNode, null)).toMatchObject({ result: true, minutes: 6 });
  });

  test("has no longer than its stage", async () => {
    const soon = tenMinutes({ until: inMinutes(2) });
    expect(await asked(async () => undefined, null, soon)).toMatchObject({ result: true, minutes: 2 });
  });

  test("is not judged by an error that is no busy service", async () => {
    const broken = async () => {
      throw new Error("a defect");
    };
    expect((await asked(broken, null)).error).toBe("a defect");
  });
});

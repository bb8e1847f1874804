import type { V1Node } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { soak, soakFault } from "../../../lambdas/capabilities/reboot/soak.ts";
import type { RebootTask } from "../../../lambdas/capabilities/reboot/task.ts";
import { bootInSoak, goneInSoak, notReadyInSoak } from "../../../lambdas/messages/node/reboot.ts";
import { node as named, nodeTask } from "../../change/node/a-node.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

const since = Date.parse("2026-11-23T12:00:00Z");
const begun = { bootId: "7", since };

const node = (bootID: string, status: string, changedAt: string): V1Node =>
  ({
    metadata: named,
    status: {
      nodeInfo: { bootID },
      conditions: [{ type: "Ready", status, lastTransitionTime: new Date(changedAt) }],
    },
  }) as unknown as V1Node;

const BEFORE = "2026-11-23T11:50:00Z";

test.for([BEFORE, "2026-11-23T12:00:00Z"])("a node that is Ready since %s, in the same boot, has stayed well", (at) => {
  expect(soakFault(node("7", "True", at), begun)).toBeNull();
});

test.for<[string, V1Node | null, { code: string; why: string }]>([
  ["was deleted", null, { code: "node-deleted", why: goneInSoak }],
  ["booted again", node("8", "True", BEFORE), { code: "not-soaked", why: bootInSoak }],
  ["is not Ready", node("7", "False", BEFORE), { code: "not-soaked", why: notReadyInSoak }],
  ["does not report any more", node("7", "Unknown", BEFORE), { code: "not-soaked", why: notReadyInSoak }],
  [
    "was not Ready for a moment between two looks",
    node("7", "True", "2026-11-23T12:00:00.001Z"),
    { code: "not-soaked", why: notReadyInSoak },
  ],
])("a node that %s has not", ([, seen, fault]) => {
  expect(soakFault(seen, begun)).toEqual(fault);
});

describe("The soak of a node", () => {
  beforeAll(setUp);
  afterAll(tearDown);

  /** Soaks a node of a pool of ten minutes' soak; counts its reads. */
  async function soaked(pool: string | null, seen: (reads: number) => V1Node) {
    let reads = 0;
    const read = async () => {
      reads += 1;
      return seen(reads);
    };
    const beganAt = Date.now();
    const { status, error } = await run((ctx) => {
      const task = nodeTask(ctx, { nodes: { read } });
      const runtime = { ...task.runtime, configuration: configurationWith({}, { soakSeconds: 600 }) };
      return soak({ ...task, runtime, pool } as RebootTask);
    });
    return { status, why: error?.message, reads, seconds: Math.round((Date.now() - beganAt) / 1_000) };
  }

  const well = () => node("7", "True", BEFORE);

  test("lasts as long as its pool says, and looks three times a minute", async () => {
    const { status, reads, seconds } = await soaked("web", well);
    expect({ status, reads }).toEqual({ status: "SUCCEEDED", reads: 32 });
    expect(seconds).toBeGreaterThanOrEqual(600);
  });

  test.for(["batch", null])("is none in pool %s, which has none", async (pool) => {
    expect(await soaked(pool, well)).toMatchObject({ status: "SUCCEEDED", reads: 0 });
  });

  test("ends at the first look that shows a fault, or another Node of that name", async () => {
    const again = await soaked("web", (reads) => node(reads < 4 ? "7" : "8", "True", BEFORE));
    expect(again).toMatchObject({ status: "FAILED", reads: 4, why: bootInSoak });
    const namesake = { ...well(), metadata: { ...named, uid: "uid-2" } };
    expect(await soaked("web", () => namesake)).toMatchObject({ reads: 2, why: goneInSoak });
  });
});

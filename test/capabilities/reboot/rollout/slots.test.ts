import { expect, test } from "vitest";
import { noteSlots, slotsTaken } from "../../../../lambdas/capabilities/reboot/rollout/slots.ts";
import type { RolloutSeen } from "../../../../lambdas/change/operation/rollout-view.ts";
import { Retryable } from "../../../../lambdas/errors.ts";
import { TAG } from "../../../../lambdas/tags.ts";
import { verbs } from "../../../engine/durable-engine.ts";
import { nodeRecord, operationRecord } from "../../../messages/records.ts";

/** Nodes of the cluster: name, pool, whether it is cordoned. */
type Members = readonly (readonly [name: string, pool: string, isCordoned?: boolean])[];

/** The instance behind a node: its id ends in the name as hexadecimal digits. */
const instanceOf = (name: string): string => `i-0${Buffer.from(name.padEnd(8)).toString("hex")}`;

const clusterOf = (members: Members, held: readonly string[] = []) => ({
  runtime: {
    read: async () => ({
      configuration: {
        cluster: { id: "prod" },
        pools: { web: { maxUnavailable: 1 }, batch: { maxUnavailable: "50%" } },
      },
    }),
  },
  nodes: {
    all: async () =>
      members.map(([name, , unschedulable = false]) => ({
        metadata: { name, uid: `uid-${name}`, labels: { "kubernetes.io/os": "windows" } },
        spec: { providerID: `aws:///us-west-2a/${instanceOf(name)}`, unschedulable },
        status: { conditions: [{ type: "Ready", status: "True" }] },
      })),
  },
  instances: {
    ofCluster: async () =>
      members.map(([name, pool]) => ({ instanceId: instanceOf(name), tags: { [TAG.pool]: pool } })),
  },
  slots: { held: async () => held.map((name) => ({ uid: `uid-${name}` })) },
});

/** A rollout over these nodes, each in a state. */
const rolloutOver = (nodes: Readonly<Record<string, string>>, more: object = {}): RolloutSeen =>
  ({
    operation: operationRecord({ id: "reboot-1" }),
    rollout: { pool: "web", nodes: Object.keys(nodes).map((name) => ({ name, uid: `uid-${name}` })), ...more },
    nodes: Object.values(nodes).map((status) => nodeRecord({ status: status as never })),
    followUps: [],
  }) as unknown as RolloutSeen;

const taken = (members: Members, rollout: RolloutSeen, held: readonly string[] = []) =>
  slotsTaken(verbs(clusterOf(members, held)), rollout);

test("A cordoned node that no operation works on takes the only slot of its pool", async () => {
  const members: Members = [
    ["web-1", "web"],
    ["web-2", "web", true],
  ];
  expect(await taken(members, rolloutOver({ "web-1": "queued" }))).toEqual({ pool: "web", most: 1, away: ["web-2"] });
  expect(await taken(members, rolloutOver({ "web-1": "cancelled" }))).toMatchObject({ away: ["web-2"] });
});

test.each<[string, Members, RolloutSeen, readonly string[]]>([
  [
    "every other node is in service",
    [
      ["web-1", "web"],
      ["web-2", "web"],
    ],
    rolloutOver({ "web-1": "queued" }),
    [],
  ],
  [
    "an operation works on the node that is away",
    [
      ["web-1", "web"],
      ["web-2", "web", true],
    ],
    rolloutOver({ "web-1": "queued" }),
    ["web-2"],
  ],
  [
    "the node that is left is itself away",
    [
      ["web-1", "web", true],
      ["web-2", "web", true],
    ],
    rolloutOver({ "web-1": "queued" }),
    [],
  ],
  [
    "a person lets more be away",
    [
      ["web-1", "web"],
      ["web-2", "web", true],
    ],
    rolloutOver({ "web-1": "queued" }, { unavailable: 2 }),
    [],
  ],
  [
    "no node is left",
    [
      ["web-1", "web"],
      ["web-2", "web", true],
    ],
    rolloutOver({ "web-1": "succeeded" }),
    [],
  ],
  [
    "another of its pools has a slot",
    [
      ["web-1", "web"],
      ["web-2", "web", true],
      ["batch-1", "batch"],
      ["batch-2", "batch"],
    ],
    rolloutOver({ "web-1": "queued", "batch-1": "queued" }, { pools: ["web", "batch"] }),
    [],
  ],
])("No slot is missing where %s", async (_why, members, rollout, held) => {
  expect(await taken(members, rollout, held)).toBeNull();
});

/** Shows the slots in a paused rollout. @returns what the ledger is given */
async function noted(paused: object | null, failure?: Error, stop: object | null = null): Promise<readonly unknown[]> {
  const written: unknown[] = [];
  const cluster = clusterOf([
    ["web-1", "web"],
    ["web-2", "web", true],
  ]);
  const steps = verbs({
    ...cluster,
    ledger: { changeOperation: async (id: string, change: object) => void written.push([id, change]) },
    stops: { over: async () => stop },
    ...(failure
      ? {
          nodes: {
            all: async () => {
              throw failure;
            },
          },
        }
      : {}),
  });
  const seen = rolloutOver({ "web-1": "queued" });
  const operation = operationRecord({ id: "reboot-1", rollout: { paused, part: 1 } } as never);
  await noteSlots(steps, { ...seen, operation });
  return written;
}

test("A paused rollout shows the node that takes the slot, and how it goes on", async () => {
  const [[id, change] = []] = (await noted({ by: "U1", at: "", why: "paused by a person" })) as [string, object][];
  expect(id).toBe("reboot-1");
  expect(change).toMatchObject({
    summary: expect.stringMatching(
      /web-2 is NotReady or cordoned and takes the only slot of pool web.* 2 nodes unavailable/,
    ),
    rollout: { part: 1, paused: { by: "U1", taken: { pool: "web", most: 1, away: ["web-2"] } } },
  });
});

test("A paused rollout shows a freeze that came later or again, and a taken slot once it has ended", async () => {
  const stop = { kind: "freeze", target: { kind: "pool", pool: "web" }, reason: "night", by: "Olivia", until: null };
  const paused = { by: null, at: "", why: "web-1 failed" };
  for (const before of [{}, { stop: null }])
    expect(await noted({ ...paused, ...before }, undefined, { ...stop, at: "2026-11-21T03:00:00.000Z" })).toMatchObject(
      [
        [
          "reboot-1",
          {
            summary: expect.stringContaining(
              "Pool `web` is frozen by Olivia (night). To end it: `{win} thaw web`, then press Resume.",
            ),
          },
        ],
      ],
    );
  expect(await noted({ ...paused, stop })).toMatchObject([
    ["reboot-1", { summary: expect.stringContaining("Bring it back"), rollout: { paused: { stop: null } } }],
  ]);
});

test("A rollout that is not paused shows none, and a busy service leaves what was shown", async () => {
  expect(await noted(null)).toEqual([]);
  const kept = { pool: "web", most: 1, away: ["web-9"] };
  const paused = { by: "U1", at: "", why: "paused by a person", taken: kept };
  expect(await noted(paused, new Retryable("busy"))).toMatchObject([
    ["reboot-1", { rollout: { paused: { taken: kept } } }],
  ]);
  await expect(noted(paused, new Error("a defect"))).rejects.toThrow("a defect");
});

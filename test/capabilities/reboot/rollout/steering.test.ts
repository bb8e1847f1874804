import { expect, test } from "vitest";
import { hearSteering } from "../../../../lambdas/capabilities/reboot/rollout/hear.ts";
import { beginNodes, pauseFor, wakeNodes } from "../../../../lambdas/capabilities/reboot/rollout/moves.ts";
import type { RolloutSeen } from "../../../../lambdas/change/operation/rollout-view.ts";
import { BY_ITSELF } from "../../../../lambdas/records/origin.ts";
import { type NodeRecord, newNodeRecord, type OperationRecord } from "../../../../lambdas/records/records.ts";
import type { RolloutCourse, SteeringDecision } from "../../../../lambdas/records/steering.ts";
import type { Stop } from "../../../../lambdas/time/stops.ts";
import { answers, type Call, recorded } from "../../../engine/recorded.ts";
import { nodeRecord, operationRecord } from "../../../messages/records.ts";

const NOW = Date.parse("2026-11-21T14:00:00.000Z");
const AT = "2026-11-21T13:59:00.000Z";
const ID = "reboot-1";
const request = { command: "reboot", targets: { kind: "pool", pool: "web" }, dryRun: false } as never;
const stop: Stop = {
  ...{ kind: "freeze", target: { kind: "pool", pool: "web" }, reason: "release night", by: "Olivia" },
  ...{ at: AT, until: null },
} as Stop;

const course = (changes: Partial<RolloutCourse> = {}): RolloutCourse => ({
  ...{ paused: null, part: 2, parkedAt: null, heard: "press-0" },
  ...changes,
});
const paused = course({ paused: { by: null, at: AT, why: "web-2 failed" } });

const node = (index: number, changes: Partial<NodeRecord>): NodeRecord =>
  nodeRecord({ operation: ID, index, nodeName: `web-${index}`, executionArn: `arn:${index}`, ...changes });
const failedAt = (index: number, stage: "slot" | "prove"): NodeRecord =>
  node(index, { status: "failed", failure: { stage, why: "it did not answer", left: "" } });
const named = (...indexes: number[]) =>
  indexes.map((index) => ({
    name: `web-${index}`,
    uid: `uid-${index}`,
    index,
    isAway: false,
    throughEc2: index === 3,
  }));

/** A rollout over three nodes, and what a person decided about it. */
interface Scene {
  readonly course?: RolloutCourse;
  readonly steering?: Partial<SteeringDecision> | null;
  readonly nodes?: readonly NodeRecord[];
  readonly stop?: Stop | null;
  readonly rollout?: object;
  readonly roles?: Readonly<Record<string, readonly string[]>>;
  readonly cordoned?: boolean;
  readonly operation?: Partial<OperationRecord>;
}

function world(scene: Scene) {
  const steering =
    scene.steering === null
      ? undefined
      : { decision: "pause", userId: "U0OLIVIA", cause: "press-1", at: AT, ...scene.steering };
  const operation = operationRecord({
    id: ID,
    request,
    rollout: scene.course ?? course(),
    steering,
    ...scene.operation,
  } as never);
  const nodes = scene.nodes ?? [node(1, { status: "succeeded", outcome: null }), failedAt(2, "prove")];
  const rollout = { pool: "web", nodes: named(1, 2, 3), max: null, accepted: [], isConfirmed: false, ...scene.rollout };
  const roles = scene.roles ?? { operator: ["U0OLIVIA"] };
  const rules = {
    slack: { channel: "C0WINDOWS" },
    people: roles,
    policy: { pause: ["operator"], resume: ["operator"] },
    pools: {},
  };
  const placed = { labels: { "kubernetes.io/os": "windows" } };
  const members = [1, 2, 3].map((index) => ({
    metadata: { ...placed, name: `web-${index}`, uid: `uid-${index}` },
    spec: {
      providerID: `aws:///us-west-2a/i-0000000000000000${index}`,
      unschedulable: index === 2 && scene.cordoned === true,
    },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  }));
  const machines = members.map((_, at) => ({
    instanceId: `i-0000000000000000${at + 1}`,
    tags: { "casement:pool": "web" },
  }));
  const configuration = { cluster: { id: "prod" }, pools: { web: { maxUnavailable: 1 } } };
  const { steps, calls } = recorded(
    {
      ledger: { operation: answers(operation), nodes: answers(nodes), steering: answers(steering) },
      rollouts: { read: answers(rollout) },
      runtime: { rules: answers(rules), read: answers({ configuration }) },
      people: { membership: answers("member"), groupsOf: answers([]) },
      stops: { over: answers(scene.stop ?? null) },
      nodes: { all: answers(members) },
      instances: { ofCluster: answers(machines) },
      slots: { held: answers([]) },
    },
    {
      ledger: { changeOperation: answers(), recordNode: answers(), changeNode: answers() },
      rollouts: { change: answers() },
      audit: { append: answers() },
      thread: { sendEphemeral: answers() },
      executions: { start: answers(), complete: answers() },
    },
    NOW,
  );
  const seen = {
    operation,
    rollout,
    nodes: rollout.nodes.map(
      ({ index, name }) =>
        nodes.find((one) => one.index === index) ?? { ...newNodeRecord("reboot", ID, index, AT), nodeName: name },
    ),
    followUps: [],
  } as unknown as RolloutSeen;
  return { steps, calls, seen };
}

const heard = async (scene: Scene): Promise<readonly Call[]> => {
  const { steps, calls } = world(scene);
  await hearSteering(steps, ID);
  return calls;
};

const onlyHeard = (of: RolloutCourse, cause = "press-1"): Call => [
  "ledger.changeOperation",
  ID,
  { rollout: { ...of, heard: cause } },
];

test("a person's pause is an entry of the audit, and the rollout waits for a person", async () => {
  expect(await heard({})).toEqual([
    [
      "audit.append",
      { operation: ID },
      "steered press-1",
      {
        what: "decided",
        by: { person: "U0OLIVIA" },
        detail: { question: "go on with the rollout", decision: "pause", unavailable: undefined },
      },
    ],
    [
      "ledger.changeOperation",
      ID,
      {
        status: "waiting",
        summary: expect.stringMatching(
          /^Paused: <@U0OLIVIA> paused it\. 1 of 3 nodes is .*ed and proven\. Nodes whose/,
        ),
        rollout: course({ heard: "press-1", paused: { by: "U0OLIVIA", at: AT, why: "<@U0OLIVIA> paused it" } }),
      },
    ],
  ]);
});

test("a resume accepts the failures so far, and queues nodes that were not begun behind all others", async () => {
  const nodes = [failedAt(1, "slot"), failedAt(2, "prove"), node(3, { status: "succeeded", outcome: null })];
  const steering = { decision: "resume", unavailable: 2 } as const;
  expect(await heard({ course: paused, steering, nodes, rollout: { accepted: [2, 7] } })).toEqual([
    [
      "audit.append",
      { operation: ID },
      "steered press-1",
      expect.objectContaining({ detail: { question: "go on with the rollout", ...steering } }),
    ],
    [
      "rollouts.change",
      ID,
      {
        nodes: [...named(2, 3), { ...named(1)[0], index: 4 }],
        unavailable: 2,
        accepted: [2, 7, 1],
        isConfirmed: true,
      },
    ],
    [
      "ledger.changeOperation",
      ID,
      {
        status: "running",
        summary: "Resumed by <@U0OLIVIA>.",
        rollout: course({ heard: "press-1" }),
      },
    ],
  ]);
});

test.for<[string, readonly NodeRecord[], object, boolean]>([
  ["before any node is proven", [failedAt(1, "prove")], {}, false],
  ["after a node that was deleted before its turn", [node(1, { status: "succeeded", outcome: "gone" })], {}, false],
  ["after the canary was confirmed", [failedAt(1, "prove")], { isConfirmed: true }, true],
])("a resume %s leaves the canary as it was", async ([, nodes, rollout, isConfirmed]) => {
  const [, change] = await heard({ course: paused, steering: { decision: "resume" }, nodes, rollout });
  expect(change?.[2]).toMatchObject({ isConfirmed });
  expect(change?.[2]).not.toHaveProperty("unavailable");
});

test("a resume in a freeze changes nothing, and the person alone reads who ends it", async () => {
  const [answer, ...others] = await heard({ course: paused, steering: { decision: "resume" }, stop });
  expect(answer).toEqual([
    "thread.sendEphemeral",
    "C0WINDOWS",
    "U0OLIVIA",
    expect.objectContaining({ text: expect.stringContaining("stays paused. To end it: `{win} thaw web`") }),
  ]);
  expect(others).toEqual([onlyHeard(paused)]);
});

test.for<[string, Scene]>([
  ["a pause of a paused rollout", { course: paused }],
  ["a pause of a paused rollout in a freeze", { course: paused, stop }],
  ["a resume of a running rollout", { steering: { decision: "resume" } }],
  ["a resume of a running rollout in a freeze", { steering: { decision: "resume" }, stop }],
  [
    "a resume while a cordoned node takes the only slot",
    { course: paused, steering: { decision: "resume" }, cordoned: true },
  ],
])("%s is noted and changes nothing", async ([, scene]) => {
  expect(await heard(scene)).toEqual([onlyHeard(scene.course ?? course())]);
});

test.for<[string, number | undefined, number | undefined, boolean]>([
  ["lets two nodes be unavailable", 2, undefined, true],
  ["allowed two before", undefined, 2, true],
  ["lets one node be unavailable", 1, 2, false],
])("a resume beside a cordoned node that %s", async ([, given, before, goesOn]) => {
  const steering = { decision: "resume", ...(given === undefined ? {} : { unavailable: given }) } as const;
  const calls = await heard({
    course: paused,
    steering,
    cordoned: true,
    rollout: before === undefined ? {} : { unavailable: before },
  });
  expect(calls.map(([verb]) => verb).includes("rollouts.change")).toBe(goesOn);
});

test("a decision of a person without the permission is noted, and the person reads why", async () => {
  const [answer, ...others] = await heard({ roles: { operator: ["U0OTHER"] } });
  expect(answer?.slice(0, 3)).toEqual(["thread.sendEphemeral", "C0WINDOWS", "U0OLIVIA"]);
  expect(others).toEqual([onlyHeard(course())]);
});

test.for<[string, Scene]>([
  ["nobody decided", { steering: null }],
  ["the decision was carried out", { course: course({ heard: "press-1" }) }],
])("nothing is written where %s", async ([, scene]) => {
  expect(await heard(scene)).toEqual([]);
});

test("a rollout that the last release began without a course gets one", async () => {
  const [, change] = await heard({ operation: { rollout: undefined } });
  expect(change?.[2]).toMatchObject({ rollout: { part: 1, parkedAt: null, heard: "press-1" } });
});

async function pausedBy(cause: Parameters<typeof pauseFor>[2], over: Stop | null, of: RolloutCourse | undefined) {
  const { steps, calls, seen } = world({ operation: { rollout: of } });
  await pauseFor(steps, seen, cause, over);
  return calls;
}

test("a failure pauses the rollout with its cause, and the pause is an entry of the audit", async () => {
  const calls = await pausedBy({ kind: "failed", indexes: [2] }, null, course());
  expect(calls).toEqual([
    [
      "audit.append",
      { operation: ID },
      "paused after 2",
      { what: "asked", detail: { question: "go on with the rollout", why: expect.any(String) } },
    ],
    [
      "ledger.changeOperation",
      ID,
      {
        status: "waiting",
        summary: expect.stringMatching(/^Paused: web-2 failed at /),
        rollout: course({
          paused: { by: null, at: new Date(NOW).toISOString(), why: expect.any(String), cause: "it did not answer" },
        }),
      },
    ],
  ]);
});

test("a freeze pauses the rollout with what ends it", async () => {
  const [, change] = await pausedBy({ kind: "stopped", indexes: [] }, stop, undefined);
  expect(change?.[2]).toMatchObject({
    summary: expect.stringMatching(
      /^Paused: pool `web` is frozen by Olivia \(release night\)\..*To end it: `\{win\} thaw web`, then press Resume\./,
    ),
    rollout: {
      part: 1,
      parkedAt: null,
      heard: null,
      paused: { stop, why: "pool `web` is frozen by Olivia (release night)" },
    },
  });
});

test.for<[Parameters<typeof pauseFor>[2], RolloutCourse | undefined, string]>([
  [{ kind: "canary" }, course(), "paused after the canary"],
  [{ kind: "failed", indexes: [1, 2] }, course(), "paused after 1, 2"],
  [{ kind: "stopped", indexes: [] }, course(), "paused after press-0"],
  [{ kind: "stopped", indexes: [] }, course({ heard: null }), "paused after its beginning"],
  [{ kind: "stopped", indexes: [] }, undefined, "paused after its beginning"],
])("the entry of the pause by %o has a mark of its own", async ([cause, of, mark]) => {
  expect((await pausedBy(cause, null, of))[0]?.[2]).toBe(mark);
});

test("a pause wakes the nodes whose work can still be stopped, in the name of who stopped it", async () => {
  const waits = { callbacks: { cancel: "callback" } };
  const nodes = [
    node(1, { status: "running", callbacks: { cancel: "callback-1" } }),
    node(2, { status: "succeeded", ...waits }),
    node(3, { status: "running", callbacks: {} }),
    node(4, { status: "deciding", callbacks: { cancel: "callback-4" } }),
  ];
  const woken = async (operation: Partial<OperationRecord>) => {
    const { steps, calls } = world({ nodes, rollout: { nodes: named(1, 2, 3, 4) }, operation });
    await wakeNodes(steps, ID);
    return calls;
  };
  const by = (userId: string) =>
    ["callback-1", "callback-4"].map((callback) => ["executions.complete", callback, { decision: "cancel", userId }]);
  const stopped = course({ paused: { by: "U0OLIVIA", at: AT, why: "" } });
  expect(await woken({ rollout: stopped })).toEqual(by("U0OLIVIA"));
  expect(await woken({ rollout: stopped, cancelledBy: "U0BEN" })).toEqual(by("U0BEN"));
  expect(await woken({ rollout: paused })).toEqual(by(BY_ITSELF));
  expect(await woken({ rollout: undefined })).toEqual(by(BY_ITSELF));
});

/** Begins nodes of the rollout. */
async function begun(nodes: readonly NodeRecord[], start: readonly number[], continues?: number) {
  const { steps, calls, seen } = world({ nodes });
  const given = { operation: ID, request, ...(continues === undefined ? {} : { continues }), asker: null } as never;
  await beginNodes({ steps, start: given }, seen, { start });
  return calls;
}

const started = (index: number, name: number, part = `uid-${name}`): Call => [
  "executions.start",
  "reboot-node",
  expect.any(String),
  {
    ...{ operation: ID, asker: null, request: { command: "reboot", node: `web-${name}`, dryRun: false } },
    part: { index, uid: part, throughEc2: name === 3 },
  },
];

test("a node is recorded as running before its execution starts", async () => {
  const at = new Date(NOW).toISOString();
  expect(await begun([], [1, 3], 2)).toEqual([
    ["ledger.recordNode", { ...newNodeRecord("reboot", ID, 1, at), nodeName: "web-1", instanceId: null }],
    ["ledger.changeNode", ID, 1, { status: "running", startedAt: at, stageSince: at }],
    started(1, 1),
    ["ledger.recordNode", { ...newNodeRecord("reboot", ID, 3, at), nodeName: "web-3", instanceId: null }],
    ["ledger.changeNode", ID, 3, { status: "running", startedAt: at, stageSince: at }],
    started(3, 3),
  ]);
});

test("a node that was restored begins again under a new index, with the instance that is known", async () => {
  const nodes = [node(1, { status: "cancelled", instanceId: "i-1" }), node(2, { status: "cancelled" })];
  const calls = await begun(nodes, [1]);
  expect(calls.map(([verb]) => verb)).toEqual([
    "rollouts.change",
    "ledger.recordNode",
    "ledger.changeNode",
    "executions.start",
  ]);
  expect(calls[0]?.[2]).toEqual({ nodes: [{ ...named(1)[0], index: 4 }, ...named(2, 3)] });
  expect(calls[1]?.[1]).toMatchObject({ index: 4, nodeName: "web-1", instanceId: "i-1" });
  expect(calls[3]).toEqual(started(4, 1));
});

test("a start that no execution has heard is repeated under the same name, and nothing else is", async () => {
  const nodes = [
    node(1, { status: "running", executionArn: null }),
    node(2, { status: "running" }),
    node(3, { status: "queued", executionArn: null }),
  ];
  const calls = await begun(nodes, []);
  expect(calls).toEqual([started(1, 1)]);
  expect((await begun(nodes, [])).at(0)?.[2]).toBe(calls[0]?.[2]);
});

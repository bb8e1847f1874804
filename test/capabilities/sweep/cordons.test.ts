import { expect, test } from "vitest";
import {
  clearUncordoned,
  giveBackLeft,
  leftCordons,
  tellGivenBack,
} from "../../../lambdas/capabilities/sweep/cordons.ts";
import { giveBackLostNode } from "../../../lambdas/change/node/lost-node.ts";
import { OUT_OF_BALANCERS, QUARANTINED } from "../../../lambdas/cluster/node-keys.ts";
import { Retryable } from "../../../lambdas/errors.ts";
import type { NodeRecord, OperationRecord } from "../../../lambdas/records/records.ts";
import type { OpenCordon } from "../../../lambdas/steps/ledger/cordons.ts";
import { answers, recorded } from "../../engine/recorded.ts";
import { nodeRecord, operationRecord } from "../../messages/records.ts";

const AT = "2026-11-21T14:00:00.000Z";
const ID = "i-0ab12cd34ef567890";
const cordon: OpenCordon = {
  ...{ node: "web-1", uid: "uid-1", instanceId: ID, operation: "reboot-1", index: 0, at: AT, wasUnschedulable: false },
  adds: { taints: [], annotations: { "casement.dev/cordoned-by": "reboot-1" }, labels: {} },
};

interface Scene {
  readonly operation?: Partial<OperationRecord> | null;
  readonly node?: Partial<NodeRecord> | null;
  readonly cordon?: Partial<OpenCordon>;
  readonly machine?: object | null;
  readonly ending?: string | null | Error;
  readonly isCordoned?: boolean;
  readonly uid?: string;
  readonly slack?: Error;
}

function world(scene: Scene) {
  const operation = operationRecord({
    id: "reboot-1",
    messageTs: "1.0",
    audit: { sequence: 1, hash: "" },
    ...scene.operation,
  } as never);
  const node = nodeRecord({
    operation: "reboot-1",
    index: 0,
    workflow: "reboot" as never,
    stage: "evict",
    executionArn: "arn:node",
    ...scene.node,
  });
  const record = { ...cordon, ...scene.cordon };
  const kube = {
    metadata: { name: "web-1", uid: scene.uid ?? "uid-1", annotations: cordon.adds.annotations },
    spec: { unschedulable: scene.isCordoned ?? true },
  };
  const { steps, calls } = recorded(
    {
      ledger: {
        operation: answers(scene.operation === null ? undefined : operation),
        nodes: answers(scene.node === null ? [] : [node]),
      },
      cordons: {
        open: answers([record]),
        find: answers(record),
        plan: answers(true),
        settle: async (_record: object, outcome: string) => ({ outcome }),
      },
      executions: {
        ending: async () => {
          if (scene.ending instanceof Error) throw scene.ending;
          return scene.ending === undefined ? "STOPPED" : scene.ending;
        },
      },
      instances: {
        describe: answers(scene.machine === null ? undefined : { instanceId: ID, state: "running", ...scene.machine }),
      },
      nodes: { read: answers(kube), announce: answers() },
    },
    {
      nodes: { change: answers() },
      cordons: { keep: answers(), close: answers(), forget: answers() },
      audit: { append: answers() },
      thread: {
        post: async () => {
          if (scene.slack) throw scene.slack;
        },
      },
    },
  );
  return { steps, calls, record, node };
}

const denied = Object.assign(new Error("not authorized to perform lambda:GetDurableExecution"), {
  name: "AccessDeniedException",
});

test.for<[string, Scene, boolean]>([
  ["the operation and the node still run", {}, false],
  ["the operation has ended", { operation: { endedAt: AT } }, true],
  ["the node has ended", { node: { endedAt: AT } }, true],
  ["the operation has ended, and the node's execution runs", { operation: { endedAt: AT }, ending: null }, false],
  ["the operation's record has expired", { operation: null, node: null }, true],
  ["the operation has ended before an execution began", { operation: { endedAt: AT }, node: null, ending: null }, true],
  [
    "the operation has ended, and its own execution runs",
    { operation: { endedAt: AT, executionArn: "arn:1" }, node: null, ending: null },
    false,
  ],
  ["Lambda refuses to show the execution", { operation: { endedAt: AT }, ending: denied }, false],
])("a cordon is left where %s: %s", async ([, scene, isLeft]) => {
  expect(await leftCordons(world(scene).steps)).toHaveLength(isLeft ? 1 : 0);
});

test("a defect while executions are asked is not taken for one that runs", async () => {
  await expect(leftCordons(world({ operation: { endedAt: AT }, ending: new Error("a defect") }).steps)).rejects.toThrow(
    "a defect",
  );
});

test.for<[string, Scene, string]>([
  ["before its reboot", {}, "uncordoned"],
  ["after its reboot was ordered", { node: { stage: "reboot" } }, "unproven"],
  ["after its services were restarted", { node: { stage: "restart" } }, "unproven"],
  ["before its reboot was proven", { node: { stage: "prove" } }, "unproven"],
  ["in another proof", { node: { stage: "prove", workflow: "proving" as never } }, "uncordoned"],
  ["in a proof of a cordon that was kept", { node: { stage: "prove" }, cordon: { keptAt: AT } as never }, "uncordoned"],
  [
    "before its reboot was proven, and EC2 terminates it",
    { node: { stage: "prove" }, machine: { state: "shutting-down" } },
    "terminating",
  ],
  [
    "before its reboot was proven, and its instance is gone",
    { node: { stage: "prove" }, machine: null },
    "terminating",
  ],
  [
    "before its reboot was proven, and somebody uncordoned it",
    { node: { stage: "prove" }, isCordoned: false },
    "schedulable",
  ],
  ["before its reboot was proven, and a new Node has its name", { node: { stage: "prove" }, uid: "uid-2" }, "replaced"],
  ["without a record of its work", { node: null }, "uncordoned"],
])("a node whose execution was lost %s is given back as: %s", async ([, scene, outcome]) => {
  const { steps, record } = world(scene);
  expect(await giveBackLeft(steps, record)).toBe(outcome);
});

test("the cordon of a lost node whose reboot is not proven waits for a proof of any boot", async () => {
  const { steps, calls, node } = world({ node: { stage: "prove", instanceId: ID } });
  expect(await giveBackLostNode(steps, node)).toEqual({
    machine: { instanceId: ID, state: "running" },
    cordon: "unproven",
  });
  expect(calls).toEqual([["cordons.keep", "uid-1", "reboot-1", { before: null }]]);
});

test("a lost node without an instance, or without a cordon, gives nothing back", async () => {
  const none = world({ node: { instanceId: null } });
  expect(await giveBackLostNode(none.steps, none.node)).toEqual({ machine: undefined, cordon: null });
  const other = world({ cordon: { index: 1 }, isCordoned: false });
  expect(await giveBackLostNode(other.steps, { ...other.node, nodeName: "web-1" })).toMatchObject({ cordon: null });
  expect([...none.calls, ...other.calls]).toEqual([]);
});

const entry = (change: string, outcome: string) => [
  ...["audit.append", { operation: "reboot-1" }, "sweep uid-1"],
  {
    ...{ what: "changed", by: { rule: "sweep" }, node: { name: "web-1", uid: "uid-1", instanceId: ID } },
    detail: { change, outcome },
  },
];

test.for<["uncordoned" | "unproven", string, readonly unknown[]]>([
  ["uncordoned", "give back the cordon", ["cordons.close", "uid-1", "reboot-1"]],
  ["unproven", "keep the cordon", ["cordons.keep", "uid-1", "reboot-1", { before: null }]],
])(
  "the thread and the audit say that a cordon is %s, before the record is closed or kept",
  async ([outcome, change, last]) => {
    const { steps, calls, record } = world({});
    await tellGivenBack(steps, record, outcome);
    expect(calls).toEqual([
      [
        "thread.post",
        "C0WINDOWS",
        expect.objectContaining({ text: expect.stringContaining("web-1") }),
        "cordon uid-1 reboot-1",
        "1.0",
      ],
      entry(change, outcome),
      last,
    ]);
  },
);

test("a message that Slack refuses for good stops nothing, and one that it does not take now is tried again", async () => {
  const refused = world({ slack: new Error("channel_not_found") });
  await tellGivenBack(refused.steps, refused.record, "uncordoned");
  expect(refused.calls.map(([verb]) => verb)).toEqual(["thread.post", "audit.append", "cordons.close"]);
  const busy = world({ slack: new Retryable("Slack is busy") });
  await expect(tellGivenBack(busy.steps, busy.record, "uncordoned")).rejects.toThrow("Slack is busy");
  expect(busy.calls.map(([verb]) => verb)).toEqual(["thread.post"]);
});

test("a cordon of an operation without an audit, or without a record, has no entry", async () => {
  for (const [operation, verbs] of [
    [{ audit: undefined }, ["thread.post", "cordons.close"]],
    [null, ["cordons.close"]],
  ] as const) {
    const { steps, calls, record } = world({ operation });
    await tellGivenBack(steps, record, "uncordoned");
    expect(calls.map(([verb]) => verb)).toEqual(verbs);
  }
});

/** Looks at one Node of the cluster. */
async function cleared(node: object, record: object | undefined) {
  const { steps, calls } = world({});
  Object.assign(steps.cordons, { find: async () => record });
  await clearUncordoned(steps, [node as never]);
  return calls;
}

test("marks go from a kept node that somebody uncordoned, and from no other", async () => {
  const node = (spec: object, annotations: object = cordon.adds.annotations) => ({
    metadata: { name: "web-1", uid: "uid-1", annotations },
    spec,
  });
  const kept = { ...cordon, keptAt: AT };
  expect(await cleared(node({}), kept)).toEqual([
    [
      "nodes.change",
      node({}),
      expect.objectContaining({
        metadata: expect.objectContaining({ annotations: { "casement.dev/cordoned-by": null } }),
      }),
    ],
    ["cordons.forget", "uid-1"],
  ]);
  expect(await cleared(node({ unschedulable: true }), kept)).toEqual([]);
  expect(await cleared(node({}, {}), kept)).toEqual([]);
  expect(await cleared(node({}), undefined)).toEqual([]);
  expect(await cleared(node({}), cordon)).toEqual([]);
});

test("marks go from a node that somebody uncordoned though its reboot is unproven, and its record stays", async () => {
  const adds = { ...cordon.adds, labels: { [OUT_OF_BALANCERS]: "true" } };
  const kept = { ...cordon, adds, keptAt: AT, unproven: { isQuarantined: true } };
  const node = (labels: object) => ({
    metadata: { name: "web-1", uid: "uid-1", annotations: adds.annotations, labels: { ...adds.labels, ...labels } },
    spec: {},
  });
  expect(await cleared(node({}), kept)).toEqual([
    [
      "nodes.change",
      node({}),
      expect.objectContaining({ metadata: expect.objectContaining({ labels: { [OUT_OF_BALANCERS]: null } }) }),
    ],
  ]);
  expect(await cleared(node({ [QUARANTINED]: "true" }), kept)).toEqual([]);
});

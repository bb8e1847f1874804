import { ApiException } from "@kubernetes/client-node";
import { describe, expect, it } from "vitest";
import { type CordonTarget, giveBackCordon, putCordon } from "../../../lambdas/change/node/cordon.ts";
import { takeOverLeftWork } from "../../../lambdas/change/node/settle.ts";
import { CORDONED_BY, OUT_OF_BALANCERS } from "../../../lambdas/cluster/node-keys.ts";
import { Retryable } from "../../../lambdas/errors.ts";
import { keptCordoned } from "../../../lambdas/messages/node/cordon.ts";
import type { LeftNode } from "../../../lambdas/records/left-node.ts";
import type { OpenCordon } from "../../../lambdas/steps/ledger/cordons.ts";
import type { Steps } from "../../../lambdas/steps/steps.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { answers, recorded } from "../../engine/recorded.ts";
import { decidingRecord, operationRecord } from "../../messages/records.ts";

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

const NAME = "ip-10-0-3-7";
const target: CordonTarget = {
  node: NAME,
  uid: "uid-1",
  instanceId: record.instanceId,
  operation: "remove-1",
  index: 0,
};
const AT = "2026-11-21T14:00:00.000Z";

interface Marks {
  readonly uid?: string;
  readonly by?: string;
  readonly label?: string;
  readonly isCordoned?: boolean;
}

const nodeWith = ({ uid = "uid-1", by, label, isCordoned = false }: Marks = {}) => ({
  metadata: {
    ...{ name: NAME, uid },
    annotations: by === undefined ? {} : { [CORDONED_BY]: by },
    labels: label === undefined ? {} : { [OUT_OF_BALANCERS]: label },
  },
  spec: { unschedulable: isCordoned },
});

/** Work on a node whose cordon `drain-1` has left to a person, as its record says. @returns what is written there */
async function writtenAtDrain(left: LeftNode, work: (steps: Steps, kept: object) => Promise<unknown>) {
  const kept = { ...record, operation: "drain-1", keptAt: AT };
  const { steps, calls } = recorded(
    {
      cordons: {
        find: answers({ ...record, operation: "reboot-1", wasUnschedulable: true, kept }),
        settle: answers({ outcome: "as-before" }),
      },
      nodes: { read: answers(nodeWith({ by: "drain-1", isCordoned: true })) },
      ledger: {
        operation: async (id: string) => operationRecord({ id, endedAt: null }),
        nodes: async (operation: string) => [{ ...decidingRecord({ operation, index: 0 }), ...left }],
      },
    },
    { ledger: { noteOnNode: answers(), leaveNode: answers() } },
  );
  await work(steps, kept);
  return calls;
}

describe("A cordon that an earlier drain had left to a person", () => {
  const giveBack = (steps: Steps) => giveBackCordon(steps, "uid-1", "reboot-1", false);

  it("waits for that person again when the operation that took its node over leaves it as before", async () => {
    const taken = { takenOverBy: "reboot-1" };
    expect(await writtenAtDrain(taken, giveBack)).toEqual([["ledger.leaveNode", "drain-1", 0]]);
  });

  it("stays decided after a later operation when a person had decided before", async () => {
    const kept = { settled: keptCordoned("U0OPERATOR") };
    const takeOver = (steps: Steps, left: object) => takeOverLeftWork(steps, left as OpenCordon, "reboot-1");
    expect(await writtenAtDrain(kept, takeOver)).toEqual([]);
    expect(await writtenAtDrain(kept, giveBack)).toEqual([]);
    expect(await writtenAtDrain({}, takeOver)).toEqual([
      ["ledger.noteOnNode", "drain-1", 0, { takenOverBy: "reboot-1" }],
    ]);
  });
});

/** Cordons a Node whose answers change after the first one. @returns the calls that wrote, or the error */
async function cordoned(given: CordonTarget, reads: readonly (object | undefined)[], open?: object) {
  let read = 0;
  const { steps, calls } = recorded(
    {
      cordons: { find: answers(open) },
      nodes: { read: async () => reads[Math.min(read++, reads.length - 1)] },
      ledger: { operation: answers(undefined), nodes: answers([]) },
    },
    {
      cordons: { own: async (owned: object) => owned },
      nodes: { change: answers(), announce: answers() },
    },
  );
  const error = await putCordon(steps, given).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { calls, error };
}

const ownedWith = (annotations: object, labels: object, wasUnschedulable: boolean) => ({
  ...{ node: NAME, uid: "uid-1", instanceId: record.instanceId, operation: "remove-1", index: 0 },
  ...{ wasUnschedulable, adds: { taints: [], annotations, labels } },
});
const annotations = { [CORDONED_BY]: "remove-1" };
const out = { [OUT_OF_BALANCERS]: "true" };

describe("A cordon that is put on a node", () => {
  const after = nodeWith({ by: "remove-1", isCordoned: true });

  it.each([
    [false, {}],
    [true, out],
  ])(
    "is recorded before the Node is changed, and has an Event; out of the load balancers: %s",
    async (takesOut, labels) => {
      const { calls, error } = await cordoned({ ...target, takesOut }, [nodeWith(), after]);
      const patch = { metadata: { annotations, labels }, spec: { unschedulable: true } };
      expect({ calls, error }).toEqual({
        calls: [
          ["cordons.own", ownedWith(annotations, labels, false)],
          ["nodes.change", nodeWith(), patch],
          ["nodes.announce", { name: NAME, uid: "uid-1" }, "Normal", "CasementCordoned", "cordoned by remove-1"],
        ],
        error: null,
      });
    },
  );

  it.each<readonly [string, object | undefined]>([
    ["that was deleted", undefined],
    ["whose name another one has", nodeWith({ uid: "uid-2" })],
  ])("changes no Node %s", async (_which, node) => {
    expect(await cordoned(target, [node])).toEqual({ calls: [], error: null });
  });

  it("that the operation has put on already is put on once", async () => {
    const open = { ...record, at: AT };
    expect(await cordoned(target, [after], open)).toEqual({ calls: [], error: null });
    const again = await cordoned(target, [nodeWith(), after], open);
    expect(again.calls.map(([verb]) => verb)).toEqual(["cordons.own", "nodes.change", "nodes.announce"]);
    const other = await cordoned({ ...target, operation: "remove-2" }, [after, after], open);
    expect(other.calls[0]).toMatchObject(["cordons.own", { operation: "remove-2", wasUnschedulable: false }]);
  });

  it("that is not seen afterwards is looked for again", async () => {
    const { calls, error } = await cordoned(target, [nodeWith()]);
    expect(error).toEqual(new Retryable(`the cordon of ${NAME} is not seen yet`));
    expect(calls.map(([verb]) => verb)).toEqual(["cordons.own", "nodes.change"]);
  });

  it.each([undefined, nodeWith({ uid: "uid-2" })])("is done when its Node has gone meanwhile", async (later) => {
    expect((await cordoned(target, [nodeWith(), later])).error).toBeNull();
  });
});

describe("A node that others have cordoned", () => {
  const theirs = nodeWith({ isCordoned: true });

  it("stays theirs: it gets no mark and no Event", async () => {
    expect(await cordoned(target, [theirs])).toEqual({
      calls: [["cordons.own", ownedWith({}, {}, true)]],
      error: null,
    });
  });

  it("gets the label that takes it out of the load balancers alone", async () => {
    expect((await cordoned({ ...target, takesOut: true }, [theirs])).calls).toEqual([
      ["cordons.own", ownedWith({}, out, true)],
      ["nodes.change", theirs, { metadata: { labels: out } }],
    ]);
  });

  it("keeps a label of others, which is not recorded as the operation's", async () => {
    const labelled = nodeWith({ isCordoned: true, label: "theirs" });
    expect((await cordoned({ ...target, takesOut: true }, [labelled])).calls).toEqual([
      ["cordons.own", ownedWith({}, {}, true)],
    ]);
  });

  it("keeps the operation's own label, which is not written again", async () => {
    const labelled = nodeWith({ isCordoned: true, label: "true" });
    const open = { ...record, at: AT, adds: { taints: [], annotations: {}, labels: out } };
    expect((await cordoned({ ...target, takesOut: true }, [labelled], open)).calls).toEqual([
      ["cordons.own", ownedWith({}, out, true)],
    ]);
  });
});

describe("A node that an earlier operation left cordoned and out of the load balancers", () => {
  it("stays out of them: a later operation does not record the label as its own", async () => {
    const left = nodeWith({ isCordoned: true, label: "true", by: "drain-1" });
    const open = {
      ...record,
      operation: "drain-1",
      at: AT,
      keptAt: AT,
      adds: { taints: [], annotations: {}, labels: out },
    };
    expect((await cordoned({ ...target, takesOut: true }, [left], open)).calls).toEqual([
      ["cordons.own", ownedWith({}, {}, true)],
    ]);
  });
});

describe("What was cordoned for an operation", () => {
  /** Gives it back. @returns the outcome or the error, and the calls that wrote */
  async function back(
    open: object | undefined,
    node: object | undefined,
    { isEnding = false, isPlanned = true }: { readonly isEnding?: boolean; readonly isPlanned?: boolean } = {},
  ) {
    const { steps, calls } = recorded(
      { cordons: { find: answers(open) }, nodes: { read: answers(node) } },
      {
        cordons: {
          plan: answers(isPlanned),
          settle: async (settled: object, outcome: string) => ({ ...settled, outcome }),
        },
        nodes: { change: answers(), announce: answers() },
      },
    );
    const outcome = await giveBackCordon(steps, "uid-1", "remove-1", isEnding).catch((error: unknown) => error);
    return { outcome, calls: calls.map(([verb, ...rest]) => [verb, ...rest.slice(1)]) };
  }

  const open = { ...record, at: AT, outcome: undefined, planned: undefined };
  const own = nodeWith({ by: "remove-1", isCordoned: true });

  it("is planned, undone, announced and settled, in this order", async () => {
    const patch = { metadata: { annotations: { [CORDONED_BY]: null }, labels: {} }, spec: { unschedulable: null } };
    const words = "remove-1 has ended: the node is schedulable again; evicted pods stay where they are now";
    expect(await back(open, own)).toEqual({
      outcome: "uncordoned",
      calls: [
        ["cordons.plan", "uncordoned"],
        ["nodes.change", patch],
        ["nodes.announce", "Normal", "CasementUncordoned", words],
        ["cordons.settle", "uncordoned"],
      ],
    });
  });

  it("is nothing without a record of this operation", async () => {
    expect(await back(undefined, own)).toEqual({ outcome: null, calls: [] });
    expect(await back({ ...open, operation: "remove-2" }, own)).toEqual({ outcome: null, calls: [] });
  });

  it("is settled once", async () => {
    expect(await back({ ...open, outcome: "as-before" }, own)).toEqual({ outcome: "as-before", calls: [] });
  });

  it("stays as it is while EC2 terminates the instance", async () => {
    const { outcome, calls } = await back(open, own, { isEnding: true });
    expect(outcome).toBe("terminating");
    expect(calls.map(([verb]) => verb)).toEqual(["nodes.announce", "cordons.settle"]);
  });

  it.each<readonly [string, object | undefined]>([
    ["deleted", undefined],
    ["replaced", nodeWith({ uid: "uid-2" })],
  ])("has no Event where the Node was %s, also while EC2 terminates the instance", async (outcome, node) => {
    const settled = { outcome, calls: [["cordons.settle", outcome]] };
    expect(await back(open, node)).toEqual(settled);
    expect(await back(open, node, { isEnding: true })).toEqual(settled);
  });

  it("needs no change of a Node that others have uncordoned and cleared", async () => {
    const { outcome, calls } = await back({ ...open, adds: { ...open.adds, annotations: {} } }, nodeWith());
    expect(outcome).toBe("schedulable");
    expect(calls.map(([verb]) => verb)).toEqual(["nodes.announce", "cordons.settle"]);
  });

  it("is left to another operation that has the record now", async () => {
    const { outcome, calls } = await back(open, own, { isPlanned: false });
    expect(outcome).toEqual(new Retryable(`another operation has ${NAME} now`));
    expect(calls.map(([verb]) => verb)).toEqual(["cordons.plan"]);
  });
});

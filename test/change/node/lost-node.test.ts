import { describe, expect, test } from "vitest";
import { closeLostNode, type LostNode, ownStartUpTaint } from "../../../lambdas/change/node/lost-node.ts";
import { CORDONED_BY, startingTaint } from "../../../lambdas/cluster/node-keys.ts";
import type { NodeRecord } from "../../../lambdas/records/records.ts";
import { answers, recorded } from "../../engine/recorded.ts";
import { nodeRecord } from "../../messages/records.ts";

const NOW = Date.parse("2026-11-21T14:30:00.000Z");
const AT = "2026-11-21T14:30:00.000Z";
const I = "i-0ab12cd34ef567890";
const why = { why: "its execution was stopped", code: "execution-lost" } as never;

const machineIn = (state: string) => ({ machine: { state } as LostNode["machine"], cordon: null });

/** Services of which each had something that the node held, or nothing. */
const holding = (held: boolean, approval: { readonly state: string } | null = null) =>
  recorded(
    { machines: { assistance: { of: answers(approval) } } },
    {
      joinSecret: { remove: answers() },
      joinSlots: { giveBack: answers(held) },
      slots: { release: answers(held) },
      leases: { releaseOwned: answers(held) },
      ledger: { changeNode: answers() },
    },
    NOW,
  );

/** Closes a node. @returns what was released, the change of its record, and the calls before it */
async function closed(fields: Partial<NodeRecord>, found: LostNode | null, held = false) {
  const { steps, calls } = holding(held);
  const released = await closeLostNode(steps, nodeRecord(fields), why, found);
  const [verb, operation, index, change] = calls.at(-1) ?? [];
  expect([verb, operation, index]).toEqual(["ledger.changeNode", "add-3f9c2a71", 0]);
  return { released, change, calls: calls.slice(0, -1) };
}

describe("A node whose execution was lost", () => {
  test("gives back everything that it held, and ends", async () => {
    const { released, change, calls } = await closed({ stage: "configure" }, null, true);
    expect(released).toEqual(["the join slot", "the slot in its pool", "the join secret", `the lease on \`${I}\``]);
    expect(calls).toEqual([
      ["joinSecret.remove", I],
      ["joinSlots.giveBack", "add-3f9c2a71:0"],
      ["slots.release", "add-3f9c2a71:0"],
      ["leases.releaseOwned", I, "add-3f9c2a71:0"],
    ]);
    const left = `instance ${I} was left as is`;
    expect(change).toEqual({
      status: "failed",
      failure: { stage: "configure", ...(why as object), left },
      waitsFor: null,
      endedAt: AT,
      keptAt: AT,
      outcome: left,
      callbacks: {},
    });
  });

  test("without an instance has no secret and no lease, and failed at the launch", async () => {
    const { released, change, calls } = await closed({ instanceId: null, stage: null }, null, true);
    expect(released).toEqual(["the join slot", "the slot in its pool"]);
    expect(calls.map(([verb]) => verb)).toEqual(["joinSlots.giveBack", "slots.release"]);
    expect(change).toMatchObject({ failure: { stage: "launch" }, outcome: "no instance was launched" });
    expect(change).not.toHaveProperty("keptAt");
  });

  test("that held nothing releases nothing, though its secret is deleted", async () => {
    const { released, calls } = await closed({ stage: "features" }, null);
    expect(released).toEqual([]);
    expect(calls[0]).toEqual(["joinSecret.remove", I]);
  });

  test.each([
    ["features", false],
    ["configure", true],
    ["client-csr", true],
    ["node", true],
    ["serving-csr", true],
    ["network", true],
    ["ready", true],
    ["verify", true],
    ["probe", true],
    ["admit", true],
    [null, false],
  ] as const)("at the stage %s may have a join secret: %s", async (stage, mayHave) => {
    const { released } = await closed({ stage }, null);
    expect(released).toEqual(mayHave ? ["the join secret"] : []);
  });

  test.each<readonly [string, Partial<NodeRecord>, LostNode | null, string]>([
    ["that was not read", {}, null, `instance ${I} was left as is`],
    ["that runs", {}, machineIn("running"), `instance ${I} was left as is`],
    ["that is stopped", {}, machineIn("stopped"), `instance ${I} was left as is`],
    ["that is shutting down", {}, machineIn("shutting-down"), `instance ${I} is shutting-down`],
    ["that EC2 forgot", {}, { machine: undefined, cordon: null }, `instance ${I} is terminated`],
    [
      "whose cordon was given back",
      { nodeName: "win-1" },
      { ...machineIn("running"), cordon: "as-before" },
      `instance ${I} was left as is; the node is cordoned, as it was before`,
    ],
    [
      "whose Node names another owner",
      { nodeName: "win-1" },
      { ...machineIn("running"), cordon: "another-owner" },
      `instance ${I} was left as is; the node stays cordoned, because \`casement.dev/cordoned-by\` names another owner; see \`kubectl describe node win-1\``,
    ],
    [
      "that ends with its Node",
      { nodeName: "win-1" },
      { machine: undefined, cordon: "deleted" },
      `instance ${I} is terminated; its Node no longer exists`,
    ],
  ])("says of a machine %s how it is left", async (_which, fields, found, outcome) => {
    expect((await closed(fields, found)).change).toMatchObject({ outcome, failure: { left: outcome } });
  });

  test("says of an unproven reboot how the node comes back", async () => {
    const found = { ...machineIn("running"), cordon: "unproven" } as const;
    const { change } = await closed({ nodeName: "win-1", workflow: "reboot" }, found);
    expect((change as { outcome: string }).outcome).toMatch(/^instance \S+ was left as is; .*win-1/);
  });

  test.each<readonly [string, Partial<NodeRecord>, LostNode | null, boolean]>([
    ["is set up and runs", { workflow: "provision" }, machineIn("running"), true],
    ["is set up and was not read", { workflow: "provision" }, null, true],
    ["is set up and has ended", { workflow: "provision" }, machineIn("terminated"), false],
    ["is set up and has no instance", { workflow: "provision", instanceId: null }, null, false],
    ["is in service", { workflow: "reboot" }, machineIn("running"), false],
    ["has a stage and no workflow", { workflow: undefined as never }, null, true],
    ["has neither stage nor workflow", { workflow: undefined as never, stage: null }, null, false],
  ])("whose machine %s is kept for inspection: %s", async (_which, fields, found, isKept) => {
    const { change } = await closed(fields, found);
    expect("keptAt" in (change as object)).toBe(isKept);
  });

  const assisting = { workflow: "assisting", nodeName: "win-1" } as const;
  test.each<readonly [Partial<NodeRecord>, { readonly state: string } | null, string]>([
    [assisting, { state: "assisted" }, "win-1 is assisted; `{win} assist win-1 --end` ends it"],
    [assisting, null, "no approval is left, so that the machine is not assisted"],
    [{ ...assisting, nodeName: null }, { state: "assisted" }, `instance ${I} was left as is`],
    [{ ...assisting, instanceId: null }, { state: "assisted" }, "no instance was launched"],
    [{ ...assisting, workflow: "reboot" }, { state: "assisted" }, `instance ${I} was left as is`],
  ])("of an assistance is left as its approval says: %o, %o", async (fields, approval, outcome) => {
    const { steps, calls } = holding(false, approval);
    await closeLostNode(steps, nodeRecord(fields), why, null);
    expect(calls.at(-1)?.at(-1)).toMatchObject({ outcome });
  });

  test("of an unfinished assistance names both commands", async () => {
    const { steps, calls } = holding(false, { state: "approved" });
    await closeLostNode(steps, nodeRecord(assisting), why, null);
    expect(calls.at(-1)?.at(-1)).toMatchObject({
      outcome: expect.stringMatching(/^guard and tag may be on its machine, .*`\{win\} assist win-1` asks/),
    });
  });
});

describe("The start-up taint of a lost machine", () => {
  const taint = { key: startingTaint.key, effect: "NoSchedule", timeAdded: "2026-11-21T14:00:00Z" };
  const nodeWith = (more: object = {}, name = "win-1", instanceId = I) => ({
    metadata: { name, uid: `uid-${name}`, annotations: { [CORDONED_BY]: "x" } },
    spec: {
      providerID: `aws:///us-west-2a/${instanceId}`,
      taints: [{ key: "os", effect: "NoSchedule" }, taint],
      ...more,
    },
  });

  /** Records it. @returns the record, and what the ledger was given */
  async function owned(fields: Partial<NodeRecord>, nodes: readonly object[], open?: object) {
    const { steps, calls } = recorded(
      {
        nodes: {
          read: async (name: string) =>
            nodes.find((node) => (node as { metadata: { name: string } }).metadata.name === name),
          all: answers(nodes),
        },
        cordons: { find: answers(open) },
      },
      { cordons: { own: async (cordon: object) => cordon } },
    );
    const found = await ownStartUpTaint(steps, nodeRecord({ nodeName: "win-1", ...fields }));
    return { found, written: calls.length };
  }

  const record = {
    node: "win-1",
    uid: "uid-win-1",
    instanceId: I,
    operation: "add-3f9c2a71",
    index: 0,
    wasUnschedulable: false,
    adds: { taints: [{ key: startingTaint.key, value: "", effect: "NoSchedule" }], annotations: {}, labels: {} },
  };

  test("is recorded with the state of its Node", async () => {
    expect(await owned({}, [nodeWith()])).toEqual({ found: record, written: 1 });
    const cordoned = await owned({}, [nodeWith({ unschedulable: true })]);
    expect(cordoned.found).toEqual({ ...record, wasUnschedulable: true });
  });

  test("is found by the instance where the record has no name", async () => {
    const nodes = [nodeWith({}, "win-0", "i-other"), nodeWith()];
    expect((await owned({ nodeName: null }, nodes)).found).toEqual(record);
  });

  test("is recorded once", async () => {
    const open = { ...record, at: AT };
    expect(await owned({}, [nodeWith()], open)).toEqual({ found: open, written: 0 });
  });

  test.each<readonly [string, Partial<NodeRecord>, readonly object[]]>([
    ["instance", { instanceId: null }, [nodeWith()]],
    ["Node", {}, []],
    ["Node of its instance", {}, [nodeWith({}, "win-1", "i-other")]],
    ["taint", {}, [nodeWith({ taints: [{ key: "os", effect: "NoSchedule" }] })]],
    ["taints at all", {}, [nodeWith({ taints: undefined })]],
    ["uid", {}, [{ ...nodeWith(), metadata: { name: "win-1" } }]],
  ])("is not recorded without its %s", async (_what, fields, nodes) => {
    expect(await owned(fields, nodes)).toEqual({ found: undefined, written: 0 });
  });
});

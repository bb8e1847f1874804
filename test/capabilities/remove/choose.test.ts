import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChosenMachine, choose, chooseAllowed, refuse } from "../../../lambdas/capabilities/remove/choose.ts";
import type { Op } from "../../../lambdas/change/operation/op.ts";
import type { Message } from "../../../lambdas/records/records.ts";
import type { Machine } from "../../../lambdas/steps/ec2/instances.ts";
import { TAG } from "../../../lambdas/tags.ts";
import { run, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";
import { operationRecord } from "../../messages/records.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";
import { machineOf, nodeFor } from "../reboot-watch/posted.ts";

beforeAll(setUp);
afterAll(tearDown);

const ID = "i-0ab12cd34ef567890";
const ours = {
  [TAG.pool]: "web",
  [TAG.launched]: "true",
  [TAG.cluster]: "prod-west",
  [TAG.operation]: "add-1",
} as Machine["tags"];
const own = (instanceId: string, more: Partial<Machine> = {}): Machine =>
  machineOf(instanceId, { tags: ours, privateDnsName: "win-1", ...more });

interface Scene {
  readonly nodes?: readonly object[];
  readonly machines?: readonly Machine[];
  readonly holder?: string;
  readonly isProtected?: boolean;
  readonly isDryRun?: boolean;
  readonly isDialogClosed?: boolean;
}

/** A cluster with one node in service, of which a test changes what it cares for. */
function world(scene: Scene = {}) {
  const { nodes = [nodeFor("win-1", ID)], machines = [own(ID)], holder, isProtected = false } = scene;
  const did: string[] = [];
  const request = { command: "remove", node: "win-1", dryRun: scene.isDryRun ?? false };
  const asker = { userId: "U0OPERATOR", userName: "olivia", channel: "C0" };
  const steps = verbs({
    runtime: {
      read: async () => ({ version: "1", configuration: configurationWith() }),
      rules: async () => ({ people: {}, policy: { remove: [] } }),
    },
    nodes: { all: async () => nodes, pods: async () => [] },
    stops: { over: async () => null },
    claims: { all: async () => [] },
    leases: { holder: async () => holder },
    instances: {
      describe: async (id: string) => machines.find(({ instanceId }) => instanceId === id),
      ofCluster: async () => machines,
      isProtected: async (id: string) => {
        did.push(`is ${id} protected`);
        return isProtected;
      },
    },
    plan: { outlook: async () => ({ pods: [], blockers: [], longJobs: [] }) },
    ledger: {
      changeOperation: async (id: string, change: object) => void did.push(`${id} ${JSON.stringify(change)}`),
      operation: async (id: string) => operationRecord({ id, channel: "C0REMOVALS" }),
    },
    thread: {
      fillDialog: async (dialog: string) => {
        did.push(`fill ${dialog}`);
        return scene.isDialogClosed !== true;
      },
      post: async (channel: string, { text }: Message, mark: string) =>
        void did.push(`post ${channel} ${mark}: ${text}`),
    },
    answers: {
      give: async (id: string, { userId }: { userId: string }, { text }: Message) =>
        void did.push(`tell ${userId} of ${id}: ${text}`),
    },
  });
  const start = { operation: "remove-1", request, asker };
  return { op: { steps, start, settings: { runtimeVersion: "1" } } as unknown as Op, did };
}

/** Write of the node that was found, and of its pool. */
const named = (pool: string | null): string => `remove-1 ${JSON.stringify({ inPool: pool, nodeName: "win-1" })}`;

const chosen = (scene: Scene, named = "win-1"): Promise<ChosenMachine> => choose(world(scene).op, named);
const refusal = async (scene: Scene, named?: string) => (await chosen(scene, named)).refusal;

test("A node is chosen by its name with its pool, its launcher, its slots and what it loses", async () => {
  const { op, did } = world();
  expect(await choose(op, "win-1")).toEqual({
    ...{ name: "win-1", uid: "uid-win-1", bootId: null, launchedBy: "add-1", isReady: false, refusal: null },
    facts: {
      ...{ node: "win-1", instanceId: ID, pool: "web", poolNodes: 1, pods: [] },
      outlook: { blockers: [], longJobs: [], mostMinutes: expect.any(Number) },
      slots: expect.objectContaining({ pool: "web", maxUnavailable: 1 }),
      approval: null,
    },
  });
  expect(did).toEqual([named("web"), `is ${ID} protected`]);
});

test("A machine that is no node is chosen by its id, or by a beginning of it that only one of Casement's own has", async () => {
  const lost = own("i-0bb12cd34ef567890");
  const machine = { name: lost.instanceId, uid: null, facts: { node: null, poolNodes: null, pods: [], pool: "web" } };
  expect(await chosen({ machines: [own(ID), lost] }, lost.instanceId)).toMatchObject(machine);
  expect(await chosen({ machines: [own(ID), lost] }, "i-0bb")).toMatchObject(machine);
  const others = { ...lost, instanceId: "i-0bb99cd34ef567890" };
  await expect(chosen({ machines: [own(ID), lost, others] }, "i-0bb")).rejects.toThrow(/not found/);
  const strange = { ...others, tags: {} };
  expect(await chosen({ machines: [own(ID), lost, strange] }, "i-0bb")).toMatchObject(machine);
  expect(await chosen({}, ID)).toMatchObject({ name: "win-1" });
  await expect(chosen({}, "win-9")).rejects.toThrow("Windows node `win-9` not found.");
});

test("A machine is refused that is protected, held by another operation, gone or not Casement's", async () => {
  expect(await refusal({ isProtected: true })).toEqual({ kind: "termination-protected" });
  expect(await refusal({ holder: "drain-1" })).toEqual({ kind: "busy", operation: "drain-1" });
  expect(await refusal({ holder: "remove-1" })).toBeNull();
  expect(await refusal({ machines: [] })).toEqual({ kind: "no-instance" });
  const { op, did } = world({ machines: [own(ID, { tags: {} })] });
  expect(await choose(op, "win-1")).toMatchObject({
    refusal: { kind: "not-launched-by-us" },
    facts: { poolNodes: null, pods: [], instanceId: ID },
  });
  expect(did).toEqual([named(null)]);
  const ended = own("i-0bb12cd34ef567890", { state: "terminated" });
  expect(await refusal({ machines: [ended] }, ended.instanceId)).toEqual({ kind: "already-terminated" });
});

test("The operation keeps the node that was chosen and its pool, also when it is refused", async () => {
  const { op, did } = world();
  await chooseAllowed(op, ID);
  expect(did).toContain(named("web"));
  const held = world({ machines: [own(ID, { tags: {} })] });
  await choose(held.op, ID);
  expect(held.did).toEqual([named(null)]);
});

/** Refuses what was chosen. @returns what was done, without the times */
async function refused(scene: Scene, more: object = {}) {
  const { op, did } = world(scene);
  let answer: unknown;
  await run(async (ctx) => {
    answer = await refuse({ ...op, ctx, start: { ...op.start, ...more } } as Op, await choose(op, "win-1"));
    return null;
  });
  return {
    answer,
    did: did.filter((one) => !/^is |nodeName/.test(one)).map((one) => one.replace(/"endedAt":"[^"]*"/, "at")),
  };
}

test("A refusal is kept, and said in the dialog and the channel, or to the requester of a dry run alone", async () => {
  const why = "`drain-1` is working on it";
  const kept = `remove-1 {"status":"refused","summary":"${why}",at}`;
  const told = await refused({ holder: "drain-1" });
  expect(told.answer).toBeNull();
  expect(told.did.slice(0, 2)).toEqual([kept, expect.stringMatching(/^fill .*remove-1$/)]);
  expect(told.did[2]).toMatch(/^post C0REMOVALS remove-1 end: .*Remove win-1/);
  expect((await refused({ holder: "drain-1", isDialogClosed: true })).did).toHaveLength(2);
  const dry = await refused({ holder: "drain-1", isDryRun: true });
  expect(dry.did).toEqual([
    kept,
    "tell U0OPERATOR of remove-1: 🚫 `win-1` cannot be removed: `drain-1` is working on it.\n*Next:* wait for it to end, or stop it: `{win} cancel drain-1`.",
  ]);
});

test("What may be removed, or was approved before, is not refused", async () => {
  expect(await refused({})).toMatchObject({ answer: { name: "win-1" }, did: [] });
  expect(await refused({ holder: "drain-1" }, { continues: 1 })).toMatchObject({ answer: { name: "win-1" }, did: [] });
});
